/** Membership handler by handler: gossip, comparisons, probes and suspicions of one member, whose others the test speaks for. */
import { describe, expect, test } from "vitest";
import { entry, known, LoneMember, lifeOf } from "../../../test/support/lone-member.ts";
import { accuse } from "./hear.ts";
import { BUCKETS, type MembershipMessage } from "./messages.ts";
import { publish, setMeta, trusted } from "./parent.ts";
import { pingFor } from "./pings.ts";
import { doubtFor, LARGE, profiles, transmissions } from "./profile.ts";
import { tellOfMember } from "./rumours.ts";
import type { MembershipState } from "./state.ts";
import { memberSubject, noteSubject, partOf, textDigest } from "./sums.ts";
import { isConfirmed, sampleHeard } from "./view.ts";

const { timeout, period, health: worst } = profiles.lan;
const gossip = (from: number, ...members: ReturnType<typeof entry>[]): MembershipMessage => ({
  kind: "gossip",
  from: lifeOf(from),
  members,
});
const levelsOf = ({ levels }: MembershipState) => levels.map((level) => [...level]);

describe("gossip", () => {
  test("a change is told to three others a tick, as often as is stated, and then never again", () => {
    const it = new LoneMember(6);
    it.act((state) => tellOfMember(state, "m3"));
    const times = transmissions(profiles.lan, 6);
    expect(times).toBe(6);
    let told = 0;
    for (let tick = 0; tick < 4; tick++) {
      it.tick();
      told += it.said("gossip").length;
    }
    expect(told).toBe(times);
    expect([it.state.rumours.size, levelsOf(it.state).flat()]).toEqual([0, []]);
  });

  test.each([
    [32, 0, 3],
    [33, 0, 6],
    [33, 33, 3],
  ])("%i changes with %i newcomers are told to %i others in a tick", (changes, arrivals, told) => {
    const it = new LoneMember(60);
    it.state.arrivals = arrivals;
    it.act((state) => {
      for (let node = 1; node <= changes; node++) tellOfMember(state, `m${node}`);
    });
    it.tick();
    expect(it.said("gossip").length).toBe(told);
  });

  test("what is told anew stands among the news once, and comes first again", () => {
    const it = new LoneMember(40);
    it.act((state) => tellOfMember(state, "m3"));
    it.tick();
    expect(levelsOf(it.state)).toEqual([[], [], [], ["mm3"]]);
    it.act((state) => tellOfMember(state, "m3"));
    expect(levelsOf(it.state)).toEqual([["mm3"], [], [], []]);
    expect(it.state.rumours.get("mm3")).toBe(0);
  });

  test("in a flood, what others tell of a live member is not told on; otherwise it is", () => {
    for (const [rumours, counted] of [
      [32, 0],
      [33, undefined],
    ] as const) {
      const it = new LoneMember(60);
      it.act((state) => {
        for (let node = 1; node <= rumours; node++) tellOfMember(state, `m${node}`);
      });
      it.hear(50, gossip(50, entry(7)));
      expect(it.state.rumours.get("mm7")).toBe(counted);
    }
  });

  test("rides on pings and answers, once each", () => {
    const it = new LoneMember(6);
    it.act((state) => tellOfMember(state, "m3"));
    it.hear(2, { kind: "ping", seq: 9, to: lifeOf(0), from: lifeOf(2) });
    expect(it.said("ack")).toMatchObject([{ node: 2, seq: 9, members: [entry(3)] }]);
    expect(it.state.rumours.get("mm3")).toBe(1);
  });
});

describe("notes", () => {
  const note = (first: number, second = 0, value: unknown = "x") => ["k", first, second, value] as const;
  const hear = (it: LoneMember, ...entries: ReturnType<typeof note>[]) =>
    it.hear(1, { kind: "gossip", from: lifeOf(1), notes: entries });

  test("the larger order is kept and told on; what is known or older is not news", () => {
    const it = new LoneMember(4);
    hear(it, note(2, 1));
    expect([it.told, it.state.rumours.get("nk")]).toEqual([["note k"], 0]);
    it.tick(9);
    for (const old of [note(2, 1), note(2, 0), note(1, 9)]) {
      hear(it, old);
      expect([it.told, it.state.rumours.size]).toEqual([[], 0]);
    }
    hear(it, note(2, 2));
    expect(it.state.notes.get("k")?.order).toEqual([2, 2]);
  });

  test("of one order and two values the larger lot is kept, by text where lots are equal; who hears of the other says so", () => {
    const [low, high] = ["a", "b"].sort((x, y) => textDigest(JSON.stringify(x)) - textDigest(JSON.stringify(y)));
    const it = new LoneMember(4);
    hear(it, note(1, 0, low), note(1, 0, high));
    expect(it.state.notes.get("k")?.value).toBe(high);
    hear(it, note(1, 0, low));
    expect(it.state.notes.get("k")?.value).toBe(high);
    expect(it.state.news).toMatchObject([{ what: "note", key: "k", value: low, rival: true }]);
  });

  test("published are kept where they are newer, and told on unless the parent has told everybody", () => {
    const it = new LoneMember(4);
    const said: boolean[] = [];
    it.act((state) => said.push(publish(state, "k", [1, 0], "x", true)));
    expect(it.state.rumours.size).toBe(0);
    it.act((state) => said.push(publish(state, "k", [1, 0], "y"), publish(state, "k", [1, 1], "z")));
    expect([said, it.state.rumours.get("nk")]).toEqual([[true, false, true], 0]);
    expect(() => publish(it.state, "k", [9, 0], "x".repeat(512))).toThrow("a note may take 512");
  });

  test("of strangers are bounded in number", () => {
    const it = new LoneMember(2);
    for (let i = 0; i < 16_384; i++) it.state.notes.set(`n${i}`, { key: `n${i}`, order: [1, 0], value: 0 });
    hear(it, note(1));
    expect(it.state.notes.has("k")).toBe(false);
    it.state.notes.delete("n0");
    hear(it, note(1));
    expect(it.state.notes.has("k")).toBe(true);
  });
});

