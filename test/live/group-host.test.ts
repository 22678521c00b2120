/** Machines on open links, over sealed datagrams and in virtual time: the elector in miniature, and what hosts promise. */
import { describe, expect, test } from "vitest";
import { VirtualOpenGroup, type VirtualOpenSetup } from "../../src/live/group/virtual.ts";
import { unsealed } from "../../src/live/net/sealing.ts";
import { majority, type TermsReport, terms } from "../support/terms.ts";

const N = 5;
const machine = terms(majority, N);
const names = Array.from({ length: N }, (_, i) => `m${i}`);

function groupOf(seed: number, setup: Partial<VirtualOpenSetup> = {}): VirtualOpenGroup {
  return new VirtualOpenGroup({
    seed,
    machine,
    params: () => ({ beat: 100, patience: 400, child: {} }),
    ...setup,
  });
}

const office = (group: VirtualOpenGroup, name: string) => (group.of(name).report as TermsReport).offices.leader;

/** Who leads, where all that run agree on it; null where not. */
function leader(group: VirtualOpenGroup): string | null {
  const holders = new Set(group.peers.map(({ name }) => office(group, name).holder));
  const mine = group.peers.filter(({ name }) => office(group, name).mine);
  return holders.size === 1 && mine.length === 1 ? mine[0].name : null;
}

describe("the elector in miniature", () => {
  test("elects; when the leader dies, another; a restarted member goes on with what it saved", () => {
    for (let seed = 0; seed < 5; seed++) {
      const group = groupOf(seed, { conditions: { loss: 0.05, duplicate: 0.05, delay: [0.2, 5] } });
      for (const name of names) group.start(name);
      expect(group.until(() => leader(group) !== null, 20_000)).toBe(true);
      const first = leader(group)!;
      const { term } = office(group, first);
      group.crash(first);
      expect(group.until(() => leader(group) !== null && leader(group) !== first, 20_000)).toBe(true);
      const second = office(group, leader(group)!).term;
      expect(second).toBeGreaterThan(term);
      group.start(first);
      expect(office(group, first).term).toBe(term);
      expect(group.until(() => leader(group) !== null, 20_000)).toBe(true);
    }
  });

  test("the same seed gives the same datagrams, sealed or not", () => {
    const run = (seed: number, setup: Partial<VirtualOpenSetup> = {}) => {
      const group = groupOf(seed, setup);
      const seen: string[] = [];
      group.network.tap = (datagram, to) => seen.push(`${group.network.now} ${to.host} ${datagram.length}`);
      for (const name of names) group.start(name);
      group.run(3000);
      return seen.join("\n");
    };
    expect(run(1)).toBe(run(1));
    expect(run(1)).toBe(run(1, { sealing: unsealed }));
    expect(run(1)).not.toBe(run(2));
  });

  test("with a paused leader, and partitions that heal", () => {
    const group = groupOf(3);
    for (const name of names) group.start(name);
    expect(group.until(() => leader(group) !== null, 20_000)).toBe(true);
    const first = leader(group)!;
    group.pause(first, 5000);
    const others = names.filter((name) => name !== first);
    expect(group.until(() => others.some((name) => office(group, name).mine), 5000)).toBe(true);
    group.run(5000);
    expect(group.until(() => leader(group) !== null, 20_000)).toBe(true);
    const second = leader(group)!;
    group.part(
      [second],
      names.filter((name) => name !== second),
    );
    group.run(5000);
    group.heal();
    expect(group.until(() => leader(group) !== null, 20_000)).toBe(true);
  });

  test("a command reaches its machine, and the last words of one that leaves reach the others although half is lost", () => {
    const group = groupOf(4);
    for (const name of names) group.start(name);
    expect(group.until(() => leader(group) !== null, 20_000)).toBe(true);
    const first = leader(group)!;
    group.command(first, { kind: "resign" });
    expect(office(group, first).mine).toBe(false);
    expect(group.until(() => leader(group) !== null, 20_000)).toBe(true);
    const [gone] = names.filter((name) => name !== leader(group));
    const before = group.peers.map(({ node }) => ({ ...node.counters.drops }));
    expect(before.every((drops) => drops.replayed === undefined)).toBe(true);
    group.leave(gone);
    group.run(30);
    // Said twice by now and acted on once.
    expect(group.peers.map(({ node }) => node.counters.drops.replayed)).toEqual(Array(N - 1).fill(1));
  });
});

describe("addresses", () => {
  test("IPv4, IPv6 and both in one group", () => {
    const group = groupOf(5, {
      address: (_name, i) => ({ host: i % 2 === 0 ? "10.0.0.1" : "fd00::1", port: 7000 + i }),
    });
    for (const name of names) group.start(name);
    expect(group.until(() => leader(group) !== null, 20_000)).toBe(true);
  });

  test("a seed by name is looked up again, so that a member which has moved is found", () => {
    const group = groupOf(6);
    group.name("seed.example", ["10.0.0.9"]);
    group.start("m0", { seeds: [] });
    group.start("m1", { seeds: ["seed.example:7001"] });
    group.run(3000);
    expect(group.of("m1").node.links).toEqual(["seed.example:7001"]);
    group.name("seed.example", ["10.0.0.1"]);
    expect(group.until(() => group.of("m0").node.links.length > 0, 10_000)).toBe(true);
  });

  test("to a name that nobody knows, or to no address at all, nothing leaves, and it is counted", () => {
    const group = groupOf(7);
    group.start("m0", { seeds: ["nowhere.example:7001", "what?"] });
    group.run(3000);
    expect(group.network.sent).toBe(0);
    expect(group.of("m0").node.counters.drops.unresolved).toBeGreaterThan(20);
  });
});
