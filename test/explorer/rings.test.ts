/**
 * What holds for every schedule, every arrangement of ids and every draw at small n.
 *
 * Pinned numbers of states: a state is what every node remembers, what is on its way on each link, which timers are armed
 * and what is left of the budget of faults; it counts once for each arrangement of the ids in which it can be reached.
 * They change with the protocols' states: look twice before you pin another number.
 */
import { describe, expect, test } from "vitest";
import { type Case, type ExploreRequest, explore } from "../../src/explorer/explore.ts";
import { catalogue, protocolNamed } from "../../src/protocols/catalogue.ts";
import { resolveParameters } from "../../src/protocols/parameters.ts";
import {
  announcement,
  changRobertsBest,
  changRobertsMean,
  changRobertsWorst,
  hirschbergSinclairMean,
  hirschbergSinclairSharpBound,
  petersonBound,
} from "../../src/theory/rings/rings.ts";
import { effort } from "../support/effort.ts";
import { countConfigurations } from "./independent-search.ts";

const everything = (name: string, request: ExploreRequest) => {
  const result = explore(protocolNamed(name), request);
  expect(result).toMatchObject({ complete: true, violation: null });
  return result;
};

const rings = catalogue.filter(({ assumes }) => assumes.topology === "ring");

/** Who draws ids may go on drawing for ever, with ever smaller probability. */
const limits = (name: string) =>
  protocolNamed(name).assumes.identity === "anonymous" ? { limits: { phases: 2 } } : {};

describe("exactly one leader that everybody knows, and every run ends", () => {
  test.each(rings.map(({ name }) => name))("%s, one to three processes", (name) => {
    for (const n of [1, 2, 3]) everything(name, { n, ...limits(name) });
  });

  const any = "any" as const;
  const join = { passive: "join" };
  const pinned: [string, ExploreRequest, number][] = [
    ["chang-roberts", { n: 1 }, 3],
    ["chang-roberts", { n: 2 }, 7],
    ["chang-roberts", { n: 3 }, 31],
    ["chang-roberts", { n: 4 }, 209],
    ["chang-roberts", { n: 5 }, 1925],
    ["chang-roberts", { n: 6 }, 22563],
    ["chang-roberts", { n: 5, fifo: false }, 11088],
    ["chang-roberts", { n: 4, initiators: any }, 1573],
    ["chang-roberts", { n: 4, initiators: any, params: join }, 1666],
    ["chang-roberts", { n: 4, params: { spread: 1 } }, 4455],
    ["chang-roberts", { n: 3, params: { spread: 2 }, timed: 2 }, 804],
    ["chang-roberts", { n: 4, params: { reading: "printed" } }, 756],
    ["peterson", { n: 1 }, 3],
    ["peterson", { n: 2 }, 11],
    ["peterson", { n: 3 }, 50],
    ["peterson", { n: 4 }, 408],
    ["peterson", { n: 5 }, 4352],
    ["peterson", { n: 4, initiators: any }, 2628],
    ["peterson", { n: 4, initiators: any, params: join }, 3432],
    ["peterson", { n: 4, params: { spread: 1 } }, 7194],
    ["peterson", { n: 3, params: { spread: 2 }, timed: 2 }, 1260],
    ["peterson", { n: 4, params: { winner: "owner" } }, 408],
    ["hirschberg-sinclair", { n: 1 }, 6],
    ["hirschberg-sinclair", { n: 2 }, 40],
    ["hirschberg-sinclair", { n: 3 }, 436],
    ["hirschberg-sinclair", { n: 4 }, 7531],
    ["hirschberg-sinclair", { n: 5 }, 170168],
    ["hirschberg-sinclair", { n: 3, fifo: false }, 3312],
    ["hirschberg-sinclair", { n: 4, initiators: any }, 44543],
    ["hirschberg-sinclair", { n: 3, initiators: any, params: join }, 2490],
    ["hirschberg-sinclair", { n: 3, params: { spread: 1 } }, 3414],
    ["hirschberg-sinclair", { n: 3, params: { spread: 2 }, timed: 2 }, 5952],
    ["hirschberg-sinclair", { n: 4, params: { stop: "known-n" } }, 6371],
    ["time-slice", { n: 4 }, 96],
    ["time-slice", { n: 5 }, 480],
    ["time-slice", { n: 4, initiators: any }, 1152],
    ["time-slice", { n: 4, params: { spread: 3 } }, 96],
    ["known-highest", { n: 5 }, 24],
  ];
  const quick = pinned.filter(([, , states]) => states < effort(2e4, 1e6));
  test.each(quick)("%s %j: %d states", (name, request, states) => {
    const result = everything(name, { reduction: "never", ...request });
    expect(result.states).toBe(states);
    expect(result.cut).toBe(0);
  });

  // Runs with more phases exist, with ever smaller probability; up to here, none goes wrong. Rotations count as one.
  test.each([
    { n: 2, range: 2, fifo: true, states: 47, cut: 2 },
    { n: 2, range: 3, fifo: true, states: 108, cut: 3 },
    { n: 2, range: 3, fifo: false, states: 387, cut: 6 },
    { n: 3, range: 2, fifo: true, states: 332, cut: 14 },
    { n: 3, range: 3, fifo: true, states: 1263, cut: 36 },
    { n: 3, range: 2, fifo: false, states: 5176, cut: 184 },
    { n: 3, range: 3, fifo: false, states: 17475, cut: 411 },
  ])(
    "itai-rodeh, three phases, n = $n, range $range, fifo $fifo: $states states",
    ({ n, range, fifo, states, cut }) => {
      const result = everything("itai-rodeh", { n, fifo, params: { range }, limits: { phases: 3 } });
      expect(result).toMatchObject({ states, cut });
    },
  );
});