describe("a comparison", () => {
  const digest = (it: LoneMember, node: number, changes: object = {}) =>
    ({
      kind: "digest",
      name: `m${node}`,
      life: lifeOf(node),
      sums: it.state.parts.map(({ sum }) => sum),
      me: entry(node),
      ...changes,
    }) as const;

  test.each([
    ["is not told what it has said itself", {}, {}, false],
    ["is told that it is suspected", { status: "suspect" }, {}, true],
    ["is told of a larger incarnation", { incarnation: 1 }, {}, true],
    ["is told of another life", { life: 999, incarnation: 1 }, {}, true],
    ["that joins is told all that is known of its name", {}, { me: undefined }, true],
  ])("a member that asks %s", (_, changes, asked, isTold) => {
    const it = new LoneMember(4);
    it.state.members.set("m2", known(2, changes as object));
    it.hear(2, digest(it, 2, asked));
    const [answer] = it.said("answer");
    expect(answer.node).toBe(2);
    expect(answer.you !== undefined).toBe(isTold);
  });

  test("of equal sums asks for nothing and tells nothing; of others it names the parts that differ", () => {
    const it = new LoneMember(4);
    it.hear(2, digest(it, 2));
    expect(it.said("answer")).toEqual([{ node: 2, kind: "answer", from: lifeOf(0) }]);
    it.act((state) => publish(state, "k", [1, 0], "x"));
    const sums = it.state.parts.map(({ sum }) => sum);
    const part = partOf(noteSubject("k"));
    sums[part] ^= 1;
    it.hear(2, digest(it, 2, { sums }));
    expect(it.said("answer")).toMatchObject([{ want: (1 << part) >>> 0, notes: [["k", 1, 0, "x"]] }]);
  });

  test("sends back what is wanted, but not what the other side has just said", () => {
    const it = new LoneMember(4);
    it.act((state) => {
      publish(state, "k", [1, 0], "x");
      publish(state, "l", [1, 0], "x");
    });
    const want = 2 ** BUCKETS - 1;
    const answer = { kind: "answer", from: lifeOf(2), want } as const;
    it.hear(2, { ...answer, members: [entry(1), entry(3)], notes: [["k", 1, 0, "x"]] });
    const [rest] = it.said("answer");
    expect(rest.members?.map(([name]) => name).sort()).toEqual(["m0", "m2"]);
    expect(rest.notes?.map(([key]) => key)).toEqual(["l"]);
    expect(it.state.compareAt).toBe(it.state.now + 2 * period);
    // What is known better is sent.
    it.state.members.set("m1", known(1, { incarnation: 2 }));
    it.hear(2, { ...answer, members: [entry(1)], notes: [["k", 0, 9, "x"]] });
    expect(it.said("answer")[0].members?.map(([name]) => name)).toContain("m1");
    expect(it.said("answer")[0].notes?.map(([key]) => key)).toContain("k");
  });

  test("is answered so often in a tick, and no more; joiners have a share of their own", () => {
    const it = new LoneMember(4, { answers: 2 });
    it.tick();
    const answered = (asked: object) => {
      it.hear(2, digest(it, 2, asked));
      return it.said("answer").length;
    };
    const joins = { me: undefined };
    it.state.welcomesLeft = 2;
    expect([answered({}), answered({}), answered({})]).toEqual([1, 1, 0]);
    expect([answered(joins), answered(joins), answered(joins)]).toEqual([1, 1, 0]);
    it.tick();
    expect([answered({}), answered(joins)]).toEqual([1, 1]);
  });

  test.each([
    [3, {}, false],
    [8, {}, false],
    [9, {}, true],
    [3, { k: 1 }, true],
  ])("a joiner in a group of %i is told of hosts, and that there is more where there is", (n, notes, isPart) => {
    const it = new LoneMember(n);
    it.choose = (most) => most - 1;
    for (const key of Object.keys(notes)) it.act((state) => publish(state, key, [1, 0], "x"));
    const { me: _, ...joining } = digest(it, 50);
    it.hear(50, joining);
    const [answer] = it.said("answer");
    expect(answer.members?.[0][0]).toBe("m0");
    expect(answer.members).toHaveLength(Math.min(n, 9));
    expect(answer.part).toBe(isPart ? 0 : undefined);
  });
});

