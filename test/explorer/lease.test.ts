/**
 * Lease clients and the simulated engine under every schedule: messages that take one or two instants and overtake each other, and
 * up to this many faults at any moment. `SHORT` is a lease of 4 instants, too short to be renewed over such links; `LONG` one of 8, of
 * which a client uses 6, that lives from its renewals. Clocks may be an instant apart.
 */
import { describe, expect, test } from "vitest";
import { search } from "../../src/explorer/search/search.ts";
import { type Property, termination } from "../../src/properties/properties.ts";
import { effort } from "../support/effort.ts";
import {
  doesNotExtend,
  doesNotWait,
  dropsBySeat,
  fromTheAnswer,
  lateTimer,
  livesAsOne,
  releasesAnybody,
  repeatsTokens,
  revives,
} from "./lease-bugs.ts";
import { type GuardBug, guard, refusedRightly, writesInOrder, writesTo } from "./lease-guard.ts";
import { comesToRest, exploredEngine, type LeaseCase, leaseProblem, SAFE } from "./lease-problem.ts";

const SHORT = { ttl: 4 } as const;
const LONG = { ttl: 8, settleWithin: 4 } as const;

/** Somebody outside holds the work, and has to know each confirmation before the next one is asked for. */
const GATED = { ...LONG, gated: true } as const;

type Explored = readonly [about: string, states: number | null, given: LeaseCase];
type Planted = readonly [about: string, given: LeaseCase, broken: string];

/** With the number of configurations: when it changes, so has what is explored. (Of the larger ones: docs/decisions/leases.md.) */
const QUICK: readonly Explored[] = [
  ["short", 10_227, { times: SHORT }],
  ["short, any order in an instant", 2684, { script: { leases: 1 }, ties: true, budget: { drifts: 1 } }],
  ["long, any order in an instant", 9917, { times: LONG, script: { leases: 1, holds: 4 }, ties: true }],
  ["short, three of them", 1438, { clients: 3, script: { leases: 1 } }],
  ["short, two seats", 17_913, { script: { seats: ["s", "t"] } }],
  ["long", 17_419, { times: { ...LONG }, script: { holds: 4 } }],
  ["long, one is paused", 29_172, { times: LONG, script: { leases: 1, holds: 4 }, budget: { pauses: 1 } }],
  [
    "long, lost and doubled",
    13_354,
    { times: LONG, script: { leases: 1, holds: 4 }, budget: { drops: 1, duplicates: 1 } },
  ],
  ["long, work that does not end in time", 755, { times: LONG, script: { leases: 1, holds: 2, ends: 5 } }],
  ["long, pre-emption", 19_231, { times: { ...LONG, preemptible: true }, script: { holds: 6, preempts: true } }],
  ["long, hand-over", 15_327, { times: LONG, script: { holds: 4 }, handsOver: true }],
  ["gated", 765, { times: GATED, script: { leases: 1, holds: 4, acknowledges: 1 } }],
  [
    "gated, two seats",
    4385,
    { times: GATED, clients: 1, script: { seats: ["s", "t"], holds: 4, keeps: 6, acknowledges: 1 } },
  ],
  ["gated, known too late", 221, { times: GATED, script: { leases: 1, holds: 4, acknowledges: 7 } }],
  ["short, crash and restart", 21_266, { script: { leases: 1 }, budget: { crashes: 1, restarts: 1 } }],
];

const FULL: readonly Explored[] = [
  ["short, one is paused and clocks drift", 52_146, { script: { leases: 1 }, budget: { pauses: 1, drifts: 1 } }],
  ["short, three of them, one is paused", 42_742, { clients: 3, script: { leases: 1 }, budget: { pauses: 1 } }],
  [
    "gated, one is paused",
    28_524,
    { times: GATED, script: { leases: 1, holds: 4, acknowledges: 1 }, budget: { pauses: 1 } },
  ],
  [
    "long, crash and restart",
    null,
    { times: LONG, script: { leases: 1, holds: 4 }, budget: { crashes: 1, restarts: 1 } },
  ],
  ["short, one is paused and clocks drift", null, { budget: { pauses: 1, drifts: 1 } }],
  ["short, three of them", null, { clients: 3 }],
  ["short, lost and doubled", null, { budget: { drops: 1, duplicates: 1 } }],
  ["short, crash and restart", null, { budget: { crashes: 1, restarts: 1 } }],
  ["short, crash, restart and pause", null, { script: { leases: 1 }, budget: { crashes: 1, restarts: 1, pauses: 1 } }],
  ["long, one is paused", null, { times: LONG, script: { holds: 4 }, budget: { pauses: 1 } }],
  ["long, pause and drift", null, { times: LONG, script: { leases: 1, holds: 4 }, budget: { pauses: 1, drifts: 1 } }],
  ["long, lost", null, { times: LONG, script: { holds: 4 }, budget: { drops: 1 } }],
  [
    "long, pre-emption, lost",
    null,
    { times: { ...LONG, preemptible: true }, script: { holds: 6, preempts: true }, budget: { drops: 1 } },
  ],
  ["long, hand-over, lost", null, { times: LONG, script: { holds: 4 }, handsOver: true, budget: { drops: 1 } }],
];

