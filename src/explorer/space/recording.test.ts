import { describe, expect, test } from "vitest";
import { SELF } from "../../protocol.ts";
import { epidemicMulticast } from "../../protocols/group/epidemic-multicast.ts";
import { forEveryChoice, RecordingContext } from "./recording.ts";

const protocol = { name: "scribe", assumes: { ...epidemicMulticast.assumes, multicast: true } };
const surroundings = (degree: number) => ({ protocol, degree, peer: (port: number) => 100 + port });

function everyOutcome<T>(handler: (ctx: RecordingContext) => T, { degree = 3, limit = 1000 } = {}): T[] {
  const outcomes: T[] = [];
  forEveryChoice(
    (script) => new RecordingContext(surroundings(degree), script, limit),
    (ctx) => outcomes.push(handler(ctx)),
  );
  return outcomes;
}

describe("draws", () => {
  test("choose gives every value once, and at most as many as allowed", () => {
    expect(everyOutcome((ctx) => ctx.choose(3))).toEqual([0, 1, 2]);
    expect(everyOutcome((ctx) => ctx.choose(10 ** 12), { limit: 2 })).toEqual([0, 1]);
    expect(everyOutcome((ctx) => ctx.choose(1))).toEqual([0]);
  });

  test("a coin falls both ways, unless it cannot", () => {
    expect(everyOutcome((ctx) => ctx.coin(0.001))).toEqual([false, true]);
    expect(everyOutcome((ctx) => ctx.coin(0))).toEqual([false]);
    expect(everyOutcome((ctx) => ctx.coin(1))).toEqual([true]);
  });

  test("later draws may depend on earlier ones", () => {
    const outcomes = everyOutcome((ctx) => (ctx.coin(0.5) ? `heads, ${ctx.choose(3)}` : "tails"));
    expect(outcomes).toEqual(["tails", "heads, 0", "heads, 1", "heads, 2"]);
  });

  test.each([
    [5, 0, 1],
    [5, 1, 5],
    [5, 2, 10],
    [5, 5, 1],
    [6, 3, 20],
  ])("a sample out of %d, of size %d: each of the %d subsets once", (degree, k, subsets) => {
    const samples = everyOutcome((ctx) => ctx.sample(k).join(), { degree });
    expect(samples).toHaveLength(subsets);
    expect(new Set(samples).size).toBe(subsets);
    for (const sample of samples) {
      const ports = sample === "" ? [] : sample.split(",").map(Number);
      expect(new Set(ports).size).toBe(k);
      expect(ports.every((port) => port >= 0 && port < degree)).toBe(true);
    }
  });

  test("the urn may contain the node itself", () => {
    const samples = everyOutcome((ctx) => ctx.sample(2, SELF).join(), { degree: 2 });
    expect(samples.sort()).toEqual(["0,-1", "0,1", "1,-1"]);
  });
});

test("effects are written down in order; a multicast is one message to everybody", () => {
  const [ctx] = everyOutcome((recording) => {
    recording.send(1, "a");
    recording.multicast("b");
    recording.arm("t", 1, 3);
    recording.deadline("d", 2);
    recording.disarm("t");
    recording.measure("phases", 4);
    return recording;
  });
  expect(ctx.effects).toEqual({
    sends: [
      { port: 1, message: "a", counted: true },
      { port: 0, message: "b", counted: true, multicast: true },
      { port: 1, message: "b", counted: false, multicast: true },
      { port: 2, message: "b", counted: false, multicast: true },
    ],
    messages: 2,
    timers: [
      { op: "arm", timer: "t", min: 1, max: 3, deadline: false },
      { op: "arm", timer: "d", min: 2, max: 2, deadline: true },
      { op: "disarm", timer: "t" },
    ],
    measures: [{ name: "phases", value: 4 }],
  });
  expect(ctx.peer(2)).toBe(102);
});

test("messages that a protocol does not count are sent all the same", () => {
  const ctx = new RecordingContext(surroundings(1), [], 4, (message) => message !== "free");
  ctx.send(0, "free");
  ctx.send(0, "paid");
  expect(ctx.effects).toMatchObject({ messages: 1, sends: [{ message: "free" }, { message: "paid" }] });
});