describe("a joiner", () => {
  const sums = new Array(BUCKETS).fill(0);
  const joining = (node: number) => ({ kind: "digest", name: `m${node}`, life: lifeOf(node), sums }) as const;

  test("asks up to three of its seeds, and again until somebody answers; after its patience it is alone", () => {
    const it = new LoneMember(1, {}, ["0", "5", "6", "7", "8"]);
    expect([it.sent.length, it.state.phase]).toEqual([3, "joining"]);
    expect(it.said("digest")[0].me).toBeUndefined();
    it.tick(timeout - 1);
    expect(it.sent).toEqual([]);
    it.tick();
    expect(it.sent).toHaveLength(3);
    it.tick(profiles.lan.joinPatience - timeout);
    expect(it.state).toMatchObject({ phase: "member", hasCaughtUp: true, joinedAt: profiles.lan.joinPatience });
  });

  test("that asks another joiner learns of it; after two timeouts they are a group", () => {
    const it = new LoneMember(1, {}, ["5"]);
    it.hear(5, joining(5));
    expect(it.said("answer")).toEqual([
      { node: 5, kind: "answer", from: lifeOf(0), joining: ["m0", lifeOf(0), 0, "0", 0, null] },
    ]);
    it.tick();
    it.hear(5, { kind: "answer", from: lifeOf(5), joining: entry(5) });
    expect(it.state).toMatchObject({ phase: "joining", metJoiner: 1 });
    it.tick(2 * timeout - 1);
    expect(it.state.phase).toBe("joining");
    it.tick();
    expect(it.state).toMatchObject({ phase: "member", hasCaughtUp: false });
  });

  test("enters when a member answers, above the incarnation of its former life", () => {
    const it = new LoneMember(1, {}, ["5"]);
    it.hear(5, { kind: "answer", from: lifeOf(5), members: [entry(5)] });
    expect(it.state).toMatchObject({ phase: "member", hasCaughtUp: true });
    expect(it.told).toEqual(["joined m5", "joined m0"]);
    const again = new LoneMember(1, {}, ["5"]);
    again.hear(5, { kind: "answer", from: lifeOf(5), you: entry(0, { life: 3, incarnation: 6, status: "failed" }) });
    expect(again.state.members.get("m0")).toMatchObject({ incarnation: 7, life: lifeOf(0) });
  });

  test("whose name somebody has elsewhere asks that one, four times, and gives way if it answers", () => {
    const taken = { kind: "answer", from: lifeOf(5), you: entry(0, { life: 3, address: "9" }) } as const;
    const it = new LoneMember(1, {}, ["5"]);
    it.hear(5, taken);
    expect(it.state.phase).toBe("checking");
    const [{ seq, node }] = it.said("ping");
    expect(node).toBe(9);
    it.hear(9, { kind: "ack", seq, from: 3 });
    expect(it.state).toMatchObject({ phase: "refused", refusal: expect.stringContaining('"m0" is taken') });
    const free = new LoneMember(1, {}, ["5"]);
    free.hear(5, taken);
    let asked = free.said("ping").length;
    for (let tick = 0; tick < 20 && free.state.phase === "checking"; tick++) {
      free.tick();
      asked += free.said("ping").filter((ping) => ping.node === 9).length;
    }
    expect([asked, free.state.phase, free.state.members.get("m0")?.incarnation]).toEqual([4, "member", 1]);
  });

  test("that was told only a part asks the next one for the rest", () => {
    const it = new LoneMember(1, {}, ["5"]);
    it.hear(5, { kind: "answer", from: lifeOf(5), members: [entry(5)], part: 7 });
    expect(it.state).toMatchObject({ phase: "member", hasCaughtUp: false, lesson: 7, compareAt: 1 });
    it.tick();
    expect(it.said("digest")[0]).toMatchObject({ first: 7, me: expect.anything() });
  });
});

