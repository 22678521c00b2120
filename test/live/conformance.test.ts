/** Every protocol of the catalogue on the live host, over loopback sockets in this process. */
import { afterEach, describe, expect, test } from "vitest";
import { InputError } from "../../src/errors.ts";
import { insecureKeyring } from "../../src/live/keyring.ts";
import { type ElectOptions, LiveMember } from "../../src/live/member.ts";
import { parametersFor } from "../../src/live/network.ts";
import type { Outcome } from "../../src/live/outcome.ts";
import { openUdp } from "../../src/live/udp.ts";
import type { AnyProtocol } from "../../src/protocol.ts";
import { catalogue, protocolNamed } from "../../src/protocols/catalogue.ts";
import { resolve } from "../../src/simulation/settings.ts";
import { runTrial } from "../../src/simulation/trial.ts";
import { LiveGroup, sum } from "./group.ts";

const ids = (n: number) => Array.from({ length: n }, (_, i) => i + 1);

let group: LiveGroup | null = null;
afterEach(async () => {
  await group?.close();
  group = null;
});

/** Not every protocol is made for so few members, or for a network that is laid over a list of them. */
function runnable(protocol: AnyProtocol, n: number): boolean {
  const members = ids(n).map((id) => ({ id, host: "127.0.0.1", port: id }));
  try {
    parametersFor(protocol, {}, { members, edges: [] });
    return true;
  } catch (error) {
    if (error instanceof InputError) return false;
    throw error;
  }
}

const deterministic = ({ assumes }: AnyProtocol) => assumes.topology === "ring" && assumes.identity === "ids";

/**
 * A round must be longer than the work of all members of this one process in it, and than any standstill of a busy
 * machine: where messages were late for their round, it was not, and the election is held again with longer rounds.
 */
async function electInTime(group: LiveGroup, protocol: AnyProtocol, n: number): Promise<Outcome[]> {
  for (let tau = n; ; tau *= 2) {
    const outcomes = await group.elect(protocol, {}, { tau });
    if (sum(outcomes, ({ measures }) => measures.late ?? 0) === 0 || tau > 8 * n) return outcomes;
  }
}

function expectElection(outcomes: readonly Outcome[]): void {
  const leaders = outcomes.filter(({ status }) => status === "elected");
  expect(leaders.length).toBe(1);
  expect(outcomes.filter(({ status }) => status === "undecided")).toEqual([]);
  const named = new Set(outcomes.map(({ leader }) => leader));
  expect(named.size).toBe(1);
  expect([leaders[0].self, null]).toContain([...named][0]);
}

test.each([8, 32])("%i members of a ring elect as in the simulator, with as many messages", async (n) => {
  group = await LiveGroup.open({ ids: ids(n) });
  for (const protocol of catalogue.filter(deterministic)) {
    const outcomes = await electInTime(group, protocol, n);
    expectElection(outcomes);
    const simulated = runTrial(resolve({ protocol: protocol.name, n, ids: ids(n) }), 0);
    expect([protocol.name, sum(outcomes, ({ messages }) => messages)]).toEqual([protocol.name, simulated.messages]);
    expect(outcomes.find(({ status }) => status === "elected")!.self).toBe(simulated.leader);
  }
});

test("every other protocol runs, and most end in what they are for", async () => {
  const n = 9;
  group = await LiveGroup.open({ ids: ids(n) });
  const others = catalogue.filter((protocol) => !deterministic(protocol) && runnable(protocol, n));
  let successes = 0;
  for (const protocol of others) {
    const outcomes = await group.elect(protocol, {}, { tau: 30, timeout: 5000 });
    if (judged(protocol, outcomes, parametersFor(protocol, {}, group.membership)) === "one") successes++;
  }
  // Each succeeds with a probability of 0.7 or more: fewer than a third of fifteen would have odds below 1e-3.
  expect(successes).toBeGreaterThanOrEqual(others.length / 3);
});

function judged(protocol: AnyProtocol, outcomes: readonly Outcome[], params: unknown) {
  const of = (wanted: string) => outcomes.filter(({ status }) => status === wanted);
  const beliefs = new Map<number | null, number>();
  for (const { leader } of outcomes) beliefs.set(leader, (beliefs.get(leader) ?? 0) + 1);
  const elected = of("elected").length;
  const census = {
    alive: outcomes.length,
    elected,
    notElected: of("not-elected").length,
    undecided: of("undecided").length,
    beliefs,
    leaders: of("elected").map(({ self }) => self),
  };
  return protocol.judge?.(params, census) ?? (elected === 1 ? "one" : elected === 0 ? "none" : "many");
}

test("anonymous rings elect one leader and name nobody", async () => {
  group = await LiveGroup.open({ ids: ids(12) });
  const outcomes = await group.elect(protocolNamed("itai-rodeh"));
  expectElection(outcomes);
  expect(outcomes[0].leader).toBeNull();
});

