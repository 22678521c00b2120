/** Comparisons of one member at their limits: when it asks, what it asks, and what it answers. Times in ticks. */
import { describe, expect, test } from "vitest";
import { entry, known, LoneMember, lifeOf } from "../../../test/support/lone-member.ts";
import { isFilling, knowsMany } from "./compare.ts";
import { BUCKETS, type MembershipMessage } from "./messages.ts";
import { publish } from "./parent.ts";
import { profiles } from "./profile.ts";
import { tellOfMember } from "./rumours.ts";
import { store } from "./view.ts";

type Digest = Extract<MembershipMessage, { kind: "digest" }>;
const { timeout, period, compareEvery } = profiles.lan;
/** Everybody at once: a group of 40 that is told of all at once is a flood. */
const FLOOD = 32;
/** With more newcomers, members are not told of them one by one, and comparisons wait for 3 to 5 ticks. */
const THRONG = 256;

/** The digest that it sends when its time has come, and when the next one is due from then. */
function asks(it: LoneMember): { digests: readonly (Digest & { node: number })[]; next: number } {
  it.state.compareAt = it.state.now + 1;
  it.tick();
  return { digests: it.said("digest"), next: it.state.compareAt - it.state.now };
}

const flood = (it: LoneMember, rumours: number) =>
  it.act((state) => {
    for (let node = 1; node <= rumours; node++) tellOfMember(state, `m${node}`);
  });

describe("the next comparison", () => {
  const RARELY = [compareEvery >> 1, (compareEvery >> 1) + compareEvery - 1];
  const SOON = [2 * period, 3 * period - 1];
  test.each([
    ["after all is known", { hasCaughtUp: true }, RARELY],
    ["after one that differed", { hasCaughtUp: true, differed: true }, SOON],
    ["while 33 have come lately", { hasCaughtUp: true, arrivals: FLOOD + 1 }, SOON],
    ["while 32 have come lately", { hasCaughtUp: true, arrivals: FLOOD }, RARELY],
    ["of one that is being told all", { hasCaughtUp: false }, [timeout, timeout + period - 1]],
    ["in a throng", { hasCaughtUp: true, arrivals: THRONG + 1 }, [3, 3 + period - 1]],
    ["before it is a throng", { hasCaughtUp: true, arrivals: THRONG }, SOON],
    [
      "in a throng, of one that is being told all",
      { hasCaughtUp: false, arrivals: THRONG + 1 },
      [timeout + 3, timeout + 5 + period - 1],
    ],
  ])("%s", (_, changes, [least, most]) => {
    const it = new LoneMember(12);
    Object.assign(it.state, { joinedAt: 0 }, changes);
    expect(asks(it).next).toBe(least);
    it.choose = (n) => n - 1;
    const { next, digests } = asks(it);
    expect([next, digests.length]).toEqual([most, 1]);
  });

  test("is not due before its tick", () => {
    const it = new LoneMember(4);
    it.state.compareAt = it.state.now + 2;
    it.tick();
    expect(it.said("digest")).toEqual([]);
    it.tick();
    expect(it.said("digest")).toHaveLength(1);
  });

  test("of a member that is alone is with nobody", () => {
    const it = new LoneMember(1);
    expect(asks(it).digests).toEqual([]);
  });

  test("goes also to newcomers, once each, and not to those that have died or are forgotten meanwhile", () => {
    const it = new LoneMember(6);
    it.state.newcomers.push("m3", "m4", "m9");
    it.act((state, ctx) => store(state, known(4, { status: "failed" }), ctx));
    it.tick();
    expect(it.said("digest").map(({ node }) => node)).toEqual([3]);
    it.tick();
    expect(it.said("digest")).toEqual([]);
  });
});

