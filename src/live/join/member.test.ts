/** Members as programs hold them, in virtual time: what they know, how they give up, and what they are told. */
import { expect, test } from "vitest";
import type { GroupParams } from "../../elector/params.ts";
import type { MemberEvent } from "../../events/events.ts";
import { leaseTimes } from "../../protocols/lease/params.ts";
import { readAll } from "../../setting.ts";
import { MEMBER } from "../../settings/member.ts";
import { ENGINE } from "../group/peers.ts";
import { VirtualEngine } from "../group/virtual-engine.ts";
import { readFence } from "../guards/fence.ts";
import { guardKeys } from "../guards/keys.ts";
import type { Leadership } from "../leading/scope.ts";
import { insecureKeyring } from "../net/keyring.ts";
import { memoryStore } from "../store.ts";
import { type VirtualMachine, VirtualNetwork } from "../virtual-world.ts";
import type { GroupChange } from "./changes.ts";
import type { GroupError } from "./errors.ts";
import { GroupMember } from "./member.ts";

const TTL = 2000;
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

interface Started {
  readonly name: string;
  readonly member: GroupMember;
  readonly machine: VirtualMachine;
  readonly events: MemberEvent[];
}

async function scene({
  names = ["a", "b", "c"],
  strict = true,
  offices = ["leader"],
  seed = 1,
  store = memoryStore,
} = {}) {
  const network = new VirtualNetwork(seed);
  const engine = new VirtualEngine(network, seed);
  const keyring = insecureKeyring();
  const lease = strict ? { ...leaseTimes(TTL), engine: ENGINE, settles: true, preemptible: false } : null;
  const start = async (name: string, i: number, params: Partial<GroupParams> = {}): Promise<Started> => {
    const reached = { host: `10.0.0.${i + 1}`, port: 7001 };
    const machine = network.machine(reached);
    const events: MemberEvent[] = [];
    const member = GroupMember.start(
      {
        world: machine.world,
        keyring: () => keyring,
        onEvent: (event) => events.push(event),
        options: {
          ...readAll(MEMBER, { group: "g", seeds: ["10.0.0.1:7001", "10.0.0.2:7001"], offices, profile: "local" }),
          name,
          keyring,
          params: { lease, ...params },
        },
      },
      {
        world: machine.world,
        transport: machine.transport,
        reached,
        store: store(),
        resolve: (_host, done) => done([], "nobody knows that name"),
        ...(strict && { engine: engine.peer(name, machine) }),
      },
    );
    return { name, member, machine, events };
  };
  const all: Started[] = [];
  for (const [i, name] of names.entries()) all.push(await start(name, i));
  const run = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 10) {
      network.runFor(10);
      await turn();
    }
  };
  const until = async (isSo: () => boolean, within = 10_000) => {
    for (let passed = 0; !isSo() && passed < within; passed += 10) await run(10);
    expect(isSo()).toBe(true);
  };
  /** What a promise comes to, while time runs. */
  const outcome = async <T>(promise: Promise<T>): Promise<T | GroupError> => {
    let result: { readonly value: T | GroupError } | null = null;
    promise.then(
      (value) => (result = { value }),
      (error: GroupError) => (result = { value: error }),
    );
    await until(() => result !== null, 60_000);
    return result!.value;
  };
  const leader = () => all.find(({ member }) => member.leader?.mine);
  const settled = () => until(() => leader() !== undefined && all.every((each) => each.member.leader !== null));
  return { network, engine, keyring, all, run, until, outcome, leader, settled, start };
}

const untilAborted = ({ signal }: Leadership) =>
  new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));

test("everybody knows the leader, its token and the members; the fence passes a guard", async () => {
  const { all, settled, leader, keyring, until } = await scene();
  await settled();
  const { member, name } = leader()!;
  const { token, term } = member.leader!;
  for (const each of all) {
    expect(each.member.leader).toEqual({
      name,
      office: "leader",
      term,
      token,
      mine: each.name === name,
      state: "live",
    });
    expect(each.member.members.map((one) => [one.name, one.self])).toEqual(
      all.map((one) => [one.name, one.name === each.name]),
    );
  }
  const given: Leadership[] = [];
  member.lead((leadership) => {
    given.push(leadership);
    return untilAborted(leadership);
  });
  await until(() => given.length > 0);
  const fence = readFence(guardKeys(keyring, "g"), "leader", given[0].fence);
  expect(fence).toEqual({ group: "g", seat: "leader", token, lease: given[0].lease });
});

