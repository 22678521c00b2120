/** Which side of a partition may have leaders, and which members fit together: tables. */
import { describe, expect, test } from "vitest";
import { known, LoneMember } from "../../test/support/lone-member.ts";
import { countMisfits, misfitOf, rulesOf, unfitness } from "./fit.ts";
import { groupParams } from "./params.ts";
import { countMembers, countTrusted, isQuorate, mayAct, mayHaveLeaders, mayStand } from "./policy.ts";
import type { GroupState, Turn } from "./state.ts";

function side(seen: number, changes: Partial<GroupState> = {}, params = {}): GroupState {
  const { state: members } = new LoneMember(seen);
  const majority = groupParams({ policy: "majority", ...params });
  return { members, params: majority, largest: 5, fewSince: null, misfit: null, ...changes } as GroupState;
}

describe("under majority", () => {
  test.each([
    [3, 5, null, true],
    [2, 5, null, false],
    [2, 4, null, false],
    [3, 4, null, true],
    [2, 9, 3, true],
    [3, 4, 6, false],
  ])("a side that sees %i, of %i at most so far, expected %s: %s", (seen, largest, expected, may) => {
    const state = side(seen, { largest }, { expected });
    expect([isQuorate(state), mayHaveLeaders(state), mayStand(state)]).toEqual([may, may, may]);
    expect(isQuorate({ ...state, params: groupParams({ policy: "available" }) })).toBe(true);
  });

  test("half of the members may be in doubt for 25 ticks, and no longer", () => {
    const state = side(5, { fewSince: 100 });
    state.members.now = 124;
    expect(isQuorate(state)).toBe(true);
    state.members.now = 125;
    expect(isQuorate(state)).toBe(false);
  });

  test("doubt counts from when it began, and is over when enough are trusted", () => {
    const state = side(5);
    state.members.now = 7;
    for (const name of ["m1", "m2"]) state.members.silent.add(name);
    countTrusted({ state } as Turn);
    expect(state.fewSince).toBeNull();
    state.members.silent.add("m3");
    countTrusted({ state } as Turn);
    expect(state.fewSince).toBe(7);
    state.members.now = 9;
    countTrusted({ state } as Turn);
    expect(state.fewSince).toBe(7);
    state.members.silent.delete("m3");
    countTrusted({ state } as Turn);
    expect(state.fewSince).toBeNull();
  });

  test.each([
    [6, 0, 6],
    [4, 0, 5],
    [3, 1, 4],
    [4, 3, 4],
  ])("of five, with %i in the view now and %i that left gracefully, %i count", (seen, left, largest) => {
    const state = side(seen);
    countMembers({ state } as Turn, left);
    expect(state.largest).toBe(largest);
  });
});

test("a member acts of its own accord once it has settled, and stands only as a member that fits and does not leave", () => {
  const state = side(5, { settled: true, leaving: false });
  expect([mayStand(state), mayAct(state), mayHaveLeaders(state)]).toEqual([true, true, true]);
  expect([mayStand({ ...state, settled: false }), mayAct({ ...state, settled: false })]).toEqual([true, false]);
  expect(mayStand({ ...state, leaving: true })).toBe(false);
  const misfit = { ...state, misfit: "why" };
  expect([mayStand(misfit), mayHaveLeaders(misfit)]).toEqual([false, false]);
  state.members.hasCaughtUp = false;
  expect(mayStand(state)).toBe(false);
});

