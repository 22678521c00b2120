import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { effort } from "../../../test/support/effort.ts";
import { type Reckoned, ringComplaint } from "../../../test/support/judged-ring.ts";
import { plantedFaults } from "../../../test/support/planted.ts";
import {
  anyRing,
  complaint,
  elect,
  exponential,
  outOfOrder,
  permutations,
  schedules,
  zScore,
} from "../../../test/support/rings.ts";
import { explore } from "../../explorer/explore.ts";
import { predict } from "../../registry/all.ts";
import { resolve } from "../../simulation/settings.ts";
import { runTrial } from "../../simulation/trial.ts";
import { LOSSLESS } from "../../theory/prediction.ts";
import { arrangements, bitReversed } from "../../theory/rings/arrangements.ts";
import { franklin } from "./franklin.ts";

const protocol = "franklin";

/** Another program: in each round every active node's id walks to the next active one, link by link, both ways. */
const reckoned: Reckoned = (ids, starters) => {
  const n = ids.length;
  let active = new Set(starters);
  let hops = 0;
  const meets = (from: number, way: number): number => {
    for (let node = from; ; ) {
      node = (node + way + n) % n;
      hops++;
      if (active.has(node)) return node;
    }
  };
  for (;;) {
    const heard = new Map([...active].map((node) => [node, [] as number[]]));
    for (const node of active) for (const way of [1, -1]) heard.get(meets(node, way))!.push(ids[node]);
    if (active.size === 1) return { leader: ids[[...active][0]], messages: hops + n };
    active = new Set([...active].filter((node) => heard.get(node)!.every((id) => id < ids[node])));
  }
};

describe("every arrangement of the ids", () => {
  test.each([1, 2, 3, 4, 5, 6].slice(0, effort(4, 6)))("n = %d: the same count under every schedule", (n) => {
    for (const ids of permutations(n)) {
      const { leader, messages } = reckoned(ids, [...ids.keys()]);
      for (const schedule of [...schedules(n), outOfOrder(7)]) {
        const result = elect({ protocol, ids, schedule });
        expect(complaint(result, leader)).toBeNull();
        expect(result.messages).toBe(messages);
        expect(result.messages).toBe(2 * n * result.measures.phases + n);
        expect(elect({ protocol: "peterson", ids, schedule: "lockstep" }).messages).toBe(messages - n);
      }
    }
  });
});

test("any ids, initiators, delays, spread: one leader that everybody knows", () => {
  const knobs = fc.record({ passive: fc.constantFrom("relay", "join"), spread: fc.constantFrom(0, 3, 40) });
  const property = fc.property(anyRing, knobs, ({ ids, initiators, seed }, params) => {
    for (const schedule of ["lockstep", exponential(seed), outOfOrder(seed)] as const) {
      const result = elect({ protocol, ids, initiators, schedule, params, seed });
      expect(complaint(result, params.passive === "join" ? Math.max(...ids) : result.census.leaders[0])).toBeNull();
      expect(result.messages).toBe(2 * ids.length * result.measures.phases + ids.length);
    }
  });
  fc.assert(property, { seed: 26, numRuns: 60 });
});