describe("the worst case over all schedules is the formula's", () => {
  /** Each arrangement costs the same under every schedule, so a mean over arrangements makes sense. */
  const mean = (cases: readonly Case[]) => {
    for (const { messages } of cases) expect(messages.min).toBe(messages.max);
    return cases.reduce((sum, { messages }) => sum + messages.max!, 0) / cases.length;
  };

  test.each([1, 2, 3, 4, 5, 6])("chang-roberts, n = %d", (n) => {
    const { messages, cases } = everything("chang-roberts", { n });
    expect(messages.max).toBe(changRobertsWorst(n) + announcement(n));
    expect(messages.min).toBe(changRobertsBest(n) + announcement(n));
    expect(mean(cases)).toBeCloseTo(changRobertsMean(n) + announcement(n), 10);
  });

  test.each([1, 2, 3, 4, 5, 6])("peterson, n = %d", (n) => {
    expect(everything("peterson", { n }).messages.max).toBe(petersonBound(n) + announcement(n));
  });

  test.each([1, 2, 3, 4])("hirschberg-sinclair, n = %d: the mean is exact, the bound holds", (n) => {
    const { messages, cases } = everything("hirschberg-sinclair", { n });
    expect(mean(cases)).toBeCloseTo(hirschbergSinclairMean(n) + announcement(n), 10);
    expect(messages.max).toBeLessThanOrEqual(hirschbergSinclairSharpBound(n) + announcement(n));
  });

  test("a passive node that joins makes Hirschberg-Sinclair's cost depend on the schedule", () => {
    const request = { n: 3, ids: [3, 1, 2], params: { passive: "join" }, initiators: [1] };
    expect(everything("hirschberg-sinclair", request).messages).toEqual({ min: 24, max: 26 });
  });
});