describe("what it asks", () => {
  test("names itself and its sums; a part to begin with only while it is being told all", () => {
    const it = new LoneMember(9);
    const sums = it.state.parts.map(({ sum }) => sum);
    expect(asks(it).digests).toMatchObject([{ name: "m0", life: lifeOf(0), sums, me: entry(0) }]);
    expect(Object.keys(asks(it).digests[0]).sort()).toEqual(["kind", "life", "me", "name", "node", "sums"]);
    Object.assign(it.state, { hasCaughtUp: false, lesson: 7 });
    expect(asks(it).digests[0].first).toBe(7);
  });

  test.each([
    [8, false],
    [9, true],
  ])("of %i members it knows many: %s", (n, isMany) => {
    expect(knowsMany(new LoneMember(n).state)).toBe(isMany);
  });

  test.each([
    ["among few", 8, { arrivals: 9 }, false],
    ["among many, while it is being told all", 9, { hasCaughtUp: false, arrivals: 0 }, true],
    ["among many, after 8 have come", 9, { arrivals: 8 }, false],
    ["among many, after 9 have come", 9, { arrivals: 9 }, true],
    ["in a flood, among few", 4, { arrivals: 33 }, true],
  ])("%s what it has is said: %#", (_, n, changes, says) => {
    const it = new LoneMember(n);
    Object.assign(it.state, changes);
    expect(asks(it).digests[0].held !== undefined).toBe(says);
  });

  test("of a joiner says what it will be, and makes room for the answer; one with a former life only that", () => {
    const it = new LoneMember(1, {}, ["5"]);
    const joins = ["m0", lifeOf(0), 0, "0", 0, null];
    expect(it.said("digest")).toMatchObject([{ joins, room: " ".repeat(480) }]);
    const former = new LoneMember(1, {}, ["5"]);
    former.state.former = known(0, { life: 3 });
    former.tick(timeout);
    expect(former.said("digest")[0].joins).toBeUndefined();
    expect(former.said("digest")[0].room).toHaveLength(480);
  });
});

const named = (answers: readonly { members?: readonly (readonly unknown[])[] }[]) =>
  answers.flatMap(({ members = [] }) => members.map(([name]) => name)).sort();

