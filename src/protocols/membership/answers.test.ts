/** Pings, answers and the dead that are said to live, at their limits; and the numbers of the profiles. Times in ticks. */
import { describe, expect, test } from "vitest";
import { entry, known, LoneMember, lifeOf } from "../../../test/support/lone-member.ts";
import type { MembershipMessage } from "./messages.ts";
import { silentProbe } from "./predict.ts";
import {
  doubtFor,
  leastDoubt,
  probeEvery,
  profiles,
  spreading,
  transmissions,
  wantedConfirmations,
} from "./profile.ts";
import { isConfirmed, store } from "./view.ts";

const { timeout, proofs, seekEvery, tombstone } = profiles.lan;
const gossip = (from: number, ...members: ReturnType<typeof entry>[]): MembershipMessage => ({
  kind: "gossip",
  from: lifeOf(from),
  members,
});
const ping = (from: number, changes: object = {}) =>
  ({ kind: "ping", seq: 9, to: lifeOf(0), from: lifeOf(from), ...changes }) as MembershipMessage;

describe("a ping", () => {
  test.each([
    ["to this life shows that its sender counts it as a member", {}, 3],
    ["to another life does not", { to: 5 }, 0],
    ["that believes something worse does not", { about: entry(0, { status: "suspect" }) }, 0],
  ])("%s", (_, changes, metAt) => {
    const it = new LoneMember(4);
    it.tick(3);
    it.hear(2, ping(2, changes));
    expect(it.state.metAt).toBe(metAt);
  });

  test("to a joiner lets it in; one to another life does not", () => {
    const it = new LoneMember(1, {}, ["5"]);
    it.hear(5, ping(5, { to: 5 }));
    expect(it.state.phase).toBe("joining");
    it.hear(5, ping(5));
    expect(it.state.phase).toBe("member");
  });

  test.each([
    ["who has it right is told nothing", {}, 2, false, {}],
    ["who means another life is told of this one", { to: 5 }, 2, true, {}],
    ["who believes something is told how it is", { about: entry(0, { status: "suspect" }) }, 2, true, {}],
    ["who is not known is asked who it is", {}, 50, false, { who: true }],
    ["who is suspected here is told so", {}, 3, false, { about: entry(3, { status: "suspect" }) }],
    ["who is dead here is told so", {}, 1, false, { about: entry(1, { status: "failed" }) }],
  ])("%s", (_, changes, from, tellsOfItself, more) => {
    const it = new LoneMember(4);
    it.state.members.set("m3", known(3, { status: "suspect" }));
    it.state.members.set("m1", known(1, { status: "failed" }));
    it.hear(from, ping(from, changes));
    const [ack] = it.said("ack");
    expect([ack.me !== undefined, ack.seq, ack.node]).toEqual([tellsOfItself, 9, from]);
    expect({ ...(ack.who === true && { who: true }), ...(ack.about !== undefined && { about: ack.about }) }).toEqual(
      more,
    );
  });

  test("is not answered by a process that has left, nor what comes from itself", () => {
    const it = new LoneMember(4);
    it.hear(-1, ping(2));
    expect(it.said("ack")).toEqual([]);
    for (const phase of ["gone", "refused"] as const) {
      it.state.phase = phase;
      it.hear(2, ping(2));
      expect(it.said("ack")).toEqual([]);
    }
  });
});

