/** How claims travel: as notes, and as messages to few or many. */
import { describe, expect, test } from "vitest";
import { known, LoneMember, lifeOf } from "../../../test/support/lone-member.ts";
import { newOffice, type Turn } from "../state.ts";
import type { Claim } from "./messages.ts";
import {
  claimIn,
  holderIn,
  inform,
  proclaimEnd,
  publishClaim,
  publishedSetting,
  publishSetting,
  push,
  sayTo,
  spreadClaim,
} from "./speaking.ts";

const CLAIM: Claim = {
  office: "leader",
  term: 3,
  number: 2,
  holder: "m0",
  life: lifeOf(0),
  setting: null,
  former: null,
  heir: null,
  invitation: null,
};
const BEHIND = { holder: "m9", life: 9, token: 4 };
const ENDED = { holder: null, former: "m0", heir: "m1" };

/** m0 among this many, as what the elector says. */
function speaker(n: number, led = 0) {
  const it = new LoneMember(n);
  const said: { to: number; kind: string; passes?: number }[] = [];
  const send = (to: number, message: { kind: string; passes?: number }) => {
    said.push({ to, kind: message.kind, ...(message.passes === undefined ? {} : { passes: message.passes }) });
  };
  const state = {
    name: "m0",
    life: lifeOf(0),
    members: it.state,
    led: new Set(Array.from({ length: led }, (_, i) => `o${i}`)),
  };
  const turn = { state, ctx: { ...it.ctx, send } } as unknown as Turn;
  return { it, turn, said };
}

describe("a claim as a note comes back as it was", () => {
  test.each<readonly [string, Partial<Claim>, string, readonly [number, number]]>([
    ["without leases", {}, "office/leader", [3, 2]],
    ["that has ended", ENDED, "office/leader", [3, 2]],
    ["of an applicant", { token: 0 }, "asker/leader", [3, 2]],
    ["of an applicant that names the holder", { token: 0, behind: BEHIND }, "asker/leader", [3, 2]],
    ["with a token", { token: 1 }, "office/leader", [1, 2]],
    ["with a token that has ended", { token: 8, ...ENDED }, "office/leader", [8, 2]],
  ])("%s", (_, changes, key, order) => {
    const claim = { ...CLAIM, ...changes };
    const { it, turn } = speaker(4);
    publishClaim(turn, claim, false);
    const note = it.state.notes.get(key)!;
    expect(note.order).toEqual(order);
    expect(claimIn(key, note.order, note.value)).toEqual(claim);
    expect(it.state.rumours.get(`n${key}`)).toBe(0);
  });

  test("is no rumour where everybody was told", () => {
    const { it, turn } = speaker(4);
    for (const claim of [CLAIM, { ...CLAIM, token: 0 }, { ...CLAIM, token: 5, number: 9 }]) {
      publishClaim(turn, claim, true);
    }
    expect([it.state.notes.size, it.state.rumours.size]).toEqual([2, 0]);
  });

  test.each([
    ["watch/leader", ["a", 1, null, null]],
    ["office/leader", ["a", 1, null]],
    ["office/leader", ["a", 1, null, null, 3, 3]],
    ["office/leader", { length: 4 }],
    ["office/leader", [1, 1, null, null]],
    ["office/leader", ["a", 1, null, null, -1]],
    ["asker/leader", ["a", 1, null, {}]],
    ["office/", ["a", 1, null, null]],
  ])("a note %s %j is no claim", (key, value) => {
    expect(claimIn(key, [1, 0], value)).toBeNull();
  });

  test("the setting of a holder is published where it has changed, above what was published before", () => {
    const { it, turn } = speaker(4);
    const setting = {
      protocol: "p",
      params: {},
      n: 3,
      loss: 0,
      lossLow: 0,
      lossFrom: "measured",
      epsilon: null,
    } as const;
    const published = () => it.state.notes.get("setting/m0")?.order;
    publishSetting(turn, setting);
    publishSetting(turn, { ...setting });
    expect(published()).toEqual([1, 0]);
    publishSetting(turn, { ...setting, n: 4 });
    expect(published()).toEqual([2, 0]);
    expect(publishedSetting(turn, { name: "m0", life: lifeOf(0) })).toEqual({ ...setting, n: 4 });
    expect(publishedSetting(turn, { name: "m0", life: 5 })).toBeNull();
    expect(publishedSetting(turn, { name: "m1", life: lifeOf(1) })).toBeNull();
    it.state.notes.set("setting/m1", { key: "setting/m1", order: [1, 0], value: { life: lifeOf(1), setting: 1 } });
    expect(publishedSetting(turn, { name: "m1", life: lifeOf(1) })).toBeNull();
  });

  test("settings are notes of their holder", () => {
    expect(["setting/ann", "setting/", "office/ann"].map(holderIn)).toEqual(["ann", "", null]);
  });
});

describe("a claim is said", () => {
  test.each([
    [1, 0, 0],
    [2, 1, 0],
    [64, 63, 0],
    [65, 9, 1],
    [1000, 11, 1],
  ])("among %i members to %i of them, to be passed on %i times", (n, told, passes) => {
    const { turn, said } = speaker(n);
    spreadClaim(turn, CLAIM);
    expect(new Set(said.map(({ to }) => to)).size).toBe(told);
    for (const each of said) expect([each.kind, each.passes, each.to === 0]).toEqual(["claim", passes, false]);
  });

  test("on to so many others by each that hears it first", () => {
    for (const [n, told] of [
      [2, 1],
      [5, 4],
      [20, 7],
    ]) {
      const { turn, said } = speaker(n);
      push(turn, CLAIM);
      expect(said).toHaveLength(told);
    }
  });

  test.each([
    [16, 3],
    [17, 0],
  ])("at its end by a member that holds %i offices to %i", (led, told) => {
    const { it, turn, said } = speaker(4, led);
    proclaimEnd(turn, { ...CLAIM, ...ENDED });
    expect(said).toHaveLength(told);
    expect(it.state.rumours.has("noffice/leader")).toBe(true);
  });

  test("neither to this member itself, nor to one that is not known, nor to a dead one", () => {
    const { it, turn, said } = speaker(4);
    it.state.members.set("m3", known(3, { status: "failed" }));
    for (const name of ["m0", "m9", "m1"]) sayTo(turn, name, { kind: "who", office: "leader", term: 1 });
    expect(said.map(({ to }) => to)).toEqual([1]);
  });

  test.each<readonly [string, object, readonly string[]]>([
    ["a claim of this term", { claim: CLAIM }, ["claim"]],
    ["a claim of a former term", { claim: { ...CLAIM, term: 2 } }, ["claim", "term"]],
    ["a claim and an applicant", { claim: { ...CLAIM, term: 2 }, applicant: CLAIM }, ["claim", "claim"]],
    ["an applicant", { applicant: CLAIM }, ["claim"]],
    ["neither", {}, ["term"]],
  ])("to one who knows less: %s", (_, changes, kinds) => {
    const { turn, said } = speaker(4);
    const office = { ...newOffice("leader", true, 3), ...changes };
    inform(turn, office, known(1));
    expect(said.map(({ to, kind, passes }) => [to, kind, passes])).toEqual(
      kinds.map((kind) => [1, kind, kind === "claim" ? 0 : undefined]),
    );
    inform(turn, office, null);
    expect(said).toHaveLength(kinds.length);
  });
});