describe("a probe", () => {
  function probing(health = 0, n = 6): LoneMember {
    const it = new LoneMember(n);
    it.state.health = health;
    it.state.probeAt = 0;
    it.tick();
    expect(it.said("ping")).toHaveLength(1);
    it.state.probeAt = Infinity;
    return it;
  }
  const probed = (it: LoneMember) => [...it.state.probing.values()][0];

  test.each([0, 1, 3])("of a member with health %i asks helpers and ends after times that grow with it", (health) => {
    const it = probing(health);
    const { now } = it.state;
    expect(probed(it)).toMatchObject({ helpAt: now + timeout * (1 + health), overAt: now + period * (1 + health) });
    it.tick(timeout * (1 + health) - 1);
    expect(it.said("ask")).toEqual([]);
    it.tick();
    expect(it.said("ask")).toHaveLength(3);
    it.tick();
    expect(it.said("ask")).toEqual([]);
  });

  test("that is answered counts as a direct answer, or as a lost one where helpers had been asked; health recovers", () => {
    for (const [wait, lost] of [
      [0, 0],
      [timeout, 1],
    ]) {
      const it = probing(2);
      it.tick(3 * wait);
      const { seq, life, name } = probed(it);
      it.state.silent.add(name);
      it.hear(1, { kind: "ack", seq, from: life });
      it.tick();
      expect(it.state).toMatchObject({ probes: 1, lost, health: 1 });
      expect([it.state.probing.size, it.state.silent.size]).toEqual([0, 0]);
    }
  });

  test("goes to every live member before it goes to any of them again, also after others have died", () => {
    const it = new LoneMember(7);
    const dead = (node: number) => it.hear(1, gossip(1, entry(node, { status: "failed" })));
    for (const [gone, left] of [
      [null, [1, 2, 3, 4, 5, 6]],
      [3, [1, 2, 4, 5, 6]],
      [6, [1, 2, 4, 5]],
    ] as const) {
      if (gone !== null) dead(gone);
      it.state.turn = it.state.order.length;
      const asked: number[] = [];
      for (let turn = 0; turn < left.length; turn++) {
        it.state.probeAt = 0;
        it.tick();
        const [{ node, seq }] = it.said("ping");
        asked.push(node);
        it.hear(node, { kind: "ack", seq, from: lifeOf(node) });
      }
      expect(asked.sort()).toEqual(left);
    }
  });

  describe("of a member in bad health, begun with one that", () => {
    /** Two probes, the second so many ticks after the first; what is answered, and how long after its own beginning. */
    function pair(apart: number, answered: 0 | 1, after: number, arrivals = 0) {
      const it = probing(3);
      it.state.arrivals = arrivals;
      if (apart > 0) it.tick(apart);
      it.state.probeAt = 0;
      it.tick();
      it.state.probeAt = Infinity;
      const probes = [...it.state.probing.values()];
      it.tick(Math.max(0, after - 1 - (answered === 0 ? apart + 1 : 0)));
      const { seq, life } = probes[answered];
      it.hear(1, { kind: "ack", seq, from: life });
      it.tick();
      const { helpAt, overAt, begunAt } = probes[1 - answered];
      return { helpAt: helpAt - begunAt, overAt: overAt - begunAt };
    }
    const patient = { helpAt: 4 * timeout, overAt: 4 * period };

    test("is answered in time, ends as that of a healthy member", () => {
      expect(pair(0, 1, 1)).toEqual({ helpAt: timeout, overAt: period });
      expect(pair(2, 1, timeout)).toEqual({ helpAt: 2 + 1 + timeout, overAt: 2 + 1 + period });
    });

    test("is answered late, or began earlier, goes on as it was; while many join, as of a member that is patient", () => {
      expect(pair(0, 1, timeout + 1)).toEqual(patient);
      expect(pair(0, 0, timeout)).toEqual(patient);
      expect(pair(0, 1, 1, 200)).toEqual(patient);
    });
  });

  test.each([
    [() => 0, 1],
    [(most: number) => most - 1, 19],
  ])(
    "in a group of 512 is followed by the next after a random time, on average 10 ticks: %o, %i ticks",
    (choose, ticks) => {
      const it = new LoneMember(2 * LARGE);
      it.choose = choose;
      it.state.probeAt = 0;
      it.tick();
      expect(it.state.probeAt - it.state.now).toBe(ticks);
    },
  );

  test("that another life answers is not answered", () => {
    const it = probing();
    const { seq } = probed(it);
    it.hear(1, { kind: "ack", seq, from: 999 });
    expect(probed(it).answered).toBe(false);
  });

  test.each([
    [0, 3],
    [2, 1],
    [3, 0],
    [5, 0],
  ])("in vain, of whose helpers %i said so: health worsens by those that said nothing, %i", (nacks, worse) => {
    const it = probing();
    it.tick(timeout);
    const { seq, name, asked } = probed(it);
    expect(asked).toBe(3);
    for (let i = 0; i < nacks; i++) it.hear(2, { kind: "nack", seq });
    it.tick(period);
    expect(it.state.health).toBe(worse);
    expect(it.state.members.get(name)?.status).toBe("suspect");
    expect([...it.state.silent]).toEqual([name]);
    expect(it.state.accusations).toBe(1);
  });

  test("in vain without helpers worsens health by one, and never beyond the worst", () => {
    const it = probing(worst, 2);
    it.tick(period * (1 + worst));
    expect(it.state.health).toBe(worst);
    const other = probing(0, 2);
    other.tick(period);
    expect(other.state.health).toBe(1);
  });

  test("in vain says nothing against a member that has started again, nor where this member is an outcast", () => {
    const it = probing();
    const { name } = probed(it);
    it.state.members.set(name, { ...it.state.members.get(name)!, life: 999 });
    it.tick(period);
    expect([it.state.accusations, it.state.silent.size]).toEqual([0, 0]);
    const outcast = probing();
    outcast.state.isOutcast = true;
    outcast.tick(period);
    expect([outcast.state.accusations, outcast.state.silent.size]).toEqual([0, 1]);
  });

  test("counts of probes are halved when they are many, so that they speak of lately", () => {
    const it = probing();
    Object.assign(it.state, { probes: 2047, lost: 101 });
    const { seq, life } = probed(it);
    it.hear(1, { kind: "ack", seq, from: life });
    it.tick();
    expect(it.state).toMatchObject({ probes: 1024, lost: 50 });
  });

  test("in vain is followed by more at once, as many as alarms feed no alarms", () => {
    for (const [probes, lost, most] of [
      [2000, 0, 32],
      [100, 20, 4],
      [100, 40, 0],
    ]) {
      const it = probing(0, 50);
      it.tick(timeout);
      Object.assign(it.state, { probes, lost });
      it.tick(period - timeout);
      expect(it.said("ping").length).toBe(most);
      const names = [...it.state.probing.values()].map(({ name }) => name);
      expect(new Set(names).size).toBe(names.length);
    }
  });

  test.each([
    [2000, 0, 31],
    [40, 0, 10],
    [100, 2, 4],
    [3, 0, 0],
  ])(
    "whose direct answer is late is followed by a few more, once: after %i probes, %i of them late, by %i",
    (probes, lost, more) => {
      const it = probing(0, 50);
      it.tick(timeout - 1);
      Object.assign(it.state, { probes, lost });
      it.tick();
      // Probed, helpers not counted.
      expect(it.said("ping").length).toBe(more);
      it.tick();
      expect(it.said("ping")).toEqual([]);
    },
  );

  test("whose direct answer is late is followed by no other where some are suspected already", () => {
    const it = probing(0, 50);
    it.hear(7, gossip(7, entry(8, { status: "suspect" }, [lifeOf(7)])));
    it.state.probes = 2000;
    it.tick(timeout);
    expect([it.said("ask").length, it.said("ping").length]).toEqual([3, 0]);
  });

  test("in vain is followed by as many more where others are under way", () => {
    const it = probing(0, 50);
    it.state.probeAt = 0;
    it.tick();
    it.state.probeAt = Infinity;
    it.tick(period - 2);
    Object.assign(it.state, { probes: 100, lost: 20 });
    it.tick();
    expect(it.said("ping")).toHaveLength(4);
  });
});

test.each([
  ["seek", 1],
  ["proof", 0],
] as const)("an answer to a %s is followed by %i comparisons", (why, digests) => {
  const it = new LoneMember(5);
  it.act((state, ctx) => pingFor(state, why, known(3), ctx));
  const [{ seq }] = it.said("ping");
  it.hear(3, { kind: "ack", seq, from: lifeOf(3) });
  expect(it.said("digest")).toHaveLength(digests);
});

