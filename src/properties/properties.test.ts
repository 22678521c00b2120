import { describe, expect, test } from "vitest";
import type { Verdict } from "../protocol.ts";
import {
  agreement,
  atMostOneLeader,
  election,
  everyNodeDecides,
  leaderElected,
  leaderKnown,
  messageBound,
  notTooFew,
  notTooMany,
  propertyNames,
  someLeader,
  termination,
  type View,
} from "./properties.ts";

const elected = (leader: number | null, term = 0): Verdict => ({ status: "elected", leader, term });
const follows = (leader: number | null, term = 0): Verdict => ({ status: "not-elected", leader, term });
const undecided: Verdict = { status: "undecided", leader: null, term: 0 };

/** null stands for a node that has crashed; ids are 1, 2, ... */
const view = (verdicts: readonly (Verdict | null)[], messages = 0, anonymous = false): View => ({
  size: verdicts.length,
  alive: (node) => verdicts[node] !== null,
  id: (node) => (anonymous ? null : node + 1),
  verdict: (node) => verdicts[node] ?? elected(99),
  messages,
});

describe("never two leaders of one term", () => {
  test.each<[string | null, (Verdict | null)[]]>([
    [null, [undecided, undecided]],
    [null, [elected(1), follows(1)]],
    ["nodes 0 and 2 both lead", [elected(1), follows(1), elected(3)]],
    ["nodes 0 and 1 both lead", [elected(null), elected(null)]],
    [null, [elected(1, 1), elected(2, 2)]],
    [null, [elected(1), null]],
  ])("%s: %j", (what, verdicts) => {
    expect(atMostOneLeader.violated(view(verdicts))).toBe(what);
  });
});

describe("those who know name the same leader", () => {
  test.each<[string | null, (Verdict | null)[]]>([
    [null, [elected(1), follows(1), undecided]],
    ["node 0 follows 1, node 1 follows 2", [follows(1), follows(2)]],
    ["node 1 follows 1, node 2 follows 2", [undecided, elected(1), follows(2)]],
    [null, [follows(1, 1), follows(2, 2)]],
    [null, [follows(1), null]],
    [null, [follows(null), follows(2)]],
  ])("%s: %j", (what, verdicts) => {
    expect(agreement.violated(view(verdicts))).toBe(what);
  });
});

test("in the end somebody leads and everybody has decided; the crashed do not count", () => {
  expect(someLeader.violated(view([follows(1), undecided]))).toBe("nobody leads in the end");
  expect(someLeader.violated(view([follows(1), null]))).toBe("nobody leads in the end");
  expect(someLeader.violated(view([follows(1), elected(1)]))).toBeNull();
  expect(everyNodeDecides.violated(view([undecided, elected(1), undecided]))).toBe("node 0, 2 never decides");
  expect(everyNodeDecides.violated(view([null, elected(1), follows(1)]))).toBeNull();
});

test("in the end a leader was elected, which may have crashed since", () => {
  const nobody = "nobody was elected, not even a node that crashed since";
  const down = (verdicts: readonly (Verdict | null)[], led: Verdict, anonymous = false): View => ({
    ...view(verdicts, 0, anonymous),
    verdict: (node) => verdicts[node] ?? led,
  });
  expect(leaderElected.violated(view([elected(1), follows(1)]))).toBeNull();
  expect(leaderElected.violated(down([null, undecided], elected(1)))).toBeNull();
  // It crashed after it had announced itself, and before it took office.
  expect(leaderElected.violated(down([null, follows(1)], undecided))).toBeNull();
  expect(leaderElected.violated(down([null, follows(2)], undecided))).toBe(nobody);
  expect(leaderElected.violated(down([null, { ...undecided, leader: 1 }], undecided))).toBe(nobody);
  expect(leaderElected.violated(down([null, follows(null)], undecided, true))).toBe(nobody);
  expect(leaderElected.violated(view([follows(2), undecided]))).toBe(nobody);
});

test("in the end everybody names the leader, by its own id; the crashed do not count, and without ids nobody can", () => {
  expect(leaderKnown.violated(view([elected(1), follows(1), null]))).toBeNull();
  expect(leaderKnown.violated(view([elected(1), follows(null)]))).toBe("node 1 follows nobody, but 1 leads");
  expect(leaderKnown.violated(view([elected(2), follows(2)]))).toBe("node 0 follows 2, but 1 leads");
  expect(leaderKnown.violated(view([follows(null)]))).toBeNull();
  expect(leaderKnown.violated(view([elected(null), follows(null)], 0, true))).toBeNull();
});

test("in the end a protocol calls what was elected good, where it can say", () => {
  const told = (outcome: "none" | "one" | "many") => ({ ...view([elected(1), elected(2)]), outcome: () => outcome });
  for (const promise of [notTooMany, notTooFew]) {
    expect(promise.violated(view([elected(1)]))).toBeNull();
    expect(promise.violated(told("one"))).toBeNull();
  }
  expect(notTooMany.violated(told("many"))).toBe("too many are elected in the end: 2");
  expect(notTooMany.violated(told("none"))).toBeNull();
  expect(notTooFew.violated(told("none"))).toBe("too few are elected in the end: 2");
  expect(notTooFew.violated(told("many"))).toBeNull();
});

test("messages have a bound", () => {
  expect(messageBound(5).violated(view([], 5))).toBeNull();
  expect(messageBound(5).violated(view([], 6))).toBe("6 messages were sent, more than 5");
});

test("each property of an election is known by its name, and says when it is to hold", () => {
  expect(Object.values(propertyNames)).toEqual([...election, leaderKnown, leaderElected, notTooMany, notTooFew]);
  expect(election.map(({ when }) => when)).toEqual(["always", "always", "end", "end", "forever"]);
  expect(termination.violated(view([]))).not.toBeNull();
});
