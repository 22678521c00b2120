/** Offices as users write them, what a user can tell a member, and what a member is at the beginning. */
import { beforeAll, describe, expect, test } from "vitest";
import { groupStateOf } from "../../test/support/elector-run.ts";
import { runGroup } from "../../test/support/group-run.ts";
import { LoneMember } from "../../test/support/lone-member.ts";
import { oneMember } from "../../test/support/one-handler.ts";
import { InputError } from "../errors.ts";
import { encodedSize } from "../wire/codec.ts";
import { group } from "./group.ts";
import { groupParams, rangesOf, readOffice, seatsOf } from "./params.ts";

describe("offices as users write them", () => {
  test.each([
    ["leader", { name: "leader", seats: 1, range: null }],
    ["a".repeat(64), { name: "a".repeat(64), seats: 1, range: null }],
    ["ä".repeat(32), { name: "ä".repeat(32), seats: 1, range: null }],
    ["s:1", { name: "s", seats: 1, range: null }],
    ["s:1000", { name: "s", seats: 1000, range: null }],
    ["c:1..1", { name: "c", seats: 1, range: { L: 1, U: 1 } }],
    ["c:3..1000", { name: "c", seats: 1, range: { L: 3, U: 1000 } }],
  ])("%s", (given, spec) => {
    expect(readOffice(given)).toEqual(spec);
  });

  test.each([
    ["", "is no office"],
    ["a b", "is no office"],
    ["a/b", "is no office"],
    ["a#1", "is no office"],
    ["a:b", "is no office"],
    ["a:3..", "is no office"],
    ["__proto__", "is no office"],
    ["a".repeat(65), "is no office"],
    ["ä".repeat(33), "is no office"],
    ["s:0", "has 0 seats"],
    ["s:1001", "has 1001 seats"],
    ["c:0..3", "has 0 seats"],
    ["c:4..3", "should have 4 to 3 members"],
    ["c:3..1001", "should have 3 to 1001 members"],
  ])("%j is refused: %s", (given, words) => {
    expect(() => readOffice(given)).toThrow(InputError);
    expect(() => readOffice(given)).toThrow(words);
  });

  test("become one office for each seat; those with a council are known by name", () => {
    expect(["leader", "s:1", "s:3", "c:2..3"].map(seatsOf)).toEqual([["leader"], ["s"], ["s#1", "s#2", "s#3"], ["c"]]);
    expect([...rangesOf(["leader", "s:3", "c:2..3"])]).toEqual([["c", { L: 2, U: 3 }]]);
  });

  test("the defaults of a group are those that the pages state", () => {
    expect(groupParams()).toMatchObject({
      offices: ["leader"],
      policy: "available",
      epsilon: 1e-6,
      watch: true,
      mixed: false,
      attributes: { priority: 0, weight: 1, zone: "" },
    });
  });
});

