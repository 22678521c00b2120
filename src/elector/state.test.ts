/** What a member saves, and what it reads again: files may hold anything that has a right checksum. */
import { expect, test } from "vitest";
import { COUNT, type Field, shaped, wrong } from "../../test/support/door.ts";
import {
  isSaved,
  newOffice,
  officeNamed,
  raiseTerm,
  raiseToken,
  type Saved,
  savedTerm,
  stopWaiting,
  type Turn,
} from "./state.ts";

const COUNTS: Field = [
  [{}, ...COUNT[0].map((count) => ({ leader: 1, other: count }))],
  [null, 1, "x", [], [1], ...COUNT[1].map((count) => ({ leader: 1, other: count }))],
];
const NAME: Field = [
  ["", "x"],
  [1, null, undefined],
];

test("only names, terms and tokens that are counts are read; tokens may be missing", () => {
  expect(wrong(isSaved, shaped({ name: NAME, terms: COUNTS }))).toEqual([]);
  const withTokens = (tokens: unknown) => isSaved({ name: "x", terms: {}, tokens });
  expect(wrong(withTokens, [[undefined, ...COUNTS[0]], COUNTS[1]])).toEqual([]);
  expect(isSaved({ name: "x", terms: null, tokens: {} })).toBe(false);
});

function turn(kept: Partial<Saved> = {}) {
  const saved: Saved = { name: "x", terms: {}, ...kept };
  const state = { kept: saved, offices: new Map(), touched: new Set<string>() };
  return { it: { state } as unknown as Turn, state };
}

test("of an office that was not saved the term is 0, also where its name is that of what every object has", () => {
  const saved = { name: "x", terms: { leader: 3 } };
  expect(["leader", "other", "toString", "constructor"].map((name) => savedTerm(saved, name))).toEqual([3, 0, 0, 0]);
});

test.each<readonly [Saved["tokens"] | undefined, number, number | undefined]>([
  [undefined, 1, 1],
  [undefined, 0, undefined],
  [{ leader: 5, other: 9 }, 4, 5],
  [{ leader: 5, other: 9 }, 6, 6],
  [{ other: 9 }, 1, 1],
])("after tokens %j, token %i makes it %j", (tokens, token, after) => {
  const { it, state } = turn(tokens === undefined ? {} : { tokens });
  const before = state.kept;
  raiseToken(it, "leader", token);
  expect(state.kept.tokens?.leader).toBe(after);
  expect(state.kept.tokens?.other).toBe(tokens?.other);
  expect(state.kept === before).toBe(after === tokens?.leader);
  raiseToken(it, "leader", after ?? 0);
  expect(state.kept.tokens?.leader).toBe(after);
});

test("a term that is raised is saved, beside those of other offices", () => {
  const { it, state } = turn({ terms: { leader: 1, other: 2 } });
  const office = newOffice("leader", true, 1);
  raiseTerm(it, office, 4);
  expect([office.term, state.kept.terms, [...state.touched]]).toEqual([4, { leader: 4, other: 2 }, ["leader"]]);
});

test("an office begins to exist when it is first heard of, in the term that was saved, up to 4,096 of them", () => {
  const { it, state } = turn({ terms: { leader: 7 } });
  const office = officeNamed(it, "leader")!;
  expect(office).toEqual(newOffice("leader", false, 7));
  expect(officeNamed(it, "leader")).toBe(office);
  expect([...state.touched]).toEqual(["leader"]);
  for (let i = 1; i < 4095; i++) state.offices.set(`o${i}`, office);
  expect(officeNamed(it, "last")).not.toBeNull();
  expect([officeNamed(it, "more"), officeNamed(it, "leader")]).toEqual([null, office]);
});

test("of an office that is new nothing is known but its term: nobody has tried, asked or reminded", () => {
  expect(newOffice("o", true, 3)).toEqual({
    name: "o",
    wanted: true,
    term: 3,
    joinedTerm: 3,
    claim: null,
    holderSeen: false,
    former: null,
    setting: null,
    applicant: null,
    applicantSeen: false,
    withdrawals: 0,
    election: null,
    failedTries: 0,
    inquiredAtTry: -1,
    isWinnerUnheard: false,
    remindedTerm: -1,
    requestedTerm: 0,
    requestedPlace: 0,
    waitingPlace: null,
    isDue: false,
    isUrgent: false,
    hasWon: false,
    isHeir: false,
    needsCandidates: false,
    isUnannounced: false,
    toldTerm: false,
    resigns: null,
  });
});

test("a wait that ends disarms its timer, and where none is nothing is disarmed", () => {
  const disarmed: string[] = [];
  const turn = { ctx: { disarm: (timer: string) => void disarmed.push(timer) } } as unknown as Turn;
  const office = { ...newOffice("o", true, 3), waitingPlace: 0, isDue: true };
  stopWaiting(turn, office);
  expect([office.waitingPlace, office.isDue, disarmed]).toEqual([null, false, ["stand/o"]]);
  stopWaiting(turn, office);
  expect(disarmed).toHaveLength(1);
});
