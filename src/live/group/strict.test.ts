/** Members in strict mode as they ship, in virtual time, over an engine that is slow, silent, restarted and restored. */
import { expect, test } from "vitest";
import { leaseTimes } from "../../protocols/lease/params.ts";
import { insecureKeyring } from "../keyring.ts";
import type { Leadership } from "../leading/scope.ts";
import { memoryStore, type Store } from "../store.ts";
import { VirtualNetwork } from "../virtual-world.ts";
import { ENGINE } from "./engine-peer.ts";
import type { MemberEvent } from "./events.ts";
import { startMember } from "./member.ts";
import { VirtualEngine } from "./virtual-engine.ts";

const TTL = 2000;
const settings = { ...leaseTimes(TTL), engine: ENGINE, settles: true, preemptible: false };
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

function scene(seed = 1) {
  const network = new VirtualNetwork(seed);
  const engine = new VirtualEngine(network, seed);
  let made = 0;
  const start = (
    name: string,
    { store = memoryStore(), offices = ["leader"] }: { store?: Store; offices?: string[] } = {},
  ) => {
    const reached = { host: `10.0.0.${++made}`, port: 7001 };
    const machine = network.machine(reached);
    const events: MemberEvent[] = [];
    const member = startMember(
      {
        ...{ name, group: "g", bind: "", seeds: ["10.0.0.1:7001", "10.0.0.2:7001"], keyring: insecureKeyring() },
        ...{
          state: null,
          params: { lease: settings, offices, profile: "local" },
          onEvent: (event) => events.push(event),
        },
      },
      {
        ...{ world: machine.world, transport: machine.transport, reached, store },
        resolve: (_host, done) => done([], "nobody knows that name"),
        engine: engine.peer(name, machine),
      },
    );
    const works: Leadership[] = [];
    /** Ends as soon as it is told to. */
    const work = (leadership: Leadership) =>
      new Promise<void>((resolve) => {
        works.push(leadership);
        leadership.signal.addEventListener("abort", () => resolve());
      });
    const of = (event: MemberEvent["event"]) => events.filter((each) => each.event === event);
    return { name, member, machine, events, works, work, of, office: () => member.report().offices.leader };
  };
  type Started = ReturnType<typeof start>;
  /** Virtual time, with turns for promises in between. */
  const run = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 10) {
      network.runFor(10);
      await turn();
    }
  };
  const until = async (isSo: () => boolean, within: number) => {
    for (let passed = 0; !isSo() && passed < within; passed += 10) await run(10);
    expect(isSo()).toBe(true);
  };
  const holder = (members: readonly Started[]) => members.find(({ office }) => office().mine);
  return { network, engine, start, run, until, holder };
}

test("the leader has a token and a lease, all know of it, and lines say so", async () => {
  const { start, until, holder } = scene();
  const members = ["a", "b", "c"].map((name) => start(name));
  await until(() => holder(members) !== undefined && members.every(({ office }) => office().token !== null), 5000);
  const leader = holder(members)!;
  const { token } = leader.office();
  expect(members.map(({ office }) => [office().leader, office().token])).toEqual(
    members.map(() => [leader.name, token]),
  );
  const [leads] = leader.of("leads");
  expect(leads.token).toBe(token);
  expect(leads.leaseMs).toBeGreaterThan(TTL * 0.9);
  expect(leads.leaseMs).toBeLessThan(TTL);
  for (const { of } of members) expect(of("leader").at(-1)?.token).toBe(token);
});

test("work runs under the token; the member leaves in good order, and the next leads at once with a larger one", async () => {
  const { network, start, run, until, holder } = scene();
  const members = ["a", "b", "c"].map((name) => start(name));
  for (const { member, work } of members) member.lead("leader", work);
  await until(() => members.some(({ works }) => works.length > 0), 5000);
  await run(3 * TTL);
  const leader = holder(members)!;
  expect(leader.works).toHaveLength(1);
  leader.works[0].check();
  const others = members.filter((member) => member !== leader);
  const before = network.now;
  void leader.member.leave();
  await until(() => others.some(({ works }) => works.length > 0), 1000);
  expect(network.now - before).toBeLessThan(200);
  const next = holder(others)!;
  expect(next.works[0].token).toBeGreaterThan(leader.works[0].token!);
  expect(leader.works[0].signal.aborted).toBe(true);
});

