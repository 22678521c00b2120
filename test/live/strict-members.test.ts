/** Members in strict mode as they ship, in virtual time, over an engine that is slow, silent, restarted and restored. */
import { expect, test } from "vitest";
import { readFence } from "../../src/live/guards/fence.ts";
import { guardKeys } from "../../src/live/guards/keys.ts";
import { insecureKeyring } from "../../src/live/net/keyring.ts";
import { memoryStore } from "../../src/live/store.ts";
import { holderOf, StrictScene, TTL } from "../support/strict-members.ts";

test("the leader has a token and a lease, all know of it, and lines say so", async () => {
  const scene = new StrictScene();
  const members = ["a", "b", "c"].map((name) => scene.start(name));
  expect(
    await scene.until(
      () => holderOf(members) !== undefined && members.every(({ office }) => office().token !== null),
      5000,
    ),
  ).toBe(true);
  const leader = holderOf(members)!;
  const { token } = leader.office();
  expect(members.map(({ office }) => [office().leader, office().token])).toEqual(
    members.map(() => [leader.name, token]),
  );
  const [leads] = leader.of("leads");
  expect(leads.token).toBe(BigInt(token!));
  expect(leads.leaseMs).toBeGreaterThan(TTL * 0.9);
  expect(leads.leaseMs).toBeLessThan(TTL);
  expect(readFence(guardKeys(insecureKeyring(), "g"), "leader", leads.fence).token).toBe(BigInt(token!));
  for (const { of } of members) expect(of("leader").at(-1)?.token).toBe(BigInt(token!));
});

test("work runs under the token; the member leaves gracefully, and the next leads at once with a larger one", async () => {
  const scene = new StrictScene();
  const { network } = scene;
  const members = ["a", "b", "c"].map((name) => scene.start(name));
  for (const { member, work } of members) member.lead("leader", work);
  expect(await scene.until(() => members.some(({ works }) => works.length > 0), 5000)).toBe(true);
  await scene.run(3 * TTL);
  const leader = holderOf(members)!;
  expect(leader.works).toHaveLength(1);
  leader.works[0].check();
  const others = members.filter((member) => member !== leader);
  const before = network.now;
  void leader.member.leave();
  expect(await scene.until(() => others.some(({ works }) => works.length > 0), 1000)).toBe(true);
  expect(network.now - before).toBeLessThan(200);
  const next = holderOf(others)!;
  expect(next.works[0].token).toBeGreaterThan(leader.works[0].token!);
  expect(leader.works[0].signal.aborted).toBe(true);
});

test.each(["pause", "suspend", "clock set forward"] as const)(
  "a leader after a %s: check() throws whatever comes first, and the signal fires before any of its messages",
  async (what) => {
    const scene = new StrictScene();
    const { network } = scene;
    const members = ["a", "b", "c"].map((name) => scene.start(name));
    for (const { member, work } of members) member.lead("leader", work);
    expect(await scene.until(() => members.some(({ works }) => works.length > 0), 5000)).toBe(true);
    const leader = holderOf(members)!;
    const [work] = leader.works;
    if (what === "pause") leader.machine.standStill(3 * TTL);
    else if (what === "suspend") leader.machine.suspend(3 * TTL);
    else leader.machine.stepWall(3 * TTL);
    // What runs first after a standstill may be a timer of the user's: no signal can have fired.
    if (what !== "clock set forward") expect(work.signal.aborted).toBe(false);
    expect(work.check).toThrow("its lease has run out");
    expect([work.signal.aborted, leader.office().mine]).toEqual([true, false]);
    await scene.run(TTL);
    network.heal();
    expect(await scene.until(() => (holderOf(members)?.works.at(-1)?.token ?? 0n) > work.token!, 4 * TTL)).toBe(true);
  },
);