describe("one fault", () => {
  const safety = ["at-most-one-leader", "agreement"];

  test.each<[string, ExploreRequest, number]>([
    ["chang-roberts", { n: 4, crashes: 1 }, 842],
    ["chang-roberts", { n: 4, drops: 1 }, 516],
    ["chang-roberts", { n: 3, crashes: 1, restarts: 1 }, 286],
    ["hirschberg-sinclair", { n: 3, crashes: 1 }, 1346],
    ["hirschberg-sinclair", { n: 3, drops: 1 }, 1370],
    ["hirschberg-sinclair", { n: 3, crashes: 1, restarts: 1 }, 17219],
    ["peterson", { n: 4, crashes: 1 }, 2034],
    ["peterson", { n: 4, drops: 1 }, 1488],
    ["peterson", { n: 3, crashes: 1, restarts: 1 }, 546],
    ["itai-rodeh", { n: 3, crashes: 1 }, 2073],
    ["itai-rodeh", { n: 3, drops: 1 }, 1652],
    ["itai-rodeh", { n: 3, crashes: 1, restarts: 1 }, 19559],
    ["known-highest", { n: 4, crashes: 1, restarts: 1 }, 36],
  ])("%s %j: never two leaders, never two beliefs, and it ends; %d states", (name, request, states) => {
    const properties = [...safety, "termination"];
    expect(everything(name, { ...request, ...limits(name), properties }).states).toBe(states);
  });

  test.each(rings.map(({ name }) => name))("%s: one crash can leave the group without a leader", (name) => {
    const { violation } = explore(protocolNamed(name), {
      n: 3,
      crashes: 1,
      ...limits(name),
      properties: ["some-leader"],
    });
    expect(violation?.what).toBe("nobody leads in the end");
  });

  // It takes silence for an answer: who was cut off from the first speaker speaks later, and is heard by others.
  test.each<ExploreRequest>([
    { n: 3, drops: 1 },
    { n: 4, crashes: 1 },
    { n: 3, crashes: 1, restarts: 1 },
  ])("time-slice %j: nodes can come to follow different leaders, but two never lead, and it ends", (request) => {
    const { violation } = explore(protocolNamed("time-slice"), { ...request, properties: safety });
    expect(violation?.property).toBe("agreement");
    everything("time-slice", { ...request, properties: ["at-most-one-leader", "termination"] });
  });
});

describe("an independent search finds as many states", () => {
  const everybody = (n: number) => Array.from({ length: n }, (_, node) => node);

  test.each<[string, ExploreRequest]>([
    ["chang-roberts", { n: 3 }],
    ["chang-roberts", { n: 4 }],
    ["chang-roberts", { n: 3, fifo: false }],
    ["chang-roberts", { n: 4, fifo: false }],
    ["chang-roberts", { n: 4, initiators: [0, 2], params: { passive: "join" } }],
    ["peterson", { n: 3 }],
    ["peterson", { n: 4 }],
    ["peterson", { n: 4, initiators: [1, 2] }],
    ["hirschberg-sinclair", { n: 3 }],
    ["hirschberg-sinclair", { n: 4 }],
    ["hirschberg-sinclair", { n: 3, fifo: false }],
    ["itai-rodeh", { n: 2, params: { range: 3 }, limits: { phases: 3 } }],
    ["itai-rodeh", { n: 3, params: { range: 3 }, limits: { phases: 2 } }],
    ["itai-rodeh", { n: 3, params: { range: 2 }, limits: { phases: 2 }, fifo: false }],
    ["itai-rodeh", { n: 4, params: { range: 2 }, limits: { phases: 2 } }],
  ])("%s %j", (name, request) => {
    const protocol = protocolNamed(name);
    const { states, cases } = everything(name, { ...request, symmetry: false });
    const { n, limits = {} } = request;
    const fifo = request.fifo ?? true;
    const initiators = Array.isArray(request.initiators) ? request.initiators : everybody(n);
    const params = resolveParameters(protocol, request.params ?? {}, n);
    const counted = cases.map(({ ids }) =>
      countConfigurations({ protocol, params, ids, n, initiators, fifo, phases: limits.phases ?? Infinity }),
    );
    expect(states).toBe(counted.reduce((a, b) => a + b));
  });
});