describe("what it answers", () => {
  const digest = (it: LoneMember, node: number, changes: object = {}) =>
    ({
      kind: "digest",
      name: `m${node}`,
      life: lifeOf(node),
      sums: it.state.parts.map(({ sum }) => ~sum >>> 0),
      me: entry(node),
      ...changes,
    }) as Digest;
  const answersTo = (it: LoneMember, changes: object = {}, node = 2) => {
    it.hear(node, digest(it, node, changes));
    return it.said("answer");
  };
  const ALL = ["m0", "m1", "m2", "m3"];
  const partsOf = (it: LoneMember, from: number) =>
    it.state.parts.slice(from).flatMap(({ subjects }) => [...subjects.keys()].map((subject) => subject.slice(1)));

  test("one that has the same sums: nothing; any other one all that differs, and it wants the same", () => {
    const it = new LoneMember(4);
    const same = it.state.parts.map(({ sum }) => sum);
    expect(answersTo(it, { sums: same, held: [0, 0, BUCKETS, 0] })).toEqual([
      { node: 2, kind: "answer", from: lifeOf(0) },
    ]);
    const answers = answersTo(it);
    expect(named(answers)).toEqual(ALL);
    expect(answers[0]).toMatchObject({ want: 2 ** BUCKETS - 1 });
    expect(answers[0].differs).toBeUndefined();
  });

  test("each record and note once, wherever it begins", () => {
    const it = new LoneMember(40, { packet: 100_000 });
    it.act((state) => {
      for (let i = 0; i < 200; i++) publish(state, `key${i}`, [1, 0], "x", true);
    });
    expect(it.state.parts.every(({ subjects }) => subjects.size > 0)).toBe(true);
    for (const first of [0, 1, BUCKETS - 1]) {
      it.choose = () => first;
      const answers = answersTo(it);
      const notes = answers.flatMap((said) => (said.notes ?? []).map(([key]) => key));
      expect([named(answers).length, notes.length]).toEqual([40, 200]);
      expect([new Set(named(answers)).size, new Set(notes).size]).toEqual([40, 200]);
    }
  });

  test("as a young one while it is being told all itself", () => {
    const it = new LoneMember(4);
    expect(answersTo(it)[0].young).toBeUndefined();
    it.state.hasCaughtUp = false;
    expect(answersTo(it)[0].young).toBe(true);
  });

  test("one that is being told all: the parts from the one that it names on, and nothing is wanted of it", () => {
    const it = new LoneMember(4);
    for (const first of [0, 5, BUCKETS - 1]) {
      const answers = answersTo(it, { first });
      expect(named(answers)).toEqual(partsOf(it, first).sort());
      expect(answers[0].want).toBeUndefined();
    }
  });

  test("one that says what it has: what it lacks, and that they differ; nothing is wanted of it", () => {
    const it = new LoneMember(4);
    const answers = answersTo(it, { held: [0, 0, BUCKETS, 0] });
    expect(named(answers)).toEqual(ALL);
    expect(answers[0]).toMatchObject({ differs: true });
    expect(answers[0].want).toBeUndefined();
    expect(named(answersTo(it, { held: [0, 0, BUCKETS, 0xffffffff] }))).toEqual([]);
  });

  test("hears what the other one says of itself, if this one is a member", () => {
    const it = new LoneMember(4);
    answersTo(it, { me: entry(2, { incarnation: 5 }) });
    expect(it.state.members.get("m2")?.incarnation).toBe(5);
    const joiner = new LoneMember(1, {}, ["5"]);
    expect(answersTo(joiner, {})).toMatchObject([{ joining: ["m0", lifeOf(0), 0, "0", 0, null] }]);
    expect(joiner.state.members.has("m2")).toBe(false);
  });

  test("a joiner uses up what is answered in a tick", () => {
    const it = new LoneMember(1, {}, ["5"]);
    it.state.answersLeft = 1;
    expect([answersTo(it).length, answersTo(it).length]).toEqual([1, 0]);
  });

  test.each([
    [[], 9],
    [["m9"], 9],
    [["m1"], 8],
  ])("hosts of a joiner are never the joiner itself", (same, hosts) => {
    const it = new LoneMember(9);
    const node = same.length === 0 ? 50 : Number(same[0].slice(1));
    const [answer] = answersTo(it, { me: undefined }, node);
    const others = answer.members!.map(([name]) => name).filter((name) => name !== "m0");
    expect([answer.members!.length, others.includes(`m${node}`)]).toEqual([hosts, false]);
  });

  const JOINS = ["m50", lifeOf(50), 0, "50", 0, null] as const;
  const changed = (index: number, value: unknown) => JOINS.map((each, i) => (i === index ? value : each));
  test.each([
    ["counts from now on", JOINS, {}, true],
    ["of another name does not", changed(0, "m51"), {}, false],
    ["of another life does not", changed(1, 3), {}, false],
    ["in a later incarnation does not", changed(2, 1), {}, false],
    ["that says it is suspected does not", changed(4, 1), {}, false],
    ["that says nothing of itself does not", undefined, {}, false],
    ["at a member that is being told all does not", JOINS, { hasCaughtUp: false }, false],
  ])("a joiner %s", (_, joins, changes, counts) => {
    const it = new LoneMember(4);
    Object.assign(it.state, changes);
    answersTo(it, { me: undefined, joins }, 50);
    expect([...it.state.members.keys()].some((name) => name === "m50" || name === "m51")).toBe(counts);
  });

  test("a joiner whose name is known, also of the dead, does not count before it has said more", () => {
    const it = new LoneMember(4);
    it.state.members.set("m50", known(50, { life: 3, status: "failed" }));
    answersTo(it, { me: undefined, joins: JOINS }, 50);
    expect(it.state.members.get("m50")?.life).toBe(3);
  });

  test("one answer takes a sixteenth of what is left in a tick, at least one packet and at most eight", () => {
    const packets = (left: number) => {
      const it = new LoneMember(2, { packet: 300 });
      it.act((state) => {
        for (let i = 0; i < 200; i++) publish(state, `key${i}`, [1, 0], "x".repeat(50), true);
      });
      it.state.answersLeft = left;
      const sent = answersTo(it);
      return [sent.length, left - it.state.answersLeft];
    };
    expect([1, 31, 32, 47, 48, 127, 128, 1000].map(packets)).toEqual(
      [1, 1, 2, 2, 3, 7, 8, 8].map((each) => [each, each]),
    );
  });
});

