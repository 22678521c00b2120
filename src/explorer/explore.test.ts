import { describe, expect, test } from "vitest";
import { councilNaive } from "../protocols/council/naive.ts";
import { randomWalks } from "../protocols/graph/random-walks.ts";
import { changRoberts } from "../protocols/ring/chang-roberts.ts";
import { itaiRodeh } from "../protocols/ring/itai-rodeh.ts";
import { peterson } from "../protocols/ring/peterson.ts";
import { timeSlice } from "../protocols/ring/time-slice.ts";
import { type ExploreRequest, explore } from "./explore.ts";

describe("what is explored", () => {
  test("every arrangement up to rotation, every set of initiators", () => {
    const { cases } = explore(changRoberts, { n: 4, initiators: "any" });
    expect(cases).toHaveLength(6 * 15);
    expect(new Set(cases.map(({ ids, initiators }) => `${ids} ${initiators}`)).size).toBe(90);
    expect(cases.every(({ ids }) => ids![0] === 4)).toBe(true);
  });

  test("one arrangement, these initiators; or no ids at all", () => {
    const [only, ...others] = explore(changRoberts, { n: 3, ids: [7, 2, 9], initiators: [0, 2] }).cases;
    expect(others).toEqual([]);
    expect(only).toMatchObject({ ids: [7, 2, 9], initiators: [0, 2] });
    expect(explore(itaiRodeh, { n: 2, limits: { phases: 1 } }).cases.map(({ ids }) => ids)).toEqual([null]);
  });

  test("a rotation of the ids changes nothing", () => {
    const [a, b] = [
      [4, 2, 1, 3],
      [1, 3, 4, 2],
    ].map((ids) => explore(peterson, { n: 4, ids }));
    expect([a.states, a.depth, a.messages]).toEqual([b.states, b.depth, b.messages]);
  });

  test("initiators given by their places meet every arrangement, rotations too", () => {
    const { cases } = explore(changRoberts, { n: 3, initiators: [0] });
    expect(new Set(cases.map(({ ids }) => ids!.join(""))).size).toBe(6);
    expect(explore(changRoberts, { n: 3, initiators: [0], params: { passive: "join" } }).messages).toEqual({
      min: 6,
      max: 8,
    });
  });

  test("rotations count as one only where all nodes start", () => {
    for (const initiators of [[0], [1], [0, 2]]) {
      const request = { n: 3, initiators, params: { range: 2 }, limits: { phases: 2 } };
      expect(explore(itaiRodeh, request)).toEqual(explore(itaiRodeh, { ...request, symmetry: false }));
    }
    const all = { n: 3, params: { range: 2 }, limits: { phases: 2 } };
    const [folded, whole] = [explore(itaiRodeh, all), explore(itaiRodeh, { ...all, symmetry: false })];
    expect([folded.states, whole.states]).toEqual([162, 462]);
    expect(folded.messages).toEqual(whole.messages);
  });

  test("sums and extremes over the cases", () => {
    const { cases, states, depth, messages } = explore(changRoberts, { n: 4 });
    expect(states).toBe(cases.reduce((sum, one) => sum + one.states, 0));
    expect(depth).toBe(Math.max(...cases.map((one) => one.depth)));
    expect(messages.max).toBe(Math.max(...cases.map((one) => one.messages.max!)));
  });
});

test.each<[string, typeof changRoberts | typeof itaiRodeh, ExploreRequest]>([
  ["n must be a whole number from 1 to 10000, not 0", changRoberts, { n: 0 }],
  ["2 ids were given for 3 nodes", changRoberts, { n: 3, ids: [1, 2] }],
  ["ids must be unique", changRoberts, { n: 2, ids: [1, 1] }],
  ["initiator 3 is not a node", changRoberts, { n: 3, initiators: [3] }],
  ["name each node once", changRoberts, { n: 3, initiators: [0, 0] }],
  ["the centre of council-naive starts alone", councilNaive as never, { n: 3, initiators: "any" }],
  ["is explored on a ring topology", changRoberts, { n: 3, topology: "torus" }],
  ["torus:3x3 has 9 nodes", randomWalks as never, { n: 3, topology: "torus:3x3" }],
  ["set fifo to true", peterson as never, { n: 3, fifo: false }],
  ["timed must be a whole number", changRoberts, { n: 3, timed: 0 }],
  ["time-slice is synchronous", timeSlice as never, { n: 3, timed: 2 }],
  ["crashes must be a whole number", changRoberts, { n: 3, crashes: -1 }],
  ['itai-rodeh has no growing measure "phase" to limit; did you mean', itaiRodeh, { n: 3, limits: { phase: 2 } }],
  ['unknown property "agrement"; did you mean "agreement"?', changRoberts, { n: 3, properties: ["agrement"] }],
])("refused: %s", (complaint, protocol, request) => {
  expect(() => explore(protocol as never, request)).toThrow(complaint);
});