describe("an answer", () => {
  const asks = (it: LoneMember) => {
    it.state.probeAt = it.state.now + 1;
    it.tick();
    return it.said("ping")[0];
  };

  test.each([
    ["straight shows that others count this member", {}, true],
    ["through a helper does not", { via: true }, false],
    ["to no question does not", { seq: 77 }, false],
  ])("%s", (_, changes, counts) => {
    const it = new LoneMember(4);
    it.tick(2);
    const { seq, node } = asks(it);
    it.state.isOutcast = true;
    it.hear(node, { kind: "ack", seq, from: lifeOf(node), ...changes } as MembershipMessage);
    expect([it.state.isOutcast, it.state.metAt]).toEqual([!counts, counts ? 3 : 0]);
  });

  test("that asks who this is is told by a member", () => {
    const it = new LoneMember(4);
    const { seq, node } = asks(it);
    it.hear(node, { kind: "ack", seq, from: lifeOf(node), who: true });
    expect(it.said("gossip")).toEqual([{ node, kind: "gossip", from: lifeOf(0), members: [entry(0)] }]);
  });

  test("of one that was dead, to a question of ours, brings it back only in the life that was asked", () => {
    for (const [life, lives] of [
      [lifeOf(3), true],
      [999, false],
    ] as const) {
      const it = new LoneMember(4);
      it.hear(1, gossip(1, entry(3, { status: "failed" })));
      it.hear(1, gossip(1, entry(3, { incarnation: 1 })));
      it.tick();
      const [{ seq }] = it.said("ping");
      it.hear(3, { kind: "ack", seq, from: life });
      expect(it.state.members.get("m3")?.status === "alive").toBe(lives);
      expect(it.state.asked.size).toBe(0);
    }
  });
});

describe("the dead that are said to live", () => {
  test("are asked at once, again after two timeouts, and so many at a time, each in its turn", () => {
    const it = new LoneMember(40);
    const dead = Array.from({ length: proofs + 2 }, (_, i) => i + 1);
    for (const node of dead) it.hear(30, gossip(30, entry(node, { status: "failed" })));
    it.tick(20);
    for (const node of dead) it.hear(30, gossip(30, entry(node, { incarnation: 1 })));
    const asked = () => {
      it.tick();
      return it.said("ping").map(({ node }) => node);
    };
    expect([asked(), asked(), asked(), asked()]).toEqual([dead.slice(0, proofs), dead.slice(proofs), [], []]);
    expect([asked(), asked()]).toEqual([dead.slice(0, proofs), dead.slice(proofs)]);
    expect(2 * timeout).toBe(4);
  });

  test("by an older record are not asked", () => {
    const it = new LoneMember(4);
    it.hear(1, gossip(1, entry(3, { status: "failed", incarnation: 2 })));
    it.tick(20);
    for (const incarnation of [1, 2]) it.hear(1, gossip(1, entry(3, { incarnation })));
    expect(it.state.claims.size).toBe(0);
    it.hear(1, gossip(1, entry(3, { incarnation: 3 })));
    expect(it.state.claims.get("m3")).toMatchObject({ tries: 0, due: it.state.now, member: { status: "alive" } });
  });
});

describe("a suspicion that is due at once, because many were confirmed meanwhile,", () => {
  test.each([
    [0, timeout],
    [-9, timeout],
    [timeout + 2, timeout + 1],
  ])("is called first, and ends after that: due after %i ticks, over after %i more", (left, over) => {
    const it = new LoneMember(8);
    it.tick(20);
    it.hear(2, gossip(2, entry(3, { status: "suspect" }, [lifeOf(2)])));
    const suspicion = it.state.suspicions.get("m3")!;
    suspicion.due = it.state.now + left;
    it.state.doubtDue = Math.min(it.state.doubtDue, suspicion.due - timeout);
    it.tick();
    expect([suspicion.hasCalled, suspicion.due - it.state.now]).toEqual([left <= timeout + 1, over]);
    it.tick(over - 1);
    expect(it.state.members.get("m3")?.status).toBe("suspect");
    it.tick();
    expect(it.state.members.get("m3")?.status).toBe("failed");
  });
});

test("of newcomers that were told as often as is stated nothing is kept but their records", () => {
  const it = new LoneMember(4);
  it.hear(1, gossip(1, entry(20)));
  it.tick(20);
  expect(it.state.rumours.size).toBe(0);
});

test("of a member that is not known a higher incarnation is believed than of one that is", () => {
  const it = new LoneMember(4);
  it.act((state, ctx) => store(state, known(3, { incarnation: 1 }), ctx));
  for (const node of [3, 20]) it.hear(1, gossip(1, entry(node, { incarnation: 2 ** 52 + 1 })));
  expect(it.state.members.get("m3")?.incarnation).toBe(1);
  expect(it.state.members.get("m20")?.incarnation).toBe(2 ** 52 + 1);
});

