/** Records of members and the indexes over them: tables of which is newer, and every index after each change. */
import { describe, expect, test } from "vitest";
import { entry, known, LoneMember, lifeOf } from "../../../test/support/lone-member.ts";
import { accuse } from "./hear.ts";
import type { MembershipMessage } from "./messages.ts";
import { compareOrders, isLiveStatus, isNewer, isSameRecord, type KnownMember, toEntry, toMember } from "./records.ts";
import { partOf } from "./sums.ts";
import { forget, ofLife, sampleHeard, sampleLive, store } from "./view.ts";

const gossip = (from: number, ...members: ReturnType<typeof entry>[]): MembershipMessage => ({
  kind: "gossip",
  from: lifeOf(from),
  members,
});

describe("of two records of a name", () => {
  test.each<readonly [string, Partial<KnownMember>, Partial<KnownMember>]>([
    ["the larger incarnation", { incarnation: 2, life: 1 }, { incarnation: 1, life: 2, status: "left" }],
    ["in one incarnation the larger life", { life: 2 }, { life: 1, status: "left" }],
    ["of one life and incarnation the suspicion", { status: "suspect" }, { status: "alive" }],
    ["of one life and incarnation the failure", { status: "failed" }, { status: "suspect" }],
    ["of one life and incarnation the farewell", { status: "left" }, { status: "failed" }],
  ])("%s is newer", (_, newer, older) => {
    expect([isNewer(known(1, newer), known(1, older)), isNewer(known(1, older), known(1, newer))]).toEqual([
      true,
      false,
    ]);
    expect(isSameRecord(known(1, newer), known(1, older))).toBe(false);
  });

  test("neither is newer where life, incarnation and status are the same, whatever else they say", () => {
    const [one, other] = [known(1), known(1, { address: "9", meta: { a: 1 } })];
    expect([isNewer(one, other), isNewer(other, one), isSameRecord(one, other)]).toEqual([false, false, true]);
  });

  test.each([
    [[1, 0], [1, 0], 0],
    [[2, 0], [1, 9], 1],
    [[1, 1], [1, 0], 1],
    [[0, 9], [1, 0], -1],
  ] as const)("orders of notes: %j and %j", (a, b, sign) => {
    expect(Math.sign(compareOrders(a, b))).toBe(sign);
  });
});

test.each([
  ["address", { address: "9" }, false],
  ["meta", { meta: { a: [1, { b: 3 }] } }, false],
  ["order of the fields of meta", { meta: { c: 0, a: [1, { b: 2 }] } }, false],
  ["life", { life: 5 }, false],
  ["incarnation", { incarnation: 5 }, false],
  ["status", { status: "left" }, false],
  ["nothing", {}, true],
] as const)("two messages share a record where they differ in %s: %#", (_, changes, isShared) => {
  const first = known(1, { meta: { a: [1, { b: 2 }], c: 0 } });
  const read = (member: KnownMember) => toMember(JSON.parse(JSON.stringify(toEntry(member))));
  const kept = read(first);
  const next = { ...first, ...changes };
  expect(read(next) === kept).toBe(isShared);
  expect(read(next)).toEqual(next);
});

test.each([
  [null, {}],
  [[], {}],
  [{ a: 1 }, { a: 1, b: 2 }],
  [{ a: 1, b: 2 }, { a: 1 }],
  [{ a: 1 }, { b: 1 }],
  [1, "1"],
  [{ a: null }, { a: {} }],
])("meta %j and %j are two records", (one, other) => {
  for (const meta of [one, other, one]) expect(toMember(entry(1, { meta })).meta).toEqual(meta);
});