test.each([true, false])(
  "hand over, with leases: %s: resolves when the other leads, and can be asked again",
  async (strict) => {
    const { all, settled, leader, outcome } = await scene({ strict });
    await settled();
    const from = leader()!;
    const ended: string[] = [];
    from.member.lead(async (leadership) => {
      await untilAborted(leadership);
      ended.push("work");
    });
    const to = all.find((each) => each !== from)!;
    const first = from.member.transfer(to.name);
    const [again, other] = [from.member.transfer(to.name), from.member.transfer(from.name)];
    expect(((await outcome(other)) as GroupError).code).toBe("BUSY");
    expect(await outcome(first)).toMatchObject({ office: "leader", to: to.name, already: false });
    expect(await outcome(again)).toEqual(await outcome(first));
    expect(ended).toEqual(["work"]);
    expect(to.member.leader).toMatchObject({ name: to.name, mine: true });
    expect(await outcome(from.member.transfer(to.name))).toMatchObject({ already: true });
    expect(((await outcome(from.member.transfer(from.name))) as GroupError).code).toBe("NOT_HELD");
    expect(((await outcome(to.member.transfer("nobody"))) as GroupError).code).toBe("NO_SUCH_MEMBER");
  },
);

test.each([true, false])(
  "the heir dies while it is handed over, with leases: %s: the caller is told who leads instead",
  async (strict) => {
    const { all, settled, leader, outcome } = await scene({ strict });
    await settled();
    const from = leader()!;
    const [heir] = all.filter((each) => each !== from);
    heir.machine.crash();
    const error = (await outcome(from.member.transfer(heir.name))) as GroupError;
    expect(error).toMatchObject({ code: "NOT_TAKEN", message: expect.stringContaining(`${heir.name} has not taken`) });
    const now = all.find(({ name, member }) => name !== heir.name && member.leader?.mine)!;
    expect(error.advice).toContain(now.name);
  },
);

test("the heir dies and no engine answers: handing over ends in time, and says that nothing came of it", async () => {
  const { all, settled, leader, outcome, engine, run } = await scene();
  await settled();
  const from = leader()!;
  const [heir] = all.filter((each) => each !== from);
  heir.machine.crash();
  const handing = outcome(from.member.transfer(heir.name));
  await run(100);
  engine.stop();
  expect(await handing).toMatchObject({ code: "TIMED_OUT", advice: "ask again" });
});

test("a member whose disk is full stops, and whatever is asked of it says so", async () => {
  let isFull = false;
  const store = () => ({
    ...memoryStore(),
    save() {
      if (isFull) throw Object.assign(new Error("no space left on device"), { code: "ENOSPC", syscall: "write" });
    },
  });
  const { settled, leader, outcome } = await scene({ names: ["a"], store });
  await settled();
  const { member } = leader()!;
  const { done } = member.lead(untilAborted);
  const resigning = member.resign();
  isFull = true;
  const stopped = { code: "STOPPED", message: expect.stringContaining("no space left") };
  expect(await outcome(resigning)).toMatchObject(stopped);
  expect(member.leader?.mine ?? false).toBe(false);
  await outcome(member.leave());
  expect(() => member.lead(untilAborted)).toThrow(expect.objectContaining({ code: "STOPPED" }));
  await outcome(done);
});

test.each([true, false])(
  "resign, with leases: %s: resolves when the work has ended and the office is free",
  async (strict) => {
    const { settled, leader, outcome, run } = await scene({ strict });
    await settled();
    const { member, name } = leader()!;
    let finish = () => {};
    member.lead(() => new Promise<void>((resolve) => (finish = resolve)));
    await run(50);
    const [resigning, again] = [member.resign(), member.resign("leader")];
    let isDone = false;
    void resigning.then(() => (isDone = true));
    await run(300);
    expect(isDone).toBe(false);
    finish();
    expect(await outcome(resigning)).toEqual([{ office: "leader", how: "given up" }]);
    expect(await outcome(again)).toEqual([{ office: "leader", how: "given up" }]);
    await settled();
    expect(leader()!.name).not.toBe(name);
    expect(await outcome(member.resign())).toEqual([{ office: "leader", how: "not held" }]);
  },
);

test("work of every member throws once: the group has a leader again, whose work runs; the event says how often", async () => {
  for (const strict of [true, false]) {
    const { all, until } = await scene({ strict });
    const working = new Set<string>();
    for (const { member, name } of all) {
      let hasThrown = false;
      member.lead(async (leadership) => {
        if (!hasThrown) {
          hasThrown = true;
          throw new Error(`of ${name}`);
        }
        working.add(name);
        await untilAborted(leadership);
      });
    }
    await until(() => working.size > 0, 60_000);
    const threw = all.flatMap(({ events }) => events.filter((each) => each.event === "threw"));
    expect(threw[0]).toMatchObject({ office: "leader", failures: 1, ms: expect.any(Number) });
    expect(threw[0].ms).toBeGreaterThanOrEqual(800);
    expect(threw[0].ms).toBeLessThanOrEqual(1200);
    const [leads] = working;
    await until(() => all.every(({ member }) => member.leader?.name === leads));
    for (const { member } of all) void member.leave();
    await until(() => all.every(({ member }) => !member.facts.isHere));
  }
});

