/** The group as it ships against strangers without a key: what they send changes nothing, and they hear nothing. */
import { expect, test } from "vitest";
import { group } from "../../src/elector/group.ts";
import { groupParams } from "../../src/elector/params.ts";
import type { GroupReport } from "../../src/elector/report.ts";
import { VirtualOpenGroup, type VirtualPeer } from "../../src/live/group/virtual.ts";
import { keyringOf } from "../../src/live/net/keyring.ts";
import { HostStream } from "../../src/random/streams.ts";
import { effort } from "../support/effort.ts";

const NAMES = ["a", "b", "c", "d"];

/** A group of that key that has a leader, and every datagram so far. */
function scene(byte: number, name = "virtual") {
  const world = new VirtualOpenGroup({
    seed: byte,
    machine: group(),
    group: name,
    keyring: keyringOf([new Uint8Array(32).fill(byte)]),
    params: (self) => groupParams({ name: self, profile: "local", offices: ["leader", "shards:2"] }),
  });
  const tape: { readonly datagram: Uint8Array; readonly to: string }[] = [];
  world.network.tap = (datagram, { host }) => tape.push({ datagram, to: host });
  for (const each of NAMES) world.start(each);
  const leaders = () => world.peers.map(({ report }) => (report as GroupReport).offices.leader?.leader);
  expect(world.until(() => leaders()[0] != null && new Set(leaders()).size === 1, 10_000)).toBe(true);
  world.run(1000);
  return { world, tape };
}

const condition = ({ node, report }: VirtualPeer) => ({
  report,
  state: structuredClone(node.state),
  links: node.links.length,
  sent: { ...node.counters.sent },
  remembered: node.remembered,
});

test("random, mutated, replayed and wrongly keyed datagrams, and joiners of other groups, change nothing and are not answered", () => {
  const { world, tape } = scene(1);
  // Of other keys, and of the same key and another name: their first words are those of joiners.
  const foreign = [scene(2), scene(1, "other")].flatMap((other) => other.tape.map(({ datagram }) => datagram));
  const victim = world.of("b");
  world.network.tap = null;
  // What it has heard itself: what was for others would open here, once.
  world.run(100);
  const own = world.address("b").host;
  const heard = tape.filter(({ to }) => to === own).map(({ datagram }) => datagram);
  const before = condition(victim);
  const { dropped } = victim.node.counters;
  const draws = new HostStream(8, 0, "losses");
  const noise = (length: number) => Uint8Array.from({ length }, () => draws.choose(256));
  const rounds = effort(3000, 100_000);
  for (let i = 0; i < rounds; i++) {
    const original = heard[draws.choose(heard.length)];
    const mutated = Uint8Array.from(original);
    mutated[draws.choose(mutated.length)] ^= 1 << draws.choose(8);
    victim.machine.arrive(
      [
        noise(draws.choose(draws.choose(10) === 0 ? 1600 : 80)),
        original.subarray(0, draws.choose(original.length)),
        Buffer.concat([original, noise(1 + draws.choose(20))]),
        mutated,
        original,
        foreign[draws.choose(foreign.length)],
      ][draws.choose(6)],
    );
  }
  expect(condition(victim)).toEqual(before);
  expect(victim.node.counters.dropped - dropped).toBe(rounds);
});
