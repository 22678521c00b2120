/** The suite of settings that docs/decisions/leases.md quotes has teeth: each fault of the table is found by the setting beside it. */
import { expect, test } from "vitest";
import { search } from "../../src/explorer/search/search.ts";
import { termination } from "../../src/properties/properties.ts";
import { effort, isLong } from "../support/effort.ts";
import { faulty, MUTANTS, QUOTED } from "./lease-mutants.ts";
import { comesToRest, leaseProblem, SAFE } from "./lease-problem.ts";

const properties = [...SAFE, comesToRest, termination];

/** Configurations of each setting without a fault: everything holds in them. */
const SOUND: readonly (readonly [string, number])[] = [
  ["drift", 30_209],
  ["gate", 1856],
  ...effort<(readonly [string, number])[]>(
    [],
    [
      ["pause", 29_172],
      ["alone", 43_112],
      ["later", 323_655],
      ["crash", 1_105_669],
    ],
  ),
];

test.each(SOUND)("%s: holds in all %i configurations", (setting, states) => {
  const found = search(leaseProblem(QUOTED[setting]), { properties });
  expect([found.violation?.what, found.complete, found.states]).toEqual([undefined, true, states]);
});

/** Which setting finds each fault; others may too. */
const TABLE: Readonly<Record<string, string>> = {
  "a deadline one instant late": "drift",
  "a deadline two instants late": "drift",
  "no deadline": "drift",
  "a deadline that counts from the answer": "drift",
  "a deadline that is a timer like any other": "drift",
  "an answer revives what had lapsed": "drift",
  "all lives of a process are one": "crash",
  "an old answer drops a new lease": "alone",
  "renews although nobody has acknowledged": "gate",
  "clocks are taken to be equal": "drift",
  "the margin is taken off twice the wrong way": "drift",
  "released before the work has ended": "pause",
  "takes a denial for a grant": "drift",
  "takes the next token for its own": "drift",
  "the engine frees a seat held by another client": "gate",
  "the engine does not extend a session that goes on": "later",
  "the engine ends leases an instant early": "drift",
  "the engine ends leases two instants early": "drift",
  "the engine gives a seat that is held": "drift",
  "the engine says renewed and does not renew": "drift",
  "the engine forgets its rows in a crash": "crash",
};

test("each fault has its setting", () => {
  expect(Object.keys(TABLE)).toEqual(Object.keys(MUTANTS));
});

/** In `npm test` one that was missed before, and two that are found at once. */
const QUICK = [
  "a deadline one instant late",
  "renews although nobody has acknowledged",
  "the engine frees a seat held by another client",
];
const tried = Object.entries(TABLE).filter(([fault]) => isLong || QUICK.includes(fault));

test.each(tried)("%s: %s", (fault, setting) => {
  const { violation } = search(leaseProblem(faulty(QUOTED[setting], MUTANTS[fault])), { properties });
  expect(violation).not.toBeNull();
});
