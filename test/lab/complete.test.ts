/** Nothing that happens is dropped in silence, and a run and its recording are told in the same sentences. */
import { describe, expect, test } from "vitest";
import { eventSeen } from "../../lab/live/checks.ts";
import { nothingYet, sentenceIn, tell } from "../../lab/live/story.ts";
import { openFile } from "../../lab/worker/file.ts";
import { OpenedRun } from "../../lab/worker/opened.ts";
import { toldOf } from "../../lab/worker/telling.ts";
import type { StreamEventName } from "../../src/events/events.ts";
import { EVENTS, STREAM_EVENTS } from "../../src/events/table.ts";
import type { Happening } from "../../src/host/stepping/step-recorder.ts";
import { catalogue } from "../../src/protocols/catalogue.ts";
import { written } from "../../src/simulation/settings.ts";
import { setUp } from "../../src/simulation/trial.ts";
import { sceneOf } from "../../src/trace/events.ts";
import { traceText } from "../../src/trace/file.ts";
import { traceTrial } from "../../src/trace/replay.ts";
import { stepsOf } from "../../src/trace/steps.ts";

/** Events of groups that last are long to simulate. */
const fieldsOf = (protocol: string) => ({
  protocol,
  n: "8",
  seed: "4",
  host: "events",
  delay: "uniform:0.5..1.5",
  ...(protocol === "council-continuous" ? { "param.hours": "0.05" } : { loss: "0.05", duplicate: "0.1" }),
});

describe.each(catalogue.map(({ name }) => name))("%s", (protocol) => {
  const run = new OpenedRun(fieldsOf(protocol), [], 0);
  const stepped = [...run.events(Infinity)].map(({ time, text }) => `${time} ${text}`);

  test("a recording has the sentences of the run, in the same order", async () => {
    const { events } = traceTrial(run.settings, 0);
    const header = { trace: "simulation", settings: written(run.settings), trial: 0 } as const;
    const recorded = (await openFile(traceText(header, events), "run.jsonl")).events;
    const texts = recorded.map(({ time, text }) => `${time} ${text}`);
    let at = 0;
    for (const text of stepped) {
      const found = texts.indexOf(text, at);
      expect(found, text).toBeGreaterThanOrEqual(at);
      at = found + 1;
    }
  });

  test("every event of a recording is a step, or belongs to one", () => {
    const { events } = traceTrial(run.settings, 0);
    const steps = stepsOf(events);
    const sends = steps.flatMap((step) => step.sends);
    const lostAtOnce = sends.filter(({ lost }) => lost !== null).length;
    const of = (...kinds: string[]) => events.filter((event) => kinds.includes(event.do)).length;
    expect(sends).toHaveLength(of("send", "duplicate"));
    expect(steps.length + lostAtOnce).toBe(events.length - of("send", "duplicate", "verdict"));
  });
});

const NOTHING = { messages: 0, multicasts: { counted: 0, uncounted: 0 } };

describe("whatever can happen to a node or to the network", () => {
  const message = { kind: "hello" };
  const partition = { groups: [[0, 2]], from: 0, to: null };
  const each: Readonly<Record<Happening["do"], readonly [Happening, string]>> = {
    start: [{ do: "start", node: 1 }, "Node 1 starts."],
    restart: [{ do: "restart", node: 1 }, "Node 1 starts again."],
    join: [{ do: "join", node: 1 }, "Node 1 joins."],
    leave: [{ do: "leave", node: 1 }, "Node 1 leaves."],
    crash: [{ do: "crash", node: 1 }, "Node 1 crashes."],
    pause: [{ do: "pause", node: 1 }, "Node 1 is paused."],
    resume: [{ do: "resume", node: 1 }, "Node 1 goes on."],
    "end-round": [{ do: "end-round", node: 1 }, "Node 1 ends the round."],
    timer: [{ do: "timer", node: 1, timer: "beat" }, 'Node 1\'s timer "beat" expires.'],
    command: [{ do: "command", node: 1, message }, "Node 1 is told hello by its user."],
    deliver: [{ do: "deliver", node: 1, from: 0, message }, "Node 1 receives hello from node 0."],
    lose: [
      { do: "lose", node: 1, from: 0, message, why: "nobody" },
      "Hello from node 0 finds that node 1 is not there yet.",
    ],
    refuse: [
      { do: "refuse", node: 1, from: 0, message },
      "Node 1 refuses hello from node 0: it does not have the shape of a message.",
    ],
    cut: [{ do: "cut", node: null, partition }, "The network is cut: nodes 0 and 2 can no longer reach the rest."],
  };
  const scene = sceneOf(setUp(new OpenedRun({}, [], 0).settings, 0));

  test.each(Object.entries(each))("%s has a sentence", (_, [happening, text]) => {
    const step = { ...happening, number: 1, time: 0, flight: null, sends: [], struck: null };
    expect(toldOf(step, null, scene, { status: "undecided", leader: null }, NOTHING).text).toBe(text);
  });
});

describe("whatever an agent tells", () => {
  const fields = { at: 1, member: "a", office: "leader", leader: "a", term: 1, why: "so", ms: 5, members: 2 };

  test.each(Object.entries({ ...EVENTS, ...STREAM_EVENTS }))("%s has a sentence, or needs none", (name, { shown }) => {
    const said = sentenceIn(name, eventSeen(fields)!);
    if (shown === "never") expect(said).toBeNull();
    else expect(said).toMatch(/^[^"]+\.$/);
    // Of an agent that says nothing but the event's name.
    expect(sentenceIn(name, { at: 1 }) ?? "").not.toContain("undefined");
  });

  test("is shown also where this page does not know it", () => {
    const { happenings } = tell(nothingYet, "eclipse" as StreamEventName, eventSeen({ at: 7, moon: "new" })!);
    expect(happenings).toEqual([{ number: 0, at: 7, text: 'The agent tells of an event "eclipse".', kind: "plain" }]);
  });
});