test.each(["pause", "suspend", "clock set forward"] as const)(
  "a leader after a %s: check() throws whatever comes first, and the signal fires before any of its messages",
  async (what) => {
    const { network, start, until, holder, run } = scene();
    const members = ["a", "b", "c"].map((name) => start(name));
    for (const { member, work } of members) member.lead("leader", work);
    await until(() => members.some(({ works }) => works.length > 0), 5000);
    const leader = holder(members)!;
    const [work] = leader.works;
    if (what === "pause") leader.machine.standStill(3 * TTL);
    else if (what === "suspend") leader.machine.suspend(3 * TTL);
    else leader.machine.stepWall(3 * TTL);
    // What runs first after a standstill may be a timer of the user's: no signal can have fired.
    if (what !== "clock set forward") expect(work.signal.aborted).toBe(false);
    expect(work.check).toThrow("its lease has run out");
    expect([work.signal.aborted, leader.office().mine]).toEqual([true, false]);
    await run(TTL);
    network.heal();
    await until(() => (holder(members)?.works.at(-1)?.token ?? 0n) > work.token!, 4 * TTL);
  },
);

test("a leader that cannot reach the engine stops before its lease can be taken, and another leads after it", async () => {
  const { engine, start, until, holder } = scene();
  const members = ["a", "b", "c"].map((name) => start(name));
  for (const { member, work } of members) member.lead("leader", work);
  await until(() => members.some(({ works }) => works.length > 0), 5000);
  const leader = holder(members)!;
  const others = members.filter((member) => member !== leader);
  engine.cut(leader.name);
  let atGrant: boolean | null = null;
  engine.onAnswer = (_request, { kind }) => {
    if (kind === "granted") atGrant ??= leader.works[0].signal.aborted;
  };
  await until(() => others.some(({ works }) => works.length > 0), 4 * TTL);
  expect(atGrant).toBe(true);
  expect(leader.of("lapsed")).toHaveLength(1);
  expect(leader.member.report().engine.state).toBe("silent");
});

test("an engine that is down at the start stops nobody from joining; it is said, and asked again", async () => {
  const { engine, start, run, until, holder } = scene();
  engine.stop("connect ECONNREFUSED 192.0.2.1:5432");
  const members = ["a", "b", "c"].map((name) => start(name));
  await run(4 * TTL);
  for (const { member } of members) expect(member.report()).toMatchObject({ joined: true, members: 3 });
  expect(holder(members)).toBeUndefined();
  const told = members.flatMap(({ of }) => of("engine"));
  expect(told.length).toBeGreaterThan(0);
  expect(told[0]).toMatchObject({ engine: "silent", why: "connect ECONNREFUSED 192.0.2.1:5432" });
  expect(Math.max(...members.map(({ office }) => office().term))).toBeLessThan(5);
  engine.start();
  await until(() => holder(members) !== undefined, 2 * TTL);
});

test("the highest token is saved: an engine that lost everything, and whose clock went back, grants a larger one", async () => {
  const { engine, start, until, holder } = scene();
  const store = memoryStore();
  engine.snapshot();
  const first = start("a", { store });
  await until(() => holder([first]) !== undefined, 5000);
  const { token } = first.office();
  first.machine.crash();
  engine.restore({ noticed: false });
  engine.step(-60_000);
  const second = start("a", { store });
  await until(() => holder([second]) !== undefined, 5000);
  expect(second.office().token).toBeGreaterThan(token!);
});

test("work that does not end: its seat is not given back, others get it when the lease has run out, and this member does not stand", async () => {
  const { network, engine, start, until, holder, run } = scene();
  const members = ["a", "b", "c"].map((name) => start(name));
  const released: string[] = [];
  engine.onAnswer = (request) => {
    if (request.kind === "release") released.push(request.lease);
  };
  const finish = new Map<string, () => void>();
  for (const { name, member } of members) {
    member.lead("leader", () => new Promise<void>((resolve) => void finish.set(name, resolve)));
  }
  await until(() => finish.size > 0, 5000);
  const leader = holder(members)!;
  const others = members.filter((member) => member !== leader);
  const before = network.now;
  leader.member.command({ kind: "resign", office: "leader" });
  await until(() => holder(others) !== undefined, 4 * TTL);
  expect(network.now - before).toBeGreaterThan(TTL / 2);
  expect(leader.of("unsettled")).toHaveLength(1);
  expect(released).toEqual([]);
  const next = holder(others)!;
  finish.get(next.name)!();
  await run(3 * TTL);
  expect(leader.office().mine).toBe(false);
});

test("seats of one office are led each under its own token", async () => {
  const { start, until } = scene();
  const members = ["a", "b"].map((name) => start(name, { offices: ["shards:2"] }));
  for (const { member, work } of members) member.lead("shards", work);
  await until(() => members.every(({ works }) => works.length > 0), 5000);
  const scopes = members.flatMap(({ works }) => works);
  expect(scopes.map(({ office, seat }) => [office, seat]).sort()).toEqual([
    ["shards", "shards#1"],
    ["shards", "shards#2"],
  ]);
});