describe("an errand", () => {
  const ask = { kind: "ask", seq: 77, life: lifeOf(3), address: "3" } as const;

  test("pings in another's place, passes the answer on, and says when there was none", () => {
    const it = new LoneMember(5);
    it.hear(1, ask);
    const [ping] = it.said("ping");
    expect(ping).toMatchObject({ node: 3, to: lifeOf(3) });
    it.hear(3, { kind: "ack", seq: ping.seq, from: lifeOf(3) });
    expect(it.said("ack")).toEqual([{ node: 1, kind: "ack", seq: 77, from: lifeOf(3), via: true }]);
    it.hear(1, ask);
    it.tick(timeout - 1);
    expect(it.said("nack")).toEqual([]);
    it.tick();
    expect(it.said("nack")).toEqual([{ node: 1, kind: "nack", seq: 77 }]);
    expect(it.state.asked.size).toBe(0);
  });

  test("whose answer comes from another life is not passed on", () => {
    const it = new LoneMember(5);
    it.hear(1, ask);
    const [{ seq }] = it.said("ping");
    it.hear(3, { kind: "ack", seq, from: 999 });
    expect(it.said("ack")).toEqual([]);
  });

  test("is refused beyond 512 at a time", () => {
    const it = new LoneMember(5);
    for (let i = 0; i < 513; i++) it.hear(1, ask);
    expect([it.state.asked.size, it.sent]).toEqual([512, []]);
  });
});

