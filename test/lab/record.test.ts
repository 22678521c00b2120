/** What the page draws is what the run says: at every event, from either side, for every protocol. */
import { describe, expect, test } from "vitest";
import { Axis } from "../../lab/run/axis.ts";
import { causesOf } from "../../lab/run/causes.ts";
import { faultText, parseFault, parseFaults } from "../../lab/run/faults.ts";
import { Moment, RunRecord } from "../../lab/run/record.ts";
import { OpenedRun } from "../../lab/worker/opened.ts";
import type { Injected } from "../../src/host/stepping/stepping.ts";
import { catalogue } from "../../src/protocols/catalogue.ts";
import { resolve } from "../../src/simulation/settings.ts";
import { openTrial, runTrial } from "../../src/simulation/trial.ts";

function recordOf(fields: Readonly<Record<string, string>>, faults: readonly Injected[] = []) {
  const run = new OpenedRun(fields, faults, 0);
  const record = new RunRecord(run.facts);
  record.add([...run.events(100_000)]);
  return { run, record };
}

const pictureOf = ({ nodes, flying, messages }: Moment) => JSON.stringify([nodes, [...flying], messages]);

describe.each(catalogue.map(({ name }) => name))("%s", (protocol) => {
  const { run, record } = recordOf({ protocol, n: "10", seed: "8" });

  test("back to an earlier event is that event, exactly", () => {
    const forward: string[] = [];
    const moment = new Moment(record);
    for (let event = 0; event <= record.length; event++) forward.push(pictureOf(moment.seek(event)));
    for (let event = record.length; event >= 0; event--) expect(pictureOf(moment.seek(event))).toBe(forward[event]);
  });

  test("verdicts and messages on their way are those of the host", () => {
    const host = openTrial(resolve({ protocol, n: 10, seed: 8, kernel: "off" }), 0);
    const moment = new Moment(record);
    for (let event = 0; event <= record.length; event += Math.ceil(record.length / 12)) {
      host.seek(event);
      moment.seek(event);
      const { flights } = record;
      expect([...moment.flying].map((index) => flights[index].number).sort((a, b) => a! - b!)).toEqual(
        host.inFlight().map(({ flight }) => flight),
      );
      for (const [node, { part, status }] of moment.nodes.entries()) {
        if (part !== null) expect(status).toBe(host.verdict(node).status);
      }
      expect(moment.messages).toBe(host.view.messages);
    }
  });

  test("a message's causes reached its sender before it was sent, each because of the next", () => {
    for (let index = 0; index < record.flights.length; index += Math.ceil(record.flights.length / 50)) {
      let later = record.flights[index];
      for (const cause of causesOf(record, index, 20).map((at) => record.flights[at])) {
        expect([cause.to, cause.endedBy <= later.sentBy]).toEqual([later.from, true]);
        later = cause;
      }
    }
  });

  test("it ends as the simulator says, and every event has a sentence", () => {
    expect(run.ending(null).trial).toEqual(runTrial(resolve({ protocol, n: 10, seed: 8, kernel: "off" }), 0));
    expect(record.events.filter(({ text }) => !/^[A-Z].*\.$/.test(text)).map(({ text }) => text)).toEqual([]);
  });
});

describe("faults by hand", () => {
  const fields = { protocol: "chang-roberts", n: "12", seed: "3" };

  test("leave the past as it was, and have their consequence", () => {
    const calm = recordOf(fields).record;
    const { record, run } = recordOf(fields, [{ event: 31, action: { crash: 4 } }]);
    expect(record.events.slice(0, 31)).toEqual(calm.events.slice(0, 31));
    expect(record.events[31].text).toBe("Node 4 crashes.");
    expect(run.ending(null).trial?.outcome).toBe("none");
  });

  test("a message that is dropped is lost, and a cut is told", () => {
    const calm = recordOf(fields).record;
    const flight = calm.flights.find(({ sentBy, endedBy }) => sentBy <= 20 && endedBy > 21)!;
    const dropped = recordOf(fields, [{ event: 20, action: { drop: flight.number! } }]).record;
    expect(dropped.events[20].text).toMatch(/is lost on the way\.$/);
    const cut = recordOf(fields, [{ event: 15, action: { cut: [[0, 1, 2]] } }]).record;
    expect(cut.events[15].text).toBe("The network is cut: nodes 0, 1 and 2 can no longer reach the rest.");
  });

  test("a paused node stands still, until it goes on", () => {
    const { record } = recordOf(fields, [{ event: 14, action: { pause: 5, for: 3 } }]);
    const moment = new Moment(record).seek(15);
    expect(moment.nodes[5].paused).toBe(true);
    moment.seek(record.length);
    expect(moment.nodes[5].paused).toBe(false);
    expect(moment.seek(15).nodes[5].paused).toBe(true);
  });

  test("are text in a link, and nonsense is told apart", () => {
    const texts = ["31:crash:1", "40:drop:57", "5:pause:2:5", "9:cut:0-3,7", "12:heal", "13:restart:1"];
    expect(texts.map((text) => faultText(parseFault(text)!))).toEqual(texts);
    const nonsense = ["", "x", "1:crash", "1:crash:-1", "1:cut:9-1", "1:pause:2:-5", "1e3:crash:1", "1:cut:0-9999999"];
    expect(parseFaults(nonsense)).toEqual({ faults: [], wrong: nonsense, tooMany: 0 });
  });

  test("about nodes that are not there are left out, in words", () => {
    const { problems } = new OpenedRun(fields, [{ event: 3, action: { crash: 99 } }], 0);
    expect(problems).toEqual([expect.objectContaining({ field: "fault" })]);
  });
});

describe("what is wrong in a link", () => {
  test.each([
    [{ n: "0" }, "n", /at least 1/],
    [{ n: "1000001" }, "n", /at most a million/],
    [{ n: "99999999999999999999" }, "n", /n/],
    [{ n: "<script>alert(1)</script>" }, "n", /whole number/],
    [{ protocol: "no-such" }, "protocol", /no-such/],
    [{ n: "12", ids: "1,2" }, "ids", /2 ids/],
    [{ seed: "-1" }, "seed", /whole number/],
    [{ loss: "2" }, "loss", /probability/],
    [{ "param.reading": "sideways" }, "param.reading", /reading/],
    [{ "param.nonsense": "1" }, "param.nonsense", /nonsense/],
    [{ nonsense: "1" }, "nonsense", /no setting/],
    [{ protocol: "quorum", n: "200000" }, "n", /too many for a page/],
    [{ protocol: "random-walks", topology: "er:1", n: "20000" }, "topology", /too many links/],
    [{ protocol: "random-walks", topology: "nowhere" }, "topology", /nowhere/],
  ])("%j is said at its field, and the default is used", (fields, field, text) => {
    const { problems, facts } = new OpenedRun(fields, [], 0);
    expect(problems.map((problem) => problem.field)).toContain(field);
    expect(problems.find((problem) => problem.field === field)!.text).toMatch(text);
    expect(facts.size).toBeGreaterThan(0);
  });
});

test("idle time is short on the axis, and places lead back to times", () => {
  const { record } = recordOf({ protocol: "time-slice", n: "6", ids: "500,600,700,800,900,1000" });
  const axis = new Axis(record);
  expect(record.end).toBeGreaterThan(3_000);
  expect(axis.span).toBeLessThan(40);
  for (const time of axis.instants) expect(axis.time(axis.place(time))).toBeCloseTo(time, 6);
});