describe("costs", () => {
  const expected = (n: number, initiators = n) =>
    predict({ protocol, n, params: { passive: "relay", spread: 0 }, initiators, ...LOSSLESS })!;

  test.each([1, 2, 3, 4, 5, 6])(
    "worst case: of 2^%d ids in bit-reversed order exactly half stay, and no order is worse",
    (bits) => {
      const ids = bitReversed(bits);
      const { worst } = expected(ids.length).factors!;
      expect(reckoned(ids, [...ids.keys()]).messages).toBe(worst);
      expect(elect({ protocol, ids }).messages).toBe(worst);
    },
  );

  test.each([1, 2, 3, 4, 5, 6, 7])("n = %d: the mean over all arrangements is the prediction's", (n) => {
    const counts = arrangements(n).map((ids) => reckoned(ids, [...ids.keys()]).messages);
    expect(counts.reduce((a, b) => a + b) / counts.length).toBeCloseTo(expected(n).messages!, 9);
    expect(Math.max(...counts)).toBe(expected(n).factors!.worst);
  });

  test.each(
    [
      [8, 0.001],
      [9, 0.002],
    ].slice(0, effort(1, 2)),
  )("n = %d: from eight on the mean is an approximation, within a share of %f", (n, share) => {
    const counts = arrangements(n).map((ids) => reckoned(ids, [...ids.keys()]).messages);
    const mean = counts.reduce((a, b) => a + b) / counts.length;
    expect(Math.abs(mean / expected(n).messages! - 1)).toBeLessThan(share);
    expect(mean).not.toBeCloseTo(expected(n).messages!, 3);
  });

  test.each([40, 300])("n = %d, measured: within 2% of the prediction", (n) => {
    const counts = Array.from({ length: 300 }, (_, trial) => runTrial(resolve({ protocol, n }), trial).messages);
    expect(Math.abs(zScore(counts, expected(n).messages!))).toBeLessThan(8);
    const mean = counts.reduce((a, b) => a + b) / counts.length;
    expect(Math.abs(mean / expected(n).messages! - 1)).toBeLessThan(0.02);
  });
});

test("under one fault there are never two leaders and never two beliefs, and every run ends", () => {
  const properties = ["at-most-one-leader", "agreement", "termination"];
  for (const faults of [{ crashes: 1 }, { drops: 1 }, { duplicates: 1 }, { crashes: 1, restarts: 1 }]) {
    const ids = "restarts" in faults ? [2, 3, 1] : ("all" as const);
    expect(explore(franklin, { n: 3, ids, ...faults, properties })).toMatchObject({ violation: null, complete: true });
  }
});

test("the size of a message is that of its kind, id and round", () => {
  expect(franklin.bits({ kind: "candidate", id: 5, round: 2 })).toBe(1 + 3 + 2);
  expect(franklin.bits({ kind: "announce", id: 5 })).toBe(1 + 3);
});

plantedFaults(
  new URL("./franklin.ts", import.meta.url),
  "franklin",
  [
    ["only the next node is asked", "  ctx.send(PREVIOUS, candidate);\n", ""],
    ["local minima stay active", "next < state.id && previous < state.id", "next > state.id && previous > state.id"],
    [
      "larger than one neighbour is enough",
      "next < state.id && previous < state.id",
      "next < state.id || previous < state.id",
    ],
    ["one neighbour does not count", "next < state.id && previous < state.id", "previous < state.id"],
    [
      "one side is enough to compare",
      "next === undefined || previous === undefined",
      "next === undefined && previous === undefined",
    ],
    ["rounds are not told apart", "port === side && message.round === round", "port === side"],
    ["sides are not told apart", "port === side && message.round === round", "message.round === round"],
    [
      "what was heard early is not passed on",
      "  for (const { port, message } of state.heard) ctx.send(opposite(port), message);\n",
      "",
    ],
    ["what was heard early is forgotten", "message.round > state.round", "message.round > state.round + 1"],
    ["what was compared is kept", "message.round > state.round", "message.round >= state.round"],
    [
      "what was heard early is not compared",
      "    enterRound(state, ctx);\n    compare(state, ctx);",
      "    enterRound(state, ctx);",
    ],
    ["a node that has lost stays active", '  state.role = "relays";\n', ""],
    [
      "relays send back",
      "    ctx.send(opposite(port), message);\n    return;",
      "    ctx.send(port, message);\n    return;",
    ],
    ["the leader announces twice", 'if (state.status === "undecided") announce', "announce"],
    ["its own id is another's", "if (message.id === state.id) {", "if (message.id === state.id && state.round > 1) {"],
    ["rounds are not counted", "++state.round", "state.round"],
    [
      "a late start comes although it has relayed",
      'if (state.role === "idle") contend(state, ctx);\n  },',
      "contend(state, ctx);\n  },",
    ],
  ],
  (broken) => ringComplaint(broken, reckoned),
);