describe("the view after each change", () => {
  /** Every index, computed anew from the records. */
  function expected({ state }: LoneMember) {
    const members = [...state.members.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
    const live = members.filter(({ status }) => isLiveStatus(status));
    return {
      live: live.map(({ name }) => name),
      lives: new Map(members.map(({ life, name }) => [life, name])),
      buried: new Set(members.filter(({ status }) => !isLiveStatus(status)).map(({ name }) => name)),
      subjects: new Set(members.map(({ name }) => `m${name}`)),
      order: live.map(({ name }) => name).filter((name) => name !== "m0"),
    };
  }
  const actual = ({ state }: LoneMember) => ({
    live: state.live.map(({ name }) => name),
    lives: state.lives,
    buried: new Set(state.buried.keys()),
    subjects: new Set(state.parts.flatMap(({ subjects }) => [...subjects.keys()])),
    // The dead are dropped from it when it is their turn.
    order: state.order.filter((name) => state.live.some((member) => member.name === name)).sort(),
  });
  const sums = ({ state }: LoneMember) => state.parts.map(({ sum }) => sum);

  test("agrees with the records: a newcomer, a suspicion, a death, another life, a return, and one that is forgotten", () => {
    const it = new LoneMember(5);
    const steps: readonly [KnownMember, number][] = [
      [known(25), 1],
      [known(3, { status: "suspect" }), 0],
      [known(3, { status: "failed" }), 1],
      [known(3, { status: "left" }), 0],
      [known(3, { life: 77, incarnation: 1 }), 1],
      [known(3, { life: 78, incarnation: 2 }), 1],
      [known(2, { status: "left" }), 1],
    ];
    for (const [member, changes] of steps) {
      const { version } = it.state;
      it.act((state, ctx) => store(state, member, ctx));
      expect(actual(it)).toEqual(expected(it));
      expect(it.state.version - version).toBe(changes);
      expect(ofLife(it.state, member.life)).toBe(member);
    }
    expect(ofLife(it.state, lifeOf(3))).toBeUndefined();
    it.act((state, ctx) => forget(state, "m2", ctx));
    expect(actual(it)).toEqual(expected(it));
    expect(it.state.members.has("m2")).toBe(false);
    for (const name of ["m3", "m0", "nobody"]) it.act((state, ctx) => forget(state, name, ctx));
    expect(it.state.members.size).toBe(5);
  });

  test("has the sums of the live alone: a suspicion changes none, a death that of its part, and a return brings it back", () => {
    const it = new LoneMember(5);
    const before = sums(it);
    const set = (changes: Partial<KnownMember>) => it.act((state, ctx) => store(state, known(3, changes), ctx));
    set({ status: "suspect" });
    expect(sums(it)).toEqual(before);
    set({ status: "failed" });
    const part = partOf("mm3");
    expect(sums(it).flatMap((sum, i) => (sum === before[i] ? [] : [i]))).toEqual([part]);
    set({ status: "left" });
    it.act((state, ctx) => forget(state, "m3", ctx));
    const without = sums(it);
    expect(without).toEqual(sums(new LoneMember(5)).map((sum, i) => (i === part ? without[i] : sum)));
    set({});
    expect(sums(it)).toEqual(before);
    set({ incarnation: 1 });
    expect(sums(it)).not.toEqual(before);
  });

  test("a dead member is no longer counted as silent, and its link ends when nobody else is at its address", () => {
    const it = new LoneMember(5);
    it.state.silent.add("m3");
    it.act((state, ctx) => {
      store(state, known(3, { status: "failed" }), ctx);
      store(state, known(4, { status: "failed", address: "2" }), ctx);
      store(state, known(9, { status: "failed", address: "0" }), ctx);
      for (const name of ["m3", "m4", "m9"]) forget(state, name, ctx);
    });
    expect([it.state.silent.size, it.unlinked]).toEqual([0, [3]]);
  });

  test.each([
    [0, []],
    [2, 2],
    [9, 5],
  ])("a sample of %i has distinct live others, and each can be drawn", (k, size) => {
    const it = new LoneMember(6);
    it.act((state, ctx) => store(state, known(3, { status: "suspect" }), ctx));
    const drawn = new Set<string>();
    for (let lot = 0; lot < 6; lot++) {
      it.choose = (n) => lot % n;
      const names = sampleLive(it.state, k, it.ctx).map(({ name }) => name);
      expect(new Set(names).size).toBe(k === 0 ? 0 : size);
      expect(names).not.toContain("m0");
      for (const name of names) drawn.add(name);
    }
    expect([...drawn].sort()).toEqual(k === 0 ? [] : ["m1", "m2", "m3", "m4", "m5"]);
  });

  test("who was found silent, here or by enough others, comes last in a sample of those to tell", () => {
    const it = new LoneMember(6);
    it.state.silent.add("m1");
    it.hear(3, gossip(3, entry(2, { status: "suspect" }, [11, 12, 13, 14]), entry(4, { status: "suspect" }, [11])));
    for (let lot = 0; lot < 5; lot++) {
      it.choose = (n) => lot % n;
      const names = sampleHeard(it.state, 3, it.ctx).map(({ name }) => name);
      expect(names.sort()).toEqual(["m3", "m4", "m5"]);
      expect(sampleHeard(it.state, 9, it.ctx).map(({ name }) => name)).toHaveLength(5);
    }
  });
});

describe("a suspicion", () => {
  const suspect = (it: LoneMember, node: number, by: readonly number[]) =>
    it.hear(1, gossip(1, entry(node, { status: "suspect" }, by)));

  test.each([
    [3, 3],
    [4, 4],
    [5, 4],
  ])("heard with %i accusers has %i", (said, kept) => {
    const it = new LoneMember(12);
    suspect(
      it,
      3,
      Array.from({ length: said }, (_, i) => lifeOf(4 + i)),
    );
    expect(it.state.suspicions.get("m3")?.by).toHaveLength(kept);
  });

  test("of others that this member shares counts it among the accusers, and is told on", () => {
    const it = new LoneMember(8);
    suspect(it, 3, [lifeOf(4)]);
    it.tick(9);
    it.act((state, ctx) => accuse(state, "m3", ctx));
    expect(it.state.suspicions.get("m3")?.by).toEqual([lifeOf(4), lifeOf(0)]);
    expect(it.state.rumours.get("mm3")).toBe(0);
    it.act((state, ctx) => accuse(state, "nobody", ctx));
    expect(it.state.suspicions.size).toBe(1);
  });

  test("by this member is told on at once", () => {
    const it = new LoneMember(8);
    it.act((state, ctx) => accuse(state, "m3", ctx));
    expect(it.state.rumours.get("mm3")).toBe(0);
  });

  test.each([
    ["the first of all", 0, 5],
    ["one that had its turn", 2, 5],
    ["the one whose turn it is", 5, 5],
    ["one that waits for its turn", 9, 5],
    ["one, where nobody had a turn", 9, 0],
  ])("in a large group: %s is probed next, and all others keep or get their turn", (_, at, turn) => {
    const it = new LoneMember(300);
    it.state.turn = turn;
    const before = [...it.state.order];
    const waiting = new Set(before.slice(turn));
    suspect(it, Number(before[at].slice(1)), [lifeOf(1)]);
    const after = it.state.order;
    expect([...after].sort()).toEqual([...before].sort());
    expect(after[it.state.turn]).toBe(before[at]);
    expect(it.state.probeAt).toBe(it.state.now);
    const stillWaiting = new Set(after.slice(it.state.turn));
    for (const name of waiting) expect(stillWaiting.has(name)).toBe(true);
    expect(stillWaiting.size).toBe(waiting.size + (at < turn ? 1 : 0));
  });
});