test("rings of one, of two (both ports lead to the same member) and of three", async () => {
  for (const n of [1, 2, 3]) {
    group = await LiveGroup.open({ ids: ids(n) });
    for (const name of ["chang-roberts", "hirschberg-sinclair", "peterson", "time-slice", "itai-rodeh"]) {
      expectElection(await electInTime(group, protocolNamed(name), 20));
    }
    await group.close();
  }
});

test("IPv6", async () => {
  group = await LiveGroup.open({ ids: [30, 10, 20], host: "::1" });
  const outcomes = await group.elect(protocolNamed("chang-roberts"));
  expectElection(outcomes);
  expect(outcomes[0].leader).toBe(30);
});

describe("5% of all datagrams lost", () => {
  const asynchronous = catalogue.filter(
    (protocol) => deterministic(protocol) && protocol.assumes.timing === "asynchronous",
  );
  test.each(asynchronous.map(({ name }) => [name]))("%s elects as without loss", async (name) => {
    group = await LiveGroup.open({ ids: ids(12), loss: 0.05, seed: 7 });
    const outcomes = await group.elect(protocolNamed(name));
    expectElection(outcomes);
    const simulated = runTrial(resolve({ protocol: name, n: 12, ids: ids(12) }), 0);
    expect(sum(outcomes, ({ messages }) => messages)).toBe(simulated.messages);
  });

  test("retransmissions are counted apart from messages", async () => {
    group = await LiveGroup.open({ ids: ids(8), loss: 0.2, seed: 5 });
    const outcomes = await group.elect(protocolNamed("hirschberg-sinclair"));
    expectElection(outcomes);
    expect(sum(outcomes, ({ datagrams }) => datagrams.message)).toBe(sum(outcomes, ({ messages }) => messages));
    expect(sum(outcomes, ({ datagrams }) => datagrams.retransmission)).toBeGreaterThan(0);
    expect(sum(outcomes, ({ drops }) => drops["injected-loss"] ?? 0)).toBeGreaterThan(0);
  });
});

const apart = (group: LiveGroup): ElectOptions => {
  const protocol = protocolNamed("chang-roberts");
  return {
    protocol,
    params: parametersFor(protocol, {}, group.membership),
    membership: group.membership,
    initiator: true,
    name: "apart",
    tau: 20,
    gather: 200,
    stallLimit: 100,
    multicast: "auto",
    state: null,
    timeout: 1200,
    linger: 100,
  };
};

test("a member that comes too late to the gathering still takes part", async () => {
  group = await LiveGroup.open({ ids: ids(5) });
  const options = { ...apart(group), timeout: 20_000 };
  const others = [1, 2, 4, 5].map((id) => group!.member(id).elect(options));
  await new Promise((resolve) => setTimeout(resolve, 700));
  const last = await group.member(3).elect(options);
  expectElection([...(await Promise.all(others)), last]);
  expect(last.leader).toBe(5);
});

test("a member that never comes: the others gather without it, and end without a leader", async () => {
  group = await LiveGroup.open({ ids: ids(5) });
  await group.member(3).close();
  const options = apart(group);
  const outcomes = await Promise.all([1, 2, 4, 5].map((id) => group!.member(id).elect(options)));
  expect(outcomes.map(({ status }) => status)).toEqual(Array(4).fill("undecided"));
  expect(outcomes[0].reason).toBe("no leader known: no verdict within 1.2 s");
});

test("a member that restarts in the middle has forgotten what it said: to the others it has crashed", async () => {
  group = await LiveGroup.open({ ids: ids(4), delay: 60 });
  const options = { ...apart(group), gather: 5000, timeout: 3000 };
  const rest = [1, 2, 3].map((id) => group!.member(id).elect(options));
  await new Promise<void>((begun) => {
    void group!.member(4).elect({ ...options, onBegin: begun });
  });
  // Member 1 has passed its candidacy on; it dies before that comes home, and starts again.
  await expect.poll(() => group!.member(1).counters.sent.message, { timeout: 30_000, interval: 5 }).toBe(2);
  await group.member(4).close();
  const { port } = group.listed[3];
  const reborn = new LiveMember({
    ...{ self: 4, members: group.listed, keyring: insecureKeyring() },
    transport: await openUdp({ host: "127.0.0.1", port }),
  });
  const again = reborn.elect({ ...options, gather: 100 });
  const outcomes = await Promise.all(rest);
  await again;
  await reborn.close();
  expect(outcomes.map(({ status }) => status)).toEqual(Array(3).fill("undecided"));
  expect(sum(outcomes, ({ drops }) => drops.forgetful ?? 0)).toBeGreaterThan(0);
});

test("elections side by side on the same sockets do not meet", async () => {
  group = await LiveGroup.open({ ids: ids(6) });
  const some = group.membership.members.filter(({ id }) => id <= 3);
  const [all, few] = await Promise.all([
    group.elect(protocolNamed("chang-roberts")),
    group.elect(protocolNamed("chang-roberts"), {}, { membership: { members: some, edges: [] } }),
  ]);
  expectElection(all);
  expectElection(few);
  expect([all[0].leader, few[0].leader]).toEqual([6, 3]);
});