describe("members that differ", () => {
  const strict = { lease: { ttl: 2000 } as never };
  const other = { lease: { ttl: 5000 } as never };
  /** This member is m0; others have the rules that are given. */
  function member(own: object, ...rules: object[]): Turn {
    const it = new LoneMember(1);
    for (const [i, each] of rules.entries()) {
      const record = known(i + 1, { meta: { rules: rulesOf(groupParams(each)) } });
      it.state.live.push(record);
      it.state.members.set(record.name, record);
    }
    const turn = { state: { params: groupParams(own), members: it.state, name: "m0", misfits: new Map() } } as Turn;
    countMisfits(turn, new Set(it.state.members.keys()));
    return turn;
  }

  test.each<readonly [string, object, readonly object[], string | null]>([
    ["nothing", {}, [{}, {}], null],
    ["a member without leases among those with", {}, [{}, {}, strict], "has no leases, but m3 has leases of 2000 ms"],
    ["a member with leases among few without", strict, [{}], null],
    [
      "a member with leases among many without",
      strict,
      [{}, {}, {}],
      "leases of 2000 ms, but m1, m2, m3 have no leases",
    ],
    ["another TTL, outnumbered", strict, [other, other], "leases of 2000 ms, but m1, m2 have leases of 5000 ms"],
    ["another TTL, as many: the smaller name stays", strict, [other], null],
    ["another TTL, in the majority", strict, [strict, other], null],
    [
      "another transport",
      { transport: "tcp" },
      [{}, {}],
      'has the transport "tcp", but m1, m2 have the transport "udp"',
    ],
    ["another policy", { policy: "majority" }, [{}, {}], 'has the policy "majority", but m1, m2 have the policy'],
    [
      "other seats",
      { offices: ["a:2"] },
      [{ offices: ["a:3"] }, { offices: ["a:3"] }],
      'has "a" as a:2, but m1, m2 have it as a:3',
    ],
    ["seats of an office that others do not have", { offices: ["a:2"] }, [{}, {}], null],
    ["four others", strict, [other, other, other, other], "m1, m2, m3 and 1 more have"],
    ["while they are changed one by one", { ...strict, mixed: true }, [other, other], null],
  ])("%s", (_, own, rules, words) => {
    const why = unfitness(member(own, ...rules));
    if (words === null) expect(why).toBeNull();
    else expect(why).toContain(words);
  });

  test("with as many on either side the larger name gives way, except where one side has no leases", () => {
    const last = (turn: Turn): Turn => {
      const { live } = turn.state.members;
      live[0] = { ...live[0], name: "m9" };
      return { ...turn, state: { ...turn.state, name: "m9" } };
    };
    expect(unfitness(last(member(strict, other)))).toContain("m1 has leases of 5000 ms");
    expect(unfitness(last(member(strict, {})))).toBeNull();
  });

  test("what is as usual is not said, and many offices are not either", () => {
    expect(rulesOf(groupParams())).toEqual({});
    expect(
      rulesOf(groupParams({ transport: "tcp", policy: "majority", offices: ["leader", "a:2..3"], ...strict })),
    ).toEqual({
      transport: "tcp",
      ttl: 2000,
      policy: "majority",
      seats: { a: "2..3" },
    });
    const seats = Object.fromEntries([["a".repeat(88), "2"]]);
    expect(JSON.stringify(seats)).toHaveLength(96);
    expect(rulesOf(groupParams({ offices: [`${"a".repeat(88)}:2`] })).seats).toEqual(seats);
    expect(rulesOf(groupParams({ offices: [`${"a".repeat(89)}:2`] })).seats).toBeUndefined();
  });

  test("a newcomer that does not fit is told of in words", () => {
    expect(misfitOf(member(strict, other), "m1")).toBe(
      "m1 has leases of 5000 ms, and this member has leases of 2000 ms",
    );
    expect(misfitOf(member(strict, strict), "m1")).toBeNull();
  });

  test("a member that has changed or gone is looked at again, and the others are not", () => {
    const turn = member(strict, other, other);
    const { members } = turn.state;
    members.members.set("m1", known(1, { meta: { rules: { ttl: 2000 } } }));
    members.members.set("m2", known(2, { status: "left", meta: { rules: { ttl: 5000 } } }));
    countMisfits(turn, new Set(["m1"]));
    expect([...turn.state.misfits.keys()]).toEqual(["m2"]);
    countMisfits(turn, new Set(["m2"]));
    expect(turn.state.misfits.size).toBe(0);
  });
});