describe("a node that believes to hold a lease has it in the engine, and in the end all are free", () => {
  test.each([...QUICK, ...effort([], FULL)])("%s", (_about, states, given) => {
    const found = search(leaseProblem(given), { properties: [...SAFE, comesToRest, termination] });
    expect(found.violation?.what).toBeUndefined();
    expect(found.complete).toBe(true);
    if (states !== null) expect(found.states).toBe(states);
  });
});

describe("a planted bug is found:", () => {
  const two = { seats: ["s", "t"], leases: 3 };
  const bugs: readonly Planted[] = [
    [
      "an answer revives what had lapsed",
      { client: revives(), times: LONG, script: { holds: 4 }, budget: { drops: 1 } },
      "holders-hold",
    ],
    [
      "a deadline counts from the answer",
      { client: fromTheAnswer(), times: SHORT, script: { holds: 4 }, budget: { drifts: 1 } },
      "holders-hold",
    ],
    [
      "who wakes late hears messages first",
      { client: lateTimer(), times: LONG, script: { holds: 4 }, budget: { pauses: 1 } },
      "holders-hold",
    ],
    [
      "released before the work has ended",
      { times: { ...LONG, settles: false }, script: { holds: 4, ends: 3 } },
      "holders-hold",
    ],
    [
      "renewed although nobody has acknowledged",
      { client: doesNotWait(), times: GATED, script: { holds: 4, acknowledges: 4 } },
      "one-behind",
    ],
    [
      "a former life is taken for this one",
      { client: livesAsOne(), script: { holds: 1 }, budget: { crashes: 1, restarts: 1 } },
      "holders-hold",
    ],
    [
      "an old answer drops a new lease",
      { client: dropsBySeat(), clients: 1, times: LONG, script: { ...two, holds: 1, keeps: 12, ends: 0 } },
      "gone-is-gone",
    ],
    [
      "a late release frees its successor",
      { engine: releasesAnybody(exploredEngine()), times: LONG, script: { holds: 1 }, budget: { duplicates: 1 } },
      "holders-hold",
    ],
    [
      "a seat is granted to a session that is not extended",
      { engine: doesNotExtend(exploredEngine()), script: { ...two, holds: 4, later: 2 } },
      "holders-hold",
    ],
  ];
  test.each(bugs)("%s", (_about, given, broken) => {
    const { violation } = search(leaseProblem(given), { properties: SAFE });
    expect(violation?.property).toBe(broken);
  });
});

describe("the guard with two writers", () => {
  const guarded = (given: LeaseCase, writes: number, properties: readonly Property[], bug?: GuardBug) =>
    search(
      leaseProblem({
        guard: guard(bug),
        besides: writesTo(3, writes),
        ...given,
        script: { holds: 1, ends: 0, ...given.script },
      }),
      { properties },
    );
  const restored = { engine: repeatsTokens(exploredEngine()) };

  const cases: readonly (readonly [string, LeaseCase, number])[] = [
    ["two writes each", {}, 2],
    ["one is paused", { script: { leases: 1 }, budget: { pauses: 1 } }, 1],
    ...effort<readonly (readonly [string, LeaseCase, number])[]>(
      [],
      [["both hold, one is paused", { budget: { pauses: 1 } }, 1]],
    ),
  ];
  test.each(cases)("takes writes in the order of tokens, and refuses only older ones: %s", (_about, given, writes) => {
    const found = guarded(given, writes, [...SAFE, writesInOrder, refusedRightly, comesToRest, termination]);
    expect([found.violation?.what, found.complete]).toEqual([undefined, true]);
  });

  test("and of two leases under one token only the first that came", () => {
    expect(guarded(restored, 1, [writesInOrder, termination])).toMatchObject({ violation: null, complete: true });
    expect(guarded(restored, 1, [writesInOrder], "equal-token").violation?.property).toBe("writes-in-order");
  });

  test("a planted bug is found: < for <=, and a check that holds no lock until the write", () => {
    expect(guarded({}, 2, [refusedRightly], "strictly-newer").violation?.property).toBe("refused-rightly");
    expect(guarded({}, 2, [writesInOrder], "unlocked").violation?.property).toBe("writes-in-order");
  });
});