describe("a throng", () => {
  test.each([
    [THRONG, undefined],
    [THRONG + 1, true],
  ])("after %i newcomers a joiner is told of it: %s", (arrivals, crowd) => {
    const it = new LoneMember(4);
    it.state.arrivals = arrivals;
    it.hear(50, { kind: "digest", name: "m50", life: lifeOf(50), sums: [] });
    expect(it.said("answer").map((said) => said.crowd)).toEqual([crowd]);
  });

  const joins = (said: object, former: boolean) => {
    const it = new LoneMember(1, {}, ["5"]);
    if (former) it.state.former = known(0, { life: 3, status: "failed" });
    it.hear(5, { kind: "answer", from: lifeOf(5), members: [entry(5)], ...said });
    const { phase, differed, compareAt, now } = it.state;
    return { phase, gossips: it.said("gossip").length > 0, differed, wait: compareAt - now };
  };

  test("of joiners: each leaves its news to the member that has let it in, and does not compare at once", () => {
    expect(joins({}, false)).toEqual({ phase: "member", gossips: true, differed: false, wait: 0 });
    expect(joins({ crowd: true }, false)).toEqual({ phase: "member", gossips: false, differed: true, wait: 3 });
    expect(joins({ crowd: true, part: 0 }, false).wait).toBe(4);
  });

  test("of joiners: one that others have known in another life tells of itself", () => {
    expect(joins({ crowd: true }, true).gossips).toBe(true);
  });

  test("is not of members that have joined before", () => {
    const it = new LoneMember(4);
    it.hear(2, { kind: "answer", from: lifeOf(2), crowd: true });
    expect([it.state.arrivals, it.state.differed]).toEqual([0, false]);
  });

  test.each([
    ["newcomers are not told on", THRONG + 1, entry(100), false],
    ["newcomers are told on before it", THRONG - 1, entry(100), true],
    ["suspects are told on", THRONG + 1, [...entry(100).slice(0, 4), 1, null, [7]], true],
    ["a refutation is told on", THRONG + 1, entry(1, { incarnation: 1 }), true],
  ])("%s", (_, arrivals, said, isTold) => {
    const it = new LoneMember(4);
    Object.assign(it.state, { joinedAt: 0, arrivals });
    it.hear(2, { kind: "gossip", from: lifeOf(2), members: [said as never] });
    expect(it.state.rumours.has(`m${said[0]}`)).toBe(isTold);
  });

  test.each([
    ["by half each period", THRONG, true, THRONG / 2],
    ["by a quarter, while a member does not know all of it", 2 * THRONG, true, 1.5 * THRONG],
    ["by half once it does", 2 * THRONG, false, THRONG],
  ])("fades %s", (_, arrivals, differed, after) => {
    const it = new LoneMember(4);
    Object.assign(it.state, { now: 20 * period - 1, arrivals, differed, compareAt: Infinity });
    it.tick();
    expect(it.state.arrivals).toBe(after);
  });
});

