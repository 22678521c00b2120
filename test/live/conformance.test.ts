/** Every protocol of the catalogue on the live host: the whole stack, in virtual time. */
import { describe, expect, test } from "vitest";
import { InputError } from "../../src/errors.ts";
import { electionTopology, parametersFor } from "../../src/live/once/members.ts";
import type { MemberOutcome } from "../../src/live/once/part.ts";
import { VirtualGroup } from "../../src/live/once/virtual-group.ts";
import type { Conditions } from "../../src/live/virtual-world.ts";
import type { AnyProtocol } from "../../src/protocol.ts";
import { catalogue, protocolNamed } from "../../src/protocols/catalogue.ts";
import { floodMax } from "../../src/protocols/graph/flood-max.ts";
import { treeElection } from "../../src/protocols/graph/tree-election.ts";
import { predict } from "../../src/registry/all.ts";
import { resolve } from "../../src/simulation/settings.ts";
import { runTrial } from "../../src/simulation/trial.ts";
import { LOSSLESS } from "../../src/theory/prediction.ts";
import { factsOf } from "../../src/topology/facts.ts";
import { sum } from "./sum.ts";

const ids = (n: number) => Array.from({ length: n }, (_, i) => i + 1);

const groupOf = (n: number, conditions: Partial<Conditions> = {}, seed = 1) =>
  new VirtualGroup({ seed, ids: ids(n), conditions });

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

function expectElection(outcomes: readonly MemberOutcome[]): void {
  const leaders = outcomes.filter(({ status }) => status === "elected");
  expect(leaders.length, `leaders of ${outcomes[0].protocol} among ${outcomes.length}`).toBe(1);
  expect(outcomes.filter(({ status }) => status === "undecided")).toEqual([]);
  const named = new Set(outcomes.map(({ leader }) => leader));
  expect(named.size).toBe(1);
  expect([leaders[0].self, null]).toContain([...named][0]);
}

const retransmissionsOf = ({ measures }: MemberOutcome) => measures.retransmissions ?? 0;
const messages = (outcomes: readonly MemberOutcome[]) => sum(outcomes, (outcome) => outcome.messages);

describe.each([8, 32])("%i members of a ring elect as in the simulator, with as many messages", (n) => {
  test.each(catalogue.filter(deterministic).map(({ name }) => [name]))("%s", async (name) => {
    const outcomes = await groupOf(n).electAll(protocolNamed(name));
    expectElection(outcomes);
    const simulated = runTrial(resolve({ protocol: name, n, ids: ids(n) }), 0);
    expect(messages(outcomes)).toBe(simulated.messages);
    expect(outcomes.find(({ status }) => status === "elected")!.self).toBe(simulated.leader);
    expect(sum(outcomes, retransmissionsOf)).toBe(0);
  });
});

describe("members on a graph elect as in the simulator", () => {
  const n = 9;
  const edges = ids(n).flatMap((id): [number, number][] =>
    id < n
      ? [[id, id + 1]]
      : [
          [n, 1],
          [n, 4],
        ],
  );
  const graphs = [floodMax, treeElection];

  test.each(graphs.map((protocol) => [protocol.name, protocol] as const))("%s", async (_name, protocol) => {
    for (const conditions of [{}, { loss: 0.2, duplicate: 0.2, delay: [1, 40] }] as const) {
      const group = groupOf(n, conditions);
      const membership = { members: group.listed, edges };
      const params = parametersFor(protocol, {}, membership);
      const outcomes = await group.electAll(protocol, {}, { membership, params });
      expectElection(outcomes);
      const graph = factsOf(electionTopology(protocol, membership));
      const { factors } = predict({ protocol, n, params, initiators: n, ...LOSSLESS, graph })!;
      expect(messages(outcomes)).toBeLessThanOrEqual(factors!.atMost);
      expect(messages(outcomes)).toBeGreaterThanOrEqual(factors!.atLeast);
    }
  });
});

test("every other protocol runs, and most end in what they are for", async () => {
  const n = 9;
  const others = catalogue.filter((protocol) => !deterministic(protocol) && runnable(protocol, n));
  let successes = 0;
  for (const protocol of others) {
    const group = groupOf(n);
    const outcomes = await group.electAll(protocol, {}, { timeout: 120_000 });
    expect([protocol.name, sum(outcomes, ({ bits }) => bits) > 0]).toEqual([protocol.name, true]);
    if (judged(protocol, outcomes, parametersFor(protocol, {}, group.membership)) === "one") successes++;
  }
  expect(successes).toBeGreaterThanOrEqual(0.7 * others.length);
});

function judged(protocol: AnyProtocol, outcomes: readonly MemberOutcome[], params: unknown) {
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
  const outcomes = await groupOf(12).electAll(protocolNamed("itai-rodeh"));
  expectElection(outcomes);
  expect(outcomes[0].leader).toBeNull();
});

// Of two, both ports lead to the same member.
describe.each([1, 2, 3])("a ring of %i", (n) => {
  const rings = catalogue.filter(({ assumes }) => assumes.topology === "ring");
  test.each(rings.map(({ name }) => [name]))("%s", async (name) => {
    expectElection(await groupOf(n).electAll(protocolNamed(name)));
  });
});

describe("loss, duplicates and datagrams that overtake each other", () => {
  const asynchronous = catalogue.filter(
    (protocol) => deterministic(protocol) && protocol.assumes.timing === "asynchronous",
  );
  const rough = { loss: 0.2, duplicate: 0.2, delay: [1, 40] } as const;

  test.each(asynchronous.map(({ name }) => [name]))("%s elects as without", async (name) => {
    const simulated = runTrial(resolve({ protocol: name, n: 12, ids: ids(12) }), 0);
    let retransmissions = 0;
    for (const seed of [1, 2, 3, 4, 5]) {
      const outcomes = await groupOf(12, rough, seed).electAll(protocolNamed(name));
      expectElection(outcomes);
      expect(outcomes.find(({ status }) => status === "elected")!.self).toBe(simulated.leader);
      retransmissions += sum(outcomes, retransmissionsOf);
    }
    if (simulated.messages > 0) expect(retransmissions).toBeGreaterThan(0);
  });
});

test("the same seed gives the same run, to the last datagram", async () => {
  const run = async () => {
    const group = groupOf(6, { loss: 0.1, duplicate: 0.1, delay: [1, 30] }, 9);
    return [await group.electAll(protocolNamed("quorum")), group.network.sent];
  };
  expect(await run()).toEqual(await run());
});

test("elections side by side on the same sockets do not meet", async () => {
  const group = groupOf(6);
  const protocol = protocolNamed("chang-roberts");
  const some = { members: group.listed.filter(({ id }) => id <= 3), edges: [] };
  const all = ids(6).map((id) => group.elect(id, protocol));
  const few = ids(3).map((id) => group.elect(id, protocol, {}, { membership: some }));
  await group.finish([...all, ...few]);
  expectElection(all.map(({ outcome }) => outcome!));
  expectElection(few.map(({ outcome }) => outcome!));
  expect([all[0].outcome!.leader, few[0].outcome!.leader]).toEqual([6, 3]);
});