describe("a suspicion", () => {
  test("is told again each time that its least time has passed without enough confirmations", () => {
    const it = new LoneMember(8);
    it.act((state, ctx) => accuse(state, "m3", ctx));
    const least = profiles.lan.doubt * period;
    for (let i = 1; i <= 2; i++) {
      it.tick(least - 1);
      expect(it.state.rumours.has("mm3")).toBe(false);
      it.tick();
      expect(it.said("gossip")[0].members).toEqual([entry(3, { status: "suspect" }, [lifeOf(0)])]);
    }
  });

  test("by this member lasts as stated; confirmations make it shorter; a last call comes before its end", () => {
    const it = new LoneMember(8);
    it.tick(10);
    it.act((state, ctx) => accuse(state, "m3", ctx));
    const suspicion = () => it.state.suspicions.get("m3")!;
    expect(it.told).toEqual(["suspected m3"]);
    expect(suspicion()).toMatchObject({ since: 5, by: [lifeOf(0)], due: 5 + doubtFor(profiles.lan, 8, 0) });
    const suspect = (node: number) => it.hear(node, gossip(node, entry(3, { status: "suspect" }, [lifeOf(node)])));
    suspect(4);
    suspect(4);
    expect(suspicion()).toMatchObject({ by: [lifeOf(0), lifeOf(4)], due: 5 + doubtFor(profiles.lan, 8, 1) });
    expect(isConfirmed(it.state, "m3")).toBe(false);
    for (const node of [5, 6, 7]) suspect(node);
    expect(suspicion().by).toHaveLength(4);
    expect(isConfirmed(it.state, "m3")).toBe(true);
    const { due } = suspicion();
    expect(due).toBe(5 + doubtFor(profiles.lan, 8, 3));
    it.tick(due - 2 * timeout - it.state.now - 1);
    expect(suspicion().hasCalled).toBe(false);
    it.tick();
    expect(suspicion()).toMatchObject({ hasCalled: true, due });
    expect(it.said("ping")).toMatchObject([{ node: 3, about: entry(3, { status: "suspect" }) }]);
    for (let i = 1; i < 2 * timeout; i++) {
      it.tick();
      expect(it.said("ping")).toHaveLength(1);
    }
    expect(it.state.members.get("m3")?.status).toBe("suspect");
    it.tick();
    expect(it.said("ping")).toEqual([]);
    expect(it.state.members.get("m3")?.status).toBe("failed");
    expect(it.told).toEqual(["failed m3"]);
  });

  test("that is heard counts from the unanswered ping, but for the time that the news may have taken", () => {
    const it = new LoneMember(8);
    it.tick(10);
    it.hear(4, gossip(4, entry(3, { status: "suspect" }, [lifeOf(4)])));
    expect(it.state.suspicions.get("m3")?.since).toBe(10 - period + timeout);
  });

  describe("with all its confirmations ends a tenth sooner", () => {
    const accusers = [56, 57, 58, 59].map(lifeOf);
    const suspect = (it: LoneMember, count: number, by = accusers) => {
      for (let node = 1; node <= count; node++) it.hear(56, gossip(56, entry(node, { status: "suspect" }, by)));
    };
    const lasts = (it: LoneMember) => {
      const { due, since } = it.state.suspicions.get("m1")!;
      return due - since;
    };
    const least = profiles.lan.doubt * period;

    test.each([
      [60, 7, least],
      [60, 8, 0.9 * least],
      [60, 20, 0.9 * least],
      [60, 21, least],
      [99, 9, least],
      [99, 10, 0.9 * least],
    ])(
      "where many are silent, but not a large part: among %i members with %i suspects it lasts %i ticks",
      (n, count, ticks) => {
        const it = new LoneMember(n);
        suspect(it, count);
        expect(lasts(it)).toBe(ticks);
      },
    );

    test("only where all have confirmed it", () => {
      const it = new LoneMember(60);
      suspect(it, 10, accusers.slice(1));
      expect(lasts(it)).toBe(doubtFor(profiles.lan, 60, 2));
    });

    test("unless one of them has refuted that lately: the others may live too", () => {
      const it = new LoneMember(60);
      suspect(it, 10);
      it.hear(2, gossip(2, entry(2, { incarnation: 1 })));
      expect(it.state.refutedAt).toBe(0);
      expect(lasts(it)).toBe(least);
      it.state.refutedAt = it.state.now - least;
      suspect(it, 12);
      expect(lasts(it)).toBe(least);
      it.state.refutedAt--;
      suspect(it, 13);
      expect(lasts(it)).toBe(0.9 * least);
    });
  });

  test("ends in time, and is called out once, although others come near their end in each tick", () => {
    const it = new LoneMember(60);
    const accusers = [lifeOf(56), lifeOf(57), lifeOf(58), lifeOf(59)];
    const suspect = (node: number) => it.hear(56, gossip(56, entry(node, { status: "suspect" }, accusers)));
    suspect(1);
    const { due } = it.state.suspicions.get("m1")!;
    for (let node = 2; it.state.now < due; node++) {
      it.tick();
      suspect(node);
    }
    expect(it.state.members.get("m1")?.status).toBe("failed");
  });

  test("of others: this member does not ask the suspect itself in its last call", () => {
    const it = new LoneMember(8);
    it.hear(4, gossip(4, entry(3, { status: "suspect" }, [lifeOf(4)])));
    it.tick(it.state.suspicions.get("m3")!.due - timeout);
    expect(it.state.suspicions.get("m3")!.hasCalled).toBe(true);
    expect(it.said("ping")).toEqual([]);
  });

  test("of many: no news are spent on the suspects that are asked once more, so the living hear them", () => {
    const it = new LoneMember(60);
    const suspects = Array.from({ length: 12 }, (_, i) => i + 1);
    it.act((state, ctx) => {
      for (const node of suspects) accuse(state, `m${node}`, ctx);
    });
    const by = [50, 51, 52].map(lifeOf);
    const members = suspects.map((node) => entry(node, { status: "suspect" }, by));
    it.hear(50, { kind: "gossip", from: lifeOf(50), members });
    while (it.said("ping").length === 0) it.tick();
    it.hear(50, { kind: "gossip", from: lifeOf(50), members: [entry(40, { incarnation: 1 })] });
    it.tick();
    const tell = (kind: "ping" | "gossip") =>
      it.said(kind).map(({ members = [] }) => members.some(([of]) => of === "m40"));
    expect(tell("ping")).toEqual(suspects.map(() => false));
    expect(tell("gossip")).toContain(true);
  });

  test("is told again by one who said it before and still hears nothing", () => {
    const it = new LoneMember(8);
    it.act((state, ctx) => accuse(state, "m3", ctx));
    it.tick(9);
    expect(it.state.rumours.size).toBe(0);
    it.act((state, ctx) => accuse(state, "m3", ctx));
    expect(it.state.rumours.get("mm3")).toBe(0);
    expect(it.told).toEqual([]);
  });

  test("of this member is refuted by a larger incarnation, at once; what is older raises it no further", () => {
    const it = new LoneMember(5);
    it.hear(2, gossip(2, entry(0, { status: "suspect" }, [lifeOf(2)])));
    expect(it.state.members.get("m0")).toMatchObject({ incarnation: 1, status: "alive" });
    expect(it.state).toMatchObject({ health: 1, isOutcast: false });
    expect(it.said("gossip").length).toBeGreaterThan(0);
    it.hear(2, gossip(2, entry(0, { status: "suspect" }, [lifeOf(2)])));
    expect(it.state.members.get("m0")?.incarnation).toBe(1);
    it.hear(2, gossip(2, entry(0, { status: "failed", incarnation: 4 })));
    expect(it.state.members.get("m0")?.incarnation).toBe(5);
    expect(it.state.isOutcast).toBe(true);
    it.hear(2, gossip(2, entry(0, { incarnation: 9 })));
    expect(it.state).toMatchObject({ health: 2 });
  });

  test("of this member that it has refuted, unheard, is refuted again: others that take it for dead cannot suspect it again", () => {
    const it = new LoneMember(5);
    const own = memberSubject("m0");
    it.hear(2, gossip(2, entry(0, { status: "failed" })));
    Object.assign(it.state, { rumours: new Map(), levels: [] });
    it.hear(2, gossip(2, entry(0, { status: "suspect" }, [lifeOf(2)])));
    expect(it.state.rumours.has(own)).toBe(false);
    it.hear(2, gossip(2, entry(0, { status: "failed" })));
    expect(it.state.rumours.has(own)).toBe(true);
    expect(it.state.members.get("m0")).toMatchObject({ incarnation: 1, status: "alive" });
  });

  test("by a member that is dead here is not believed; by one that lives, of a dead member, it is answered", () => {
    const it = new LoneMember(6);
    it.hear(1, gossip(1, entry(2, { status: "failed" })));
    it.hear(2, gossip(2, entry(3, { status: "suspect" }, [lifeOf(2)])));
    expect(it.state.members.get("m3")?.status).toBe("alive");
    expect(it.sent).toEqual([]);
    it.hear(1, gossip(1, entry(2, { status: "suspect", incarnation: 1 }, [lifeOf(1)])));
    expect(it.said("gossip")).toMatchObject([
      { node: 1, members: [entry(2, { status: "suspect", incarnation: 1 }, [lifeOf(1), lifeOf(0)])] },
    ]);
    it.hear(1, gossip(1, entry(2, { status: "suspect" }, [lifeOf(1)])));
    expect(it.said("gossip")).toMatchObject([{ node: 1, members: [entry(2, { status: "failed" })] }]);
  });

  test.each([
    ["is confirmed", [1, 4, 5], [1, 4, 5, 0]],
    ["is confirmed where nobody is named", [], [0]],
    ["is not confirmed twice", [0, 1], null],
    ["is not confirmed where enough others have", [1, 3, 4, 5], null],
  ])("of a member that is dead here %s", (_, accusers, answered) => {
    const it = new LoneMember(6);
    it.hear(1, gossip(1, entry(2, { status: "failed" })));
    const suspected = (by: number[]) => entry(2, { status: "suspect", incarnation: 1 }, by.map(lifeOf));
    it.hear(1, gossip(1, suspected(accusers)));
    expect(it.said("gossip").map(({ members }) => members)).toEqual(answered === null ? [] : [[suspected(answered)]]);
  });
});