describe("what it makes of an answer", () => {
  const answer = { kind: "answer", from: lifeOf(2) } as const;
  const told = (it: LoneMember) => it.state.rumours.has("mm39");

  test.each([
    ["is told on", {}, 0, true],
    ["is not while it is being told all", { hasCaughtUp: false }, 0, false],
    ["is not in a flood", {}, FLOOD + 1, false],
  ])("news in it %s", (_, changes, rumours, isTold) => {
    const it = new LoneMember(40);
    Object.assign(it.state, changes, { joinedAt: 0 });
    flood(it, rumours);
    it.state.members.delete("m39");
    it.hear(2, { ...answer, members: [entry(39)], young: true });
    expect(told(it)).toBe(isTold);
  });

  test.each([
    ["nothing: the two are equal", {}, false],
    ["members: they may still differ", { members: [entry(1)] }, true],
    ["notes: they may still differ", { notes: [["k", 1, 0, "x"]] as const }, true],
  ])("that says %s", (_, said, differs) => {
    const it = new LoneMember(4);
    it.state.differed = true;
    it.hear(2, { ...answer, ...said });
    expect(it.state.differed).toBe(differs);
  });

  test.each([
    [{ want: 1 }, 2 * period],
    [{ differs: true }, 2 * period],
    [{}, Infinity],
  ] as const)("%j brings the next comparison after %d", (said, after) => {
    const it = new LoneMember(4);
    it.hear(2, { ...answer, ...said });
    expect([it.state.differed, it.state.compareAt - it.state.now]).toEqual([after !== Infinity, after]);
    // One that is due earlier stays.
    it.state.compareAt = it.state.now + 1;
    it.hear(2, { ...answer, ...said });
    expect(it.state.compareAt - it.state.now).toBe(1);
  });

  test("in a flood the next comparison comes after a timeout", () => {
    const it = new LoneMember(40);
    flood(it, FLOOD + 1);
    it.hear(2, { ...answer, differs: true });
    expect(it.state.compareAt - it.state.now).toBe(timeout);
  });

  test.each([
    [9, timeout],
    [8, 2 * period],
  ])(
    "that differs, after %i have come lately, brings the next comparison after %i: elections wait for it",
    (arrivals, after) => {
      const it = new LoneMember(12);
      it.state.arrivals = arrivals;
      it.hear(2, { ...answer, differs: true });
      expect(it.state.compareAt - it.state.now).toBe(after);
    },
  );

  test("of another joiner of this member's name is a record of that name; of any other name it shows only that one joins", () => {
    const meets = (of: ReturnType<typeof entry>) => {
      const it = new LoneMember(1, {}, ["5"]);
      it.hear(5, { kind: "answer", from: lifeOf(5), joining: of });
      return [it.state.metJoiner, it.state.former?.life ?? null];
    };
    expect(meets(entry(5))).toEqual([0, null]);
    expect(meets(entry(0, { life: 3, incarnation: 6 }))[0]).toBeNull();
    const member = new LoneMember(4);
    member.hear(5, { kind: "answer", from: lifeOf(5), joining: entry(5) });
    expect(member.state.metJoiner).toBeNull();
  });

  test("the last part ends the lesson, unless the teller is being told all itself; among many the next comparison comes soon", () => {
    const learns = (n: number, said: object) => {
      const it = new LoneMember(n);
      Object.assign(it.state, { hasCaughtUp: false, joinedAt: 0 });
      it.hear(2, { ...answer, ...said });
      const { hasCaughtUp, lesson, metJoiner, compareAt } = it.state;
      return { hasCaughtUp, lesson, metJoiner, next: compareAt - it.state.now };
    };
    const alike = { lesson: 0, metJoiner: null };
    expect(learns(8, {})).toEqual({ ...alike, hasCaughtUp: true, next: Infinity });
    expect(learns(9, {})).toEqual({ ...alike, hasCaughtUp: true, next: 2 * period });
    const many = new LoneMember(9);
    Object.assign(many.state, { hasCaughtUp: false, joinedAt: 0 });
    many.hear(2, { ...answer, members: [entry(1)] });
    expect(many.state.differed).toBe(true);
    expect(learns(9, { young: true })).toEqual({ ...alike, hasCaughtUp: false, metJoiner: 0, next: Infinity });
    expect(learns(9, { part: 6 })).toEqual({ ...alike, hasCaughtUp: false, lesson: 6, next: 1 });
  });

  test("what is wanted is sent by a member, and not by a joiner; nothing is sent where the other one has it all", () => {
    const want = 2 ** BUCKETS - 1;
    const it = new LoneMember(2);
    it.hear(2, { ...answer, want });
    expect(it.said("answer")).toHaveLength(1);
    it.hear(2, { ...answer, want, members: [entry(0), entry(1)] });
    expect(it.said("answer")).toEqual([]);
    // One record is enough for an answer.
    it.hear(2, { ...answer, want, members: [entry(1)] });
    expect(named(it.said("answer"))).toEqual(["m0"]);
    const joiner = new LoneMember(1, {}, ["5"]);
    joiner.act((state, ctx) => store(state, known(7), ctx));
    joiner.hear(5, { ...answer, from: lifeOf(5), want, young: true, members: [entry(5), entry(6)] });
    expect([joiner.state.phase, joiner.said("answer")]).toEqual(["joining", []]);
  });
});