test("a leader that cannot reach the engine stops before its lease can be taken, and another leads after it", async () => {
  const scene = new StrictScene();
  const { engine } = scene;
  const members = ["a", "b", "c"].map((name) => scene.start(name));
  for (const { member, work } of members) member.lead("leader", work);
  expect(await scene.until(() => members.some(({ works }) => works.length > 0), 5000)).toBe(true);
  const leader = holderOf(members)!;
  const others = members.filter((member) => member !== leader);
  engine.cut(leader.name);
  let atGrant: boolean | null = null;
  engine.onAnswer = (_request, { kind }) => {
    if (kind === "granted") atGrant ??= leader.works[0].signal.aborted;
  };
  expect(await scene.until(() => others.some(({ works }) => works.length > 0), 4 * TTL)).toBe(true);
  expect(atGrant).toBe(true);
  expect(leader.of("lapsed")).toHaveLength(1);
  expect(leader.member.report().engine.state).toBe("silent");
});

test("an engine that is down at the start stops nobody from joining; it is said, and asked again", async () => {
  const scene = new StrictScene();
  const { engine } = scene;
  engine.stop("connect ECONNREFUSED 192.0.2.1:5432");
  const members = ["a", "b", "c"].map((name) => scene.start(name));
  await scene.run(4 * TTL);
  for (const { member } of members) expect(member.report()).toMatchObject({ joined: true, members: 3 });
  expect(holderOf(members)).toBeUndefined();
  const told = members.flatMap(({ of }) => of("engine"));
  expect(told.length).toBeGreaterThan(0);
  expect(told[0]).toMatchObject({ engine: "silent", why: "connect ECONNREFUSED 192.0.2.1:5432" });
  expect(Math.max(...members.map(({ office }) => office().term))).toBeLessThan(5);
  engine.start();
  expect(await scene.until(() => holderOf(members) !== undefined, 2 * TTL)).toBe(true);
});

test("the highest token is saved: an engine that lost everything, and whose clock went back, grants a larger one", async () => {
  const scene = new StrictScene();
  const { engine } = scene;
  const store = memoryStore();
  engine.snapshot();
  const first = scene.start("a", { store });
  expect(await scene.until(() => holderOf([first]) !== undefined, 5000)).toBe(true);
  const { token } = first.office();
  first.machine.crash();
  engine.restore({ noticed: false });
  engine.step(-60_000);
  const second = scene.start("a", { store });
  expect(await scene.until(() => holderOf([second]) !== undefined, 5000)).toBe(true);
  expect(second.office().token).toBeGreaterThan(token!);
});

test("work that does not end: its seat is not given back, others get it when the lease has run out, and this member does not stand", async () => {
  const scene = new StrictScene();
  const { network, engine } = scene;
  const members = ["a", "b", "c"].map((name) => scene.start(name));
  const released: string[] = [];
  engine.onAnswer = (request) => {
    if (request.kind === "release") released.push(request.lease);
  };
  const finish = new Map<string, () => void>();
  for (const { name, member } of members) {
    member.lead("leader", () => new Promise<void>((resolve) => void finish.set(name, resolve)));
  }
  expect(await scene.until(() => finish.size > 0, 5000)).toBe(true);
  const leader = holderOf(members)!;
  const others = members.filter((member) => member !== leader);
  const before = network.now;
  leader.member.command({ kind: "resign", office: "leader" });
  expect(await scene.until(() => holderOf(others) !== undefined, 4 * TTL)).toBe(true);
  expect(network.now - before).toBeGreaterThan(TTL / 2);
  expect(leader.of("unsettled")).toHaveLength(1);
  expect(released).toEqual([]);
  const next = holderOf(others)!;
  finish.get(next.name)!();
  await scene.run(3 * TTL);
  expect(leader.office().mine).toBe(false);
});

test("seats of one office are led each under its own token", async () => {
  const scene = new StrictScene();
  const members = ["a", "b"].map((name) => scene.start(name, { offices: ["shards:2"] }));
  for (const { member, work } of members) member.lead("shards", work);
  expect(await scene.until(() => members.every(({ works }) => works.length > 0), 5000)).toBe(true);
  const scopes = members.flatMap(({ works }) => works);
  expect(scopes.map(({ office, seat }) => [office, seat]).sort()).toEqual([
    ["shards", "shards#1"],
    ["shards", "shards#2"],
  ]);
});