describe("the dead", () => {
  const bury = (it: LoneMember, node: number, from = 1) =>
    it.hear(from, gossip(from, entry(node, { status: "failed" })));

  test("that speak for themselves are asked", () => {
    const it = new LoneMember(6);
    bury(it, 2);
    it.hear(2, gossip(2, entry(2, { incarnation: 1 })));
    expect([...it.state.claims.keys()]).toEqual(["m2"]);
  });

  test("that are said to live are asked no more once that life is said to be over, but still if an earlier one is", () => {
    const it = new LoneMember(6);
    bury(it, 3);
    it.hear(1, gossip(1, entry(3, { incarnation: 3 })));
    for (const [incarnation, asked] of [
      [2, 1],
      [3, 0],
    ]) {
      it.hear(1, gossip(1, entry(3, { status: "failed", incarnation })));
      expect([it.state.claims.size, it.state.members.get("m3")?.incarnation]).toEqual([asked, incarnation]);
    }
  });

  test("that are said to live are asked four times, and count once they have answered", () => {
    const it = new LoneMember(6);
    bury(it, 3);
    const claimed = gossip(1, entry(3, { incarnation: 1 }));
    it.hear(1, claimed);
    expect([it.state.live.length, it.state.claims.size]).toEqual([5, 1]);
    let asked = 0;
    for (let tick = 0; tick < 40; tick++) {
      it.tick();
      asked += it.said("ping").filter(({ node }) => node === 3).length;
    }
    expect([asked, it.state.claims.size]).toEqual([4, 0]);
    it.hear(1, claimed);
    it.tick();
    const [{ seq }] = it.said("ping").filter(({ node }) => node === 3);
    it.hear(3, { kind: "ack", seq, from: lifeOf(3) });
    expect(it.state.members.get("m3")).toMatchObject({ status: "alive", incarnation: 1 });
    expect([it.state.live.length, it.state.claims.size]).toEqual([6, 0]);
    expect(it.told).toEqual(["joined m3"]);
  });

  /** m3 is dead here, and a later life of it is said to live. */
  function withClaim(n = 6) {
    const it = new LoneMember(n);
    bury(it, 3);
    const later = { life: 900 };
    it.hear(1, gossip(1, entry(3, later)));
    const suspected = (...by: number[]) => entry(3, { ...later, status: "suspect" }, by.map(lifeOf));
    return { it, suspected };
  }

  test.each([
    ["is confirmed to the accusers", [1, 2], [1, 2, 0]],
    ["is confirmed to the accusers that live", [1, 3], [1, 3, 0]],
    ["is not confirmed where enough others have", [1, 2, 4, 5], null],
    ["is not confirmed twice", [1, 0], null],
  ])("a later life that was asked in vain, and is suspected meanwhile, %s", (_, accusers, said) => {
    const { it, suspected } = withClaim();
    it.tick(3);
    it.hear(1, gossip(1, suspected(...accusers)));
    it.tick(4 * 2 * timeout);
    const told = it.said("gossip").filter(({ members }) => members?.some(([, , , , status]) => status === 1));
    const expected = (said === null ? [] : accusers.filter((node) => node !== 3)).map((node) => ({
      node,
      members: [suspected(...said!)],
    }));
    expect(told.map(({ node, members }) => ({ node, members }))).toEqual(expected);
  });

  test("a later life that is suspected while it is asked is asked four times in all, and not again by who confirmed that", () => {
    const { it, suspected } = withClaim();
    let asked = 0;
    for (let tick = 0; tick < 40; tick++) {
      it.hear(1, gossip(1, tick < 16 ? suspected(1) : suspected(1, 0)));
      it.tick();
      asked += it.said("ping").filter(({ node }) => node === 3).length;
    }
    expect([asked, it.state.claims.size]).toEqual([4, 0]);
  });

  test.each([
    [LARGE + 1, false, 1],
    [LARGE + 2, false, 0],
    [LARGE + 2, true, 1],
  ])("of %i members, all or some confirm the suspicion of a later life (coin: %s)", (n, coin, confirmed) => {
    const { it, suspected } = withClaim(n);
    it.coin = () => coin;
    it.hear(1, gossip(1, suspected(1)));
    it.tick(4 * 2 * timeout + 1);
    const told = it
      .said("gossip")
      .filter(({ members }) => JSON.stringify(members) === JSON.stringify([suspected(1, 0)]));
    expect(told.length).toBe(confirmed);
  });

  test("a member that is taken for dead itself confirms no suspicion of a later life", () => {
    const { it, suspected } = withClaim();
    it.hear(1, gossip(1, suspected(1)));
    it.hear(1, gossip(1, entry(0, { status: "failed" })));
    it.tick(4 * 2 * timeout + 1);
    expect(it.sent.filter(({ message }) => JSON.stringify(message).includes(JSON.stringify(suspected(1, 0))))).toEqual(
      [],
    );
  });

  test("are remembered as long as is stated, and then their links end, unless others are at that address", () => {
    const it = new LoneMember(6, { tombstone: 10 });
    bury(it, 3);
    bury(it, 4);
    it.state.members.set("m5", known(5, { address: "4" }));
    it.tick(9);
    expect(it.state.members.has("m3")).toBe(true);
    it.tick();
    expect([it.state.members.has("m3"), it.state.members.has("m4"), it.state.lives.has(lifeOf(3))]).toEqual([
      false,
      false,
      false,
    ]);
    expect(it.unlinked).toEqual([3]);
    // Nobody is reminded of them.
    bury(it, 3);
    expect(it.state.members.has("m3")).toBe(false);
  });

  test("are looked for now and then, but not those that left", () => {
    const it = new LoneMember(6);
    it.hear(1, gossip(1, entry(3, { status: "left" })));
    it.state.seekAt = 0;
    it.tick();
    expect(it.said("ping")).toEqual([]);
    bury(it, 4);
    it.state.seekAt = 0;
    it.tick();
    expect(it.said("ping")).toMatchObject([{ node: 4 }]);
    expect(it.state.seekAt).toBe(it.state.now + (profiles.lan.seekEvery >> 1));
  });

  test("are not counted among the trusted, nor are suspects and the silent; all others, where nobody spoke for long", () => {
    const it = new LoneMember(6);
    expect(trusted(it.state, 5)).toBe(6);
    it.act((state, ctx) => accuse(state, "m3", ctx));
    it.state.silent.add("m3");
    it.state.silent.add("m4");
    expect(trusted(it.state, 5)).toBe(4);
    it.state.now = it.state.metAt + 5;
    expect(trusted(it.state, 5)).toBe(4);
    it.state.now++;
    expect(trusted(it.state, 5)).toBe(1);
  });
});