describe("a newcomer", () => {
  const { joinPatience } = profiles.lan;
  /** A member of n that has known the group for so long, or joins yet; then somebody comes. */
  function greeting(n: number, age: number | null, count = 1): LoneMember {
    const it = new LoneMember(n);
    Object.assign(it.state, { now: 5000, joinedAt: age === null ? null : 5000 - age });
    const members = Array.from({ length: count }, (_, i) => entry(100 + i));
    it.hear(1, { kind: "gossip", from: lifeOf(1), members });
    return it;
  }

  test.each([
    ["in a group of 16 by all", 15, 0, 1],
    ["in a group of 17 not by one that has just come", 16, joinPatience - 1, 0],
    ["in a group of 17 by one that has been there for a while", 16, joinPatience, 1],
    ["in a group of 17 not by one that joins yet", 16, null, 0],
  ])("is greeted %s", (_, n, age, greeted) => {
    expect(greeting(n, age).state.newcomers).toHaveLength(greeted);
  });

  test("is one of three that are greeted at a time, and is greeted by three members on average", () => {
    expect(greeting(20, joinPatience, 4).state.newcomers).toEqual(["m100", "m101", "m102"]);
    const coins: number[] = [];
    for (const n of [2, 3, 30]) {
      const it = new LoneMember(n);
      it.state.joinedAt = it.state.now - joinPatience;
      it.coin = (p) => coins.push(p) < 0;
      it.hear(1, { kind: "gossip", from: lifeOf(1), members: [entry(100)] });
      expect(it.state.newcomers).toEqual([]);
    }
    expect(coins).toEqual([1, 3 / 4, 3 / 31]);
  });

  test("is not greeted in a flood, except in a small group", () => {
    for (const [n, greeted] of [
      [40, 0],
      [12, 1],
    ]) {
      const it = new LoneMember(n);
      Object.assign(it.state, { joinedAt: -joinPatience, arrivals: FLOOD + 1 });
      it.hear(1, { kind: "gossip", from: lifeOf(1), members: [entry(100)] });
      expect(it.state.newcomers).toHaveLength(greeted);
    }
  });

  const next = (n: number, arrivals: number, choice: (most: number) => number) => {
    const it = new LoneMember(n);
    it.choose = choice;
    Object.assign(it.state, { now: 5000, joinedAt: 0, arrivals });
    it.hear(1, { kind: "gossip", from: lifeOf(1), members: [entry(100)] });
    return it.state.compareAt - it.state.now;
  };
  const [first, last] = [() => 0, (most: number) => most - 1];

  test("with which a group has 17 members brings a comparison soon, and so does the 33rd in a crowd", () => {
    expect([next(16, 0, first), next(16, 0, last)]).toEqual([1, period]);
    expect([next(15, 0, first), next(17, 0, first)]).toEqual([Infinity, Infinity]);
    expect([next(40, FLOOD, first), next(40, FLOOD, last)]).toEqual([period, 2 * period - 1]);
    expect([next(40, FLOOD - 1, first), next(40, FLOOD + 1, first)]).toEqual([Infinity, Infinity]);
  });
});

describe("the search for those who are outside the view", () => {
  const { seekEvery, seekers } = profiles.lan;

  test("is due at its tick, and then about once in its time", () => {
    const it = new LoneMember(4);
    it.state.seekAt = it.state.now + 2;
    it.tick();
    expect(it.state.seekAt).toBe(it.state.now + 1);
    it.choose = (most) => most - 1;
    it.tick();
    expect(it.state.seekAt - it.state.now).toBe((seekEvery >> 1) + seekEvery - 1);
  });

  test("is done by all of a small group, and by as many in a large one", () => {
    const coins: number[] = [];
    for (const n of [seekers, seekers + 1, 4 * seekers]) {
      const it = new LoneMember(n);
      it.coin = (p) => coins.push(p) < 0;
      it.state.seekAt = it.state.now + 1;
      it.tick();
    }
    expect(coins).toEqual([seekers / (seekers + 1), 1 / 4]);
  });
});

test.each([
  [8, true, false],
  [9, true, true],
  [9, false, false],
])(
  "after %i have come lately, a comparison that found a difference (%o): filling is %o",
  (arrivals, differed, filling) => {
    const it = new LoneMember(5);
    Object.assign(it.state, { arrivals, differed });
    expect(isFilling(it.state)).toBe(filling);
  },
);