test("a probe among two has no helpers, and one among three has one", () => {
  expect(silentProbe(profiles.lan, 2, 0.1)).toBeCloseTo(0.19, 12);
  expect(silentProbe(profiles.lan, 3, 0.1)).toBeCloseTo(0.19 * (1 - 0.9 ** 4), 12);
  expect(silentProbe(profiles.lan, 99, 0.1)).toBeCloseTo(0.19 * (1 - 0.9 ** 4) ** 3, 12);
});

describe("an outcast", () => {
  test("is none again after two searches of the others and a tick", () => {
    const it = new LoneMember(4);
    it.hear(2, gossip(2, entry(0, { status: "failed" })));
    it.tick(2 * seekEvery);
    expect(it.state.isOutcast).toBe(true);
    it.tick();
    expect(it.state.isOutcast).toBe(false);
  });

  test("declares nobody dead meanwhile", () => {
    const it = new LoneMember(4);
    it.hear(2, gossip(2, entry(3, { status: "suspect" }, [lifeOf(2)])));
    it.hear(2, gossip(2, entry(0, { status: "failed" })));
    it.state.outcastAt = Infinity;
    it.tick(1000);
    expect(it.state.members.get("m3")?.status).toBe("suspect");
    expect(isConfirmed(it.state, "m3")).toBe(false);
  });
});

describe("the numbers of a profile", () => {
  test.each([
    [2, 20, 0, 5],
    [3, 20, 1, 6],
    [4, 20, 2, 6],
    [5, 20, 3, 6],
    [256, 20, 3, 10],
    [1024, 22, 3, 11],
  ])("among %i members: least doubt %i, confirmations %i, transmissions %i", (n, least, wanted, times) => {
    expect(leastDoubt(profiles.lan, n)).toBe(least);
    expect(wantedConfirmations(profiles.lan, n)).toBe(wanted);
    expect(transmissions(profiles.lan, n)).toBe(times);
  });

  test.each([
    [1, 0],
    [4, 1],
    [16, 2],
    [1024, 5],
  ])("news reach %i members in %i ticks, and where that is long a suspicion lasts longer", (n, ticks) => {
    expect(spreading(profiles.lan, n)).toBeCloseTo(ticks, 9);
    expect(leastDoubt({ ...profiles.lan, doubt: 0 }, n)).toBeCloseTo(profiles.lan.period + 3 * ticks + timeout, 9);
  });

  test.each([
    [0, 120],
    [1, 70],
    [2, 41],
    [3, 20],
    [9, 20],
  ])("a suspicion that %i others confirm lasts %i ticks", (confirmed, ticks) => {
    expect(doubtFor(profiles.lan, 8, confirmed)).toBe(ticks);
  });

  test("with nobody who could confirm it a suspicion lasts the least time", () => {
    expect([1, 2].map((n) => doubtFor(profiles.lan, n, 0))).toEqual([20, 20]);
  });

  test.each([
    [1, 5],
    [256, 5],
    [512, 10],
    [300, 6],
  ])("among %i a member probes each %i ticks", (n, ticks) => {
    expect(probeEvery(profiles.lan, n)).toBe(ticks);
  });

  test("all profiles remember the dead for a day, by their own ticks", () => {
    for (const each of Object.values(profiles)) expect(each.tombstone * each.tick).toBe(86_400_000);
    expect(tombstone).toBe(432_000);
    const { local, lan, wan } = profiles;
    expect(local).toEqual({ ...lan, name: "local", tick: 100, tombstone: 864_000 });
    expect(wan).toEqual({
      ...lan,
      name: "wan",
      tick: 500,
      period: 10,
      timeout: 5,
      doubt: 5,
      gossipTo: 4,
      tombstone: 172_800,
    });
    expect(lan).toEqual({
      name: "lan",
      tick: 200,
      period: 5,
      timeout: 2,
      helpers: 3,
      doubt: 4,
      patience: 6,
      confirmations: 3,
      health: 8,
      gossipEvery: 1,
      gossipTo: 3,
      spread: 4,
      compareEvery: 75,
      seekEvery: 25,
      seekers: 16,
      joinPatience: 15,
      tombstone: 432_000,
      packet: 1100,
      answers: 128,
      welcomes: 1024,
      proofs: 8,
    });
  });
});