test("another life of a live member counts once it has answered, and the one that is known is told of it", () => {
  const it = new LoneMember(5);
  const said = entry(2, { life: 999, incarnation: 1, address: "8" });
  it.hear(1, gossip(1, said));
  expect(it.said("gossip")).toEqual([{ node: 2, kind: "gossip", from: lifeOf(0), members: [said] }]);
  expect(it.state.members.get("m2")?.life).toBe(lifeOf(2));
  it.tick();
  const [{ seq }] = it.said("ping").filter(({ node }) => node === 8);
  it.hear(8, { kind: "ack", seq, from: 999 });
  expect(it.state.members.get("m2")).toMatchObject({ life: 999, incarnation: 1 });
  expect(it.told).toEqual(["failed m2", "joined m2"]);
});

test("what a member tells of itself has a larger incarnation each time", () => {
  const it = new LoneMember(3);
  it.act((state, ctx) => setMeta(state, { zone: "b" }, ctx));
  expect(it.state.members.get("m0")).toMatchObject({ incarnation: 1, meta: { zone: "b" } });
  expect(it.state.rumours.get("mm0")).toBe(0);
});

describe("large groups", () => {
  const pinged = (it: LoneMember) => it.said("ping").map(({ node }) => node);
  /** Probes from now on, and everybody else is silent. */
  const probing = (n: number): LoneMember => {
    const it = new LoneMember(n);
    it.state.probeAt = 0;
    return it;
  };

  test("each member probes one other a period among 256, and a quarter as often among 1,024", () => {
    for (const [n, periods] of [
      [256, 1],
      [1024, 4],
    ]) {
      const it = probing(n);
      // The mean of what is drawn.
      it.choose = (most) => most >> 1;
      it.tick(1);
      expect(pinged(it)).toHaveLength(1);
      it.tick(5 * periods - 1);
      expect(pinged(it)).toEqual([]);
      it.tick(1);
      expect(pinged(it)).toHaveLength(1);
    }
  });

  test("a few of those that hear of a suspicion probe the suspect at once, in groups of more than 256", () => {
    for (const [n, coin, expected] of [
      [300, true, [200]],
      [300, false, []],
      [256, true, []],
    ] as const) {
      const it = new LoneMember(n);
      it.coin = () => coin;
      it.hear(1, gossip(1, entry(200, { status: "suspect" }, [lifeOf(1)])));
      it.tick(1);
      expect(pinged(it)).toEqual(expected);
    }
  });

  test("a member that meets more than 32 newcomers compares within two periods", () => {
    for (const [newcomers, isSoon] of [
      [32, false],
      [33, true],
    ] as const) {
      const it = new LoneMember(40);
      const members = Array.from({ length: newcomers }, (_, i) => entry(40 + i));
      it.hear(1, gossip(1, ...members));
      expect(it.state.compareAt <= it.state.now + 2 * it.state.profile.period).toBe(isSoon);
    }
  });

  test("while many arrive a probe waits for helpers five times as long", () => {
    for (const [arrivals, wait] of [
      [0, 2],
      [1000, 10],
    ]) {
      const it = probing(60);
      it.tick(1);
      it.state.arrivals = arrivals;
      it.state.probeAt = it.state.now;
      it.tick(1);
      it.state.probing.delete([...it.state.probing.keys()][0]);
      const [probe] = it.state.probing.values();
      expect(probe.helpAt - it.state.now).toBe(wait);
    }
  });
});

test("digests must never drift: members of different versions compare them", () => {
  expect(["", "mm1", "nk", "m1 7 0 dead"].map(textDigest)).toEqual([2872998923, 53062386, 438872525, 1177451714]);
});

test("members that were found silent come last, and all others in any order", () => {
  const it = new LoneMember(6);
  it.state.silent.add("m3");
  const asked: number[] = [];
  const ctx = { choose: (most: number) => 0 * asked.push(most) };
  const names = sampleHeard(it.state, 5, ctx).map(({ name }) => name);
  expect([new Set(names).size, names.at(-1)]).toEqual([5, "m3"]);
  // Each of the five has the same chance of each place.
  expect(asked.slice(-4)).toEqual([5, 4, 3, 2]);
});

test("a suspicion that is almost over is told to three others once more, who answer if they know better", () => {
  const it = new LoneMember(6);
  it.act((state, ctx) => accuse(state, "m3", ctx));
  Object.assign(it.state, { rumours: new Map(), levels: [], doubtDue: it.state.now + 1 });
  const suspicion = it.state.suspicions.get("m3")!;
  Object.assign(suspicion, { due: it.state.now + 1 + timeout, hasCalled: false });
  it.tick();
  const told = it.said("gossip");
  expect(told.map(({ members }) => members?.map(([name]) => name))).toEqual([["m3"], ["m3"], ["m3"]]);
  expect(suspicion.hasCalled).toBe(true);
});

test("an accusation of an earlier incarnation confirms nothing; one of the present record does", () => {
  const it = new LoneMember(6);
  it.hear(1, gossip(1, entry(3, { incarnation: 1 })));
  it.hear(1, gossip(1, entry(3, { incarnation: 1, status: "suspect" }, [lifeOf(1)])));
  const by = () => [...it.state.suspicions.get("m3")!.by];
  expect(by()).toEqual([lifeOf(1)]);
  it.hear(2, gossip(2, entry(3, { status: "suspect" }, [lifeOf(2)])));
  expect(by()).toEqual([lifeOf(1)]);
  it.hear(2, gossip(2, entry(3, { incarnation: 1, status: "suspect" }, [lifeOf(2)])));
  expect(by()).toEqual([lifeOf(1), lifeOf(2)]);
});