describe("a command", () => {
  const run = runGroup({ n: 4, params: { offices: ["leader", "s:2"] } });
  let holder: number;
  let other: number;
  beforeAll(() => {
    run.settle(5000);
    run.pass(3000);
    holder = run.agreed()!;
    other = run.alive().find((node) => node !== holder)!;
  });
  const wanted = (it: ReturnType<typeof oneMember>) =>
    [...it.state.offices.values()].filter((office) => office.wanted).map(({ name }) => name);

  test.each([
    ["leader", ["s#1", "s#2"]],
    ["s", ["leader"]],
    ["s:2", ["leader"]],
    ["s#2", ["leader", "s#1"]],
    ["unheard", ["leader", "s#1", "s#2"]],
  ])("about %s is about an office, all its seats or one of them", (office, left) => {
    const it = oneMember(run, other);
    it.command({ kind: "eligible", eligible: false, office });
    expect(wanted(it)).toEqual(left);
    expect(it.state.eligible).toBe(true);
    it.command({ kind: "eligible", eligible: true, office });
    expect(wanted(it)).toHaveLength(3);
  });

  test("not to stand at all takes the weight, and gives up what is held; it is told to others", () => {
    const it = oneMember(run, holder);
    it.command({ kind: "eligible", eligible: false });
    expect(it.state.report.offices.leader.mine).toBe(false);
    const meta = () => it.state.members.members.get(`m${holder}`)!.meta as { weight?: number };
    const without = JSON.stringify(meta());
    it.command({ kind: "eligible", eligible: true });
    expect(JSON.stringify(meta())).not.toBe(without);
  });

  test("to give up what is not held changes nothing; of what is held it names an heir, or nobody", () => {
    for (const command of [
      { kind: "resign", office: "leader" },
      { kind: "transfer", office: "leader", to: `m${other}` },
      { kind: "transfer", office: "unheard", to: `m${other}` },
    ]) {
      const it = oneMember(run, other);
      it.command(command);
      expect([it.sent, it.office.resigns]).toEqual([[], null]);
    }
    const heirOf = (command: object) => {
      const it = oneMember(run, holder);
      it.command(command);
      return [it.office.claim?.holder, it.office.claim?.heir];
    };
    expect(heirOf({ kind: "resign", office: null })).toEqual([null, null]);
    expect(heirOf({ kind: "transfer", office: "leader", to: `m${other}` })).toEqual([null, `m${other}`]);
  });

  test("not to stand is told to others at once, and so are other keys", () => {
    const it = oneMember(run, other);
    const meta = () => it.state.members.members.get(`m${other}`)!.meta;
    const before = meta();
    it.command({ kind: "eligible", eligible: false });
    expect(meta()).toMatchObject({ weight: 0 });
    it.command({ kind: "eligible", eligible: true });
    expect(meta()).toEqual(before);
    it.command({ kind: "keys", keys: [7, 8] });
    expect(meta()).toMatchObject({ keys: [7, 8] });
  });

  test("for a term now is nothing while an election is under way, or where this member may not act", () => {
    const open = (change: (it: ReturnType<typeof oneMember>) => object) => {
      const it = oneMember(run, other);
      Object.assign(it.office, { claim: null, former: null, failedTries: 3, isWinnerUnheard: true });
      change(it);
      it.command({ kind: "elect", office: "leader" });
      return [it.office.failedTries, it.office.isWinnerUnheard];
    };
    expect(open(() => ({}))).toEqual([0, false]);
    expect(open(({ office }) => Object.assign(office, { election: { stands: false, children: [] } }))).toEqual([
      3,
      true,
    ]);
    expect(open(({ state }) => Object.assign(state, { leaving: true }))).toEqual([3, true]);
  });

  test("from outside is none", () => {
    const it = oneMember(run, holder);
    it.receive(other, { kind: "resign", office: null });
    expect(it.state.report.offices.leader.mine).toBe(true);
  });

  test("for one more office begins it, and one that was only heard of is wanted from then on", () => {
    const it = oneMember(run, other);
    it.hear(holder, { kind: "term", office: "heard", term: 3 });
    expect(wanted(it)).not.toContain("heard");
    it.command({ kind: "office", office: "heard" });
    it.command({ kind: "office", office: "new:2..3" });
    expect(wanted(it)).toEqual(expect.arrayContaining(["heard", "new"]));
    expect(it.state.offices.get("heard")?.term).toBe(3);
    expect(it.state.offices.get("new")).toMatchObject({ term: 0, wanted: true });
    it.command({ kind: "eligible", eligible: false, office: "new" });
    it.command({ kind: "office", office: "new:2..3" });
    expect(wanted(it)).toContain("new");
    expect([...it.state.ranges.keys()]).toEqual(["new"]);
  });

  test("for a term now is nothing where somebody leads", () => {
    const it = oneMember(run, other);
    it.office.failedTries = 3;
    it.command({ kind: "elect", office: "leader" });
    expect([it.office.failedTries, it.office.isUrgent]).toEqual([3, false]);
  });

  test("the verdict of a member is about its first office", () => {
    const verdict = (node: number) => group().verdict(groupStateOf(run, node));
    expect([verdict(holder).status, verdict(other).status]).toEqual(["elected", "not-elected"]);
    expect(verdict(holder).leader).toBe(verdict(other).leader);
    expect(verdict(holder).term).toBe(run.office(holder)!.term);
    const who = { kind: "who", office: "leader", term: 1, from: 1, to: 2 } as const;
    expect(group().bits(who)).toBe(8 * encodedSize(who));
  });
});

describe("at the beginning", () => {
  const self = { life: 100, seeds: [], role: "member" } as never;
  const begin = (params: object, saved: unknown = null) =>
    group().init(
      groupParams(params),
      self,
      saved as never,
      {
        ...new LoneMember(1).ctx,
        deadline() {},
        measure() {},
      } as never,
    );

  test("a name is the member's own, or that of its address, or made of it", () => {
    expect([
      begin({ name: "a", names: { "0": "b" } }).name,
      begin({ names: { "0": "b" } }).name,
      begin({}).name,
    ]).toEqual(["a", "b", "m0"]);
  });

  test("a member has seen nobody else, elected nobody, and holds nothing; it begins to join", () => {
    const it = begin({});
    expect(it).toMatchObject({
      generations: 0,
      settled: false,
      // It waits for the first time until its view, of itself alone, is calm.
      settlings: 1,
      sizeBefore: 1,
      fewSince: null,
      eligible: true,
      misfit: null,
      reviewing: false,
      leaving: false,
      lease: null,
      leased: 0,
      extension: null,
      events: [],
    });
    expect([it.led, it.running, it.applications, it.endings, it.misfits].map(({ size }) => size)).toEqual([
      0, 0, 0, 0, 0,
    ]);
    // It has no seeds, so it is a group of its own at once.
    expect(it.report).toMatchObject({ version: 1, joined: true, members: 1, quorate: true, refused: null });
    expect(it.largest).toBe(1);
  });

  test("a saved state is the member's own, and its terms go on", () => {
    expect(begin({}, { name: "m0", terms: { leader: 7 } }).offices.get("leader")).toMatchObject({
      term: 7,
      joinedTerm: 7,
    });
    expect(() => begin({}, { name: "m1", terms: {} })).toThrow("is that of m1, not of m0");
    expect(() => begin({}, { name: "m0", terms: [] })).toThrow("not one that a member has written");
  });

  test.each([
    [0, false],
    [1, true],
  ])("who has weight %i stands: %s", (weight, eligible) => {
    expect(begin({ attributes: { priority: 0, weight, zone: "" } }).eligible).toBe(eligible);
  });
});