test("a member whose leases, policy or seats differ is refused when it joins, in words that name both; mixed members are borne with", async () => {
  const { all, settled, start, run, outcome } = await scene({ offices: ["leader", "shards:2"] });
  await settled();
  const lease = { ...leaseTimes(3 * TTL), engine: ENGINE, settles: true, preemptible: false };
  const offices = ["leader", "shards:3"];
  for (const [i, params, words] of [
    [3, { lease: null }, "this member has no leases, but a, b, c have leases of 2000 ms"],
    [4, { lease }, "this member has leases of 6000 ms, but a, b, c have leases of 2000 ms"],
    [5, { policy: "majority" }, 'this member has the policy "majority", but a, b, c have the policy "available"'],
    [6, { offices }, 'this member has "shards" as shards:3, but a, b, c have it as shards:2'],
  ] as const) {
    const { member, events } = await start(`new-${i}`, i, params);
    const error = (await outcome(member.joined())) as GroupError;
    expect(error).toMatchObject({ code: "MISFIT", advice: expect.stringContaining("mixed") });
    expect(error.message).toContain(words);
    expect(events.some(({ event }) => event === "leads" || event === "threw")).toBe(false);
    await run(2000);
    expect(all.map(({ member }) => member.members.length)).toEqual([3, 3, 3]);
  }
  const borne = await start("mixed", 7, { lease: null, mixed: true });
  await run(3000);
  expect(borne.member.members).toHaveLength(4);
  expect(all[0].events).toContainEqual(expect.objectContaining({ event: "misfit", member: "mixed" }));
});

test("a group that starts together with one member that does not fit: that one alone is refused", async () => {
  const { all, run, start } = await scene();
  const odd = await start("odd", 3, { lease: null });
  await run(5000);
  expect(all.map(({ member }) => [member.facts.isHere, member.leader?.state])).toEqual(all.map(() => [true, "live"]));
  expect(odd.member.facts.isHere).toBe(false);
});

test("a change of leader has a cause and the former leader; status and events are JSON, with tokens as text and without the fence; metrics are counted", async () => {
  const { all, settled, leader, outcome, until, network } = await scene();
  await settled();
  const first = leader()!;
  const text = await first.member.metrics();
  expect(text).toContain('sortition_is_leader{office="leader"} 1');
  const [heir, third] = all.filter((each) => each !== first);
  await outcome(first.member.transfer(heir.name));
  await until(() => all.every(({ member }) => member.leader?.name === heir.name));
  expect(await first.member.metrics()).toContain('sortition_leader_changes_total{office="leader"} 1');
  network.cut(heir.machine.address, first.machine.address);
  network.cut(heir.machine.address, third.machine.address);
  heir.machine.crash();
  await until(
    () => [first, third].every(({ member }) => member.leader?.state === "live" && member.leader.name !== heir.name),
    30_000,
  );
  const causes = ({ member }: Started) =>
    member.status().history.map(({ leader, former, cause }) => [leader, former, cause]);
  expect(causes(first).slice(0, 2)).toEqual([
    [first.name, null, "first"],
    [heir.name, first.name, "handed over"],
  ]);
  expect(causes(third)[1]).toEqual([heir.name, first.name, "given up"]);
  expect(["failed", "lease expired"]).toContain(causes(third)[2][2]);
  const leads = first.events.find(({ event }) => event === "leads")!;
  expect(leads).toHaveProperty("fence", expect.any(String));
  const written = JSON.parse(JSON.stringify([leads, first.member.status()]));
  expect(written[0]).toMatchObject({ event: "leads", token: expect.stringMatching(/^\d+$/) });
  expect(written[0]).not.toHaveProperty("fence");
  expect(written[1].leader.token).toBe(String(first.member.leader!.token));
  expect(written[1].history[0].token).toMatch(/^\d+$/);
});

test("work that does not end: resigning says so, and asked again it waits again", async () => {
  const { settled, leader, outcome } = await scene();
  await settled();
  const { member } = leader()!;
  let finish = () => {};
  member.lead(() => new Promise<void>((resolve) => (finish = resolve)));
  expect(((await outcome(member.resign())) as GroupError).code).toBe("UNSETTLED");
  const again = member.resign();
  finish();
  expect(await outcome(again)).toMatchObject([{ office: "leader" }]);
});

test("an engine that is silent: the lease runs out, and resigning says that", async () => {
  const { settled, leader, outcome, engine } = await scene();
  await settled();
  const { member } = leader()!;
  engine.stop();
  expect(await outcome(member.resign())).toEqual([{ office: "leader", how: "ran out" }]);
});

