/** Who holds an office, for each thing that a member may know of the holder and of the applicant. */
import { describe, expect, test } from "vitest";
import { known, LoneMember, lifeOf } from "../../test/support/lone-member.ts";
import { holderPresence, isMine, isOccupied, occupancy, rememberHolder } from "./presence.ts";
import { newOffice, type Office, type Turn } from "./state.ts";
import type { Claim } from "./talk/messages.ts";

/** m0, which knows m1 and m2; m3 has died, and m9 was never met. */
const { state: members } = new LoneMember(4);
members.members.set("m3", known(3, { status: "failed" }));
const by = (node: number, life = lifeOf(node)) => ({ holder: `m${node}`, life }) as Claim;
const ENDED = { holder: null, life: lifeOf(1), former: "m1" } as Claim;
const turnWith = (applies = false) =>
  ({
    state: { name: "m0", life: lifeOf(0), members, applications: new Map(applies ? [["leader", {}]] : []) },
  }) as unknown as Turn;
const officeWith = (changes: Partial<Office>): Office => ({ ...newOffice("leader", true, 1), ...changes });

test.each<readonly [string, Claim | null, boolean, string]>([
  ["no claim", null, false, "vacant"],
  ["a claim that has ended", ENDED, false, "vacant"],
  ["this very member", by(0), false, "held"],
  ["another life of this member", by(0, 5), false, "vacant"],
  ["a live member", by(1), false, "held"],
  ["a live member that was seen", by(1), true, "held"],
  ["another life of a live member", by(1, 5), false, "unknown"],
  ["another life of a live member, which was seen", by(1, 5), true, "vacant"],
  ["a dead member", by(3), false, "vacant"],
  ["a member that was never met", by(9), false, "unknown"],
  ["a member that is forgotten", by(9), true, "vacant"],
])("an office with %s", (_, claim, holderSeen, presence) => {
  const office = officeWith({ claim, holderSeen });
  expect(holderPresence(turnWith(), office)).toBe(presence);
  expect(occupancy(turnWith(), office)).toBe(presence);
  expect(isOccupied(turnWith(), office)).toBe(presence === "held");
  expect(isMine(turnWith(), claim)).toBe(claim?.holder === "m0" && claim.life === lifeOf(0));
});

describe("with an applicant", () => {
  test.each<readonly [string, Partial<Office>, boolean, string]>([
    ["that lives", { applicant: by(2) }, false, "awaited"],
    ["that is this member", { applicant: by(0) }, true, "awaited"],
    ["that is this member, which applies no longer", { applicant: by(0) }, false, "vacant"],
    ["that has died", { applicant: by(3) }, false, "vacant"],
    ["that was never met", { applicant: by(9) }, false, "unknown"],
    ["that was seen, and is forgotten", { applicant: by(9), applicantSeen: true }, false, "vacant"],
    ["that has withdrawn", { applicant: ENDED }, false, "vacant"],
    ["beside a live holder", { claim: by(1), applicant: by(2) }, false, "held"],
    ["that has withdrawn, beside a live holder", { claim: by(1), applicant: ENDED }, false, "held"],
    ["beside a dead holder", { claim: by(3), applicant: by(2) }, false, "awaited"],
    ["that has died, beside a holder that was never met", { claim: by(9), applicant: by(3) }, false, "vacant"],
    ["that has withdrawn, beside a holder that was never met", { claim: by(9), applicant: ENDED }, true, "unknown"],
  ])("%s", (_, changes, applies, presence) => {
    const office = officeWith(changes);
    expect(occupancy(turnWith(applies), office)).toBe(presence);
    expect(isOccupied(turnWith(applies), office)).toBe(["held", "awaited"].includes(presence));
  });
});

test("who held it before is the holder of the last claim that had one", () => {
  const office = officeWith({ claim: by(1) });
  rememberHolder(office);
  for (const claim of [ENDED, null]) {
    office.claim = claim;
    rememberHolder(office);
  }
  expect(office.former).toEqual({ name: "m1", life: lifeOf(1) });
});