test("a member that is cut off knows that what it knows is stale, and one that has left too", async () => {
  const { network, all, settled, run, outcome } = await scene();
  await settled();
  const away = all.find(({ member }) => !member.leader!.mine)!;
  const addresses = all.map(({ machine }) => machine.address);
  for (const address of addresses) {
    network.cut(away.machine.address, address);
    network.cut(address, away.machine.address);
  }
  await run(1900);
  expect(away.member.leader?.state).toBe("stale");
  network.heal();
  await run(2000);
  expect(away.member.leader?.state).toBe("live");
  await outcome(away.member.leave());
  expect(away.member.leader?.state).not.toBe("live");
  expect(() => away.member.lead(() => {})).toThrow(expect.objectContaining({ code: "LEFT" }));
});

test("a standstill is measured and told before what it has cost; the own lease is known to be over by the clocks alone", async () => {
  const { settled, leader, run } = await scene();
  await settled();
  const { member, machine, events } = leader()!;
  machine.standStill(3 * TTL);
  expect(member.leader).toMatchObject({ mine: false, state: "stale" });
  await run(3 * TTL + 100);
  expect(member.stalls.longestMs).toBeGreaterThan(2.9 * TTL);
  const names = events.map(({ event }) => event);
  expect(names).toContain("stalled");
  expect(names.indexOf("stalled")).toBeLessThan(names.indexOf("lapsed"));
});

test("changes begin with the present, drop the oldest of a slow reader, keep the latest, and end when the member leaves", async () => {
  const { settled, all, outcome, run } = await scene();
  const { member } = all[0];
  const slow = member.changes({ buffer: 2 });
  const read: GroupChange[] = [];
  const reading = (async () => {
    for await (const change of member.changes()) read.push(change);
  })();
  await settled();
  await run(500);
  expect(read[0]).toMatchObject({ leader: null, missed: 0 });
  expect(read.at(-1)).toMatchObject({
    leader: { state: "live" },
    members: [{ name: "a" }, { name: "b" }, { name: "c" }],
  });
  const [first, second] = [await outcome(slow.next()), await outcome(slow.next())] as { value: GroupChange }[];
  expect(first.value.missed).toBe(read.length - 2);
  expect({ ...second.value, missed: 0 }).toEqual(read.at(-1));
  await outcome(member.leave());
  await outcome(reading);
  expect((await slow.next()).value).toBeDefined();
  await slow.return();
  expect((await slow.next()).done).toBe(true);
});

test("listeners that throw stop nothing; offices that nobody knows are refused", async () => {
  const { settled, all } = await scene({ offices: ["leader", "shards:2"] });
  const told: string[] = [];
  const warnings: unknown[] = [];
  const heard = (warning: Error) => warnings.push(warning.message);
  process.on("warning", heard);
  all[0].member.on("leader", () => {
    throw new Error("of a listener");
  });
  all[0].member.on("leader", ({ office, leader }) => told.push(`${office} ${leader}`));
  await settled();
  await turn();
  process.off("warning", heard);
  expect(told.length).toBeGreaterThan(0);
  expect(warnings).toContain("of a listener");
  const code = (act: () => unknown) => {
    try {
      act();
    } catch (error) {
      return (error as GroupError).code;
    }
  };
  expect(code(() => all[0].member.office("shard"))).toBe("NO_SUCH_OFFICE");
  expect(code(() => all[0].member.lead("leade", () => {}))).toBe("NO_SUCH_OFFICE");
  expect(all[0].member.office("shards#2").office).toBe("shards#2");
  all[0].member.lead(untilAborted);
  expect(code(() => all[0].member.lead(untilAborted))).toBe("ALREADY_LED");
});

test.each(["resigns", "hands over", "leaves"])(
  "a member that %s keeps what it has promised: nobody else leads before, and then somebody does soon",
  async (how) => {
    const { all, settled, leader, until, run, network, outcome } = await scene();
    await settled();
    const from = leader()!;
    const others = all.filter((each) => each !== from);
    const promised = from.member.promise();
    expect(promised).toBeGreaterThan(TTL / 3);
    expect(promised).toBeLessThanOrEqual(from.member.leaseLeft());
    for (const other of others) expect(other.member.promise()).toBe(0);
    const since = network.now;
    const going =
      how === "resigns"
        ? from.member.resign()
        : how === "leaves"
          ? from.member.leave()
          : from.member.transfer(others[0].name);
    going.catch(() => {});
    while (network.now < since + promised - 10) {
      await run(10);
      expect(others.filter(({ member }) => member.leader?.mine)).toEqual([]);
    }
    await until(() => others.some(({ member }) => member.leader?.mine), TTL / 2);
    await outcome(going as Promise<unknown>);
  },
);
