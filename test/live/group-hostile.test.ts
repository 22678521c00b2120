/** Datagrams of a group that no member sent, or not now: none of them changes anything, and little is said in answer. */
import { describe, expect, test } from "vitest";
import { VirtualOpenGroup, type VirtualPeer } from "../../src/live/group/virtual.ts";
import { markOf, sealDatagram } from "../../src/live/net/datagram.ts";
import { insecureKeyring, keyringOf } from "../../src/live/net/keyring.ts";
import { aesGcm } from "../../src/live/net/sealing.ts";
import { HostStream } from "../../src/random/streams.ts";
import { encode } from "../../src/wire/codec.ts";
import { effort } from "../support/effort.ts";
import { majority, type TermsReport, terms } from "../support/terms.ts";

const N = 4;
const names = Array.from({ length: N }, (_, i) => `m${i}`);
const machine = terms(majority, N);
const key = (byte: number) => new Uint8Array(32).fill(byte);

/** A group that has a leader, and every datagram so far with its receiver's address. */
function scene(keyring = insecureKeyring()) {
  const group = new VirtualOpenGroup({
    seed: 1,
    machine,
    params: () => ({ beat: 100, patience: 400, child: {} }),
    keyring,
  });
  const tape: { readonly datagram: Uint8Array; readonly from: string; readonly to: string }[] = [];
  group.network.tap = (datagram, to, from) => tape.push({ datagram, from: from.host, to: to.host });
  for (const name of names) group.start(name);
  const agree = () => new Set(names.map((name) => leaderAt(group.of(name)))).size === 1;
  expect(group.until(() => leaderAt(group.of("m0")) !== null && agree(), 10_000)).toBe(true);
  return { group, tape, agree };
}

const leaderAt = ({ report }: VirtualPeer) => (report as TermsReport).offices.leader.holder;

/** What an attacker could try to change. */
const condition = ({ node, report }: VirtualPeer) => ({
  report: JSON.stringify(report),
  state: JSON.stringify(node.state),
  links: node.links.length,
  sent: { ...node.counters.sent },
  remembered: node.remembered,
});

test("random, mutated, replayed and wrongly keyed datagrams change nothing and are not answered", () => {
  const { group, tape } = scene();
  const victim = group.of("m1");
  const address = group.address("m1");
  const samples = tape.filter(({ to }) => to === address.host).map(({ datagram }) => datagram);
  group.run(50);
  const before = condition(victim);
  const { dropped } = victim.node.counters;
  const draws = new HostStream(8, 0, "losses");
  const noise = (length: number) => Uint8Array.from({ length }, () => draws.choose(256));
  const foreign = aesGcm.lifeKey(keyringOf([key(2)]).sealing, "virtual", noise(8));
  const mark = markOf(insecureKeyring().sealing);
  const forged = () =>
    sealDatagram(
      ...([
        aesGcm,
        foreign,
        { mark: draws.coin(0.5) ? mark : 7, salt: noise(8), counter: draws.choose(1000) },
      ] as const),
      { address: { host: "10.0.0.3", port: 7001 }, token: null, echo: null, messages: encode({ kind: "bye" }) },
    );
  const rounds = effort(4000, 100_000);
  for (let i = 0; i < rounds; i++) {
    const original = samples[draws.choose(samples.length)];
    let datagram: Uint8Array = Uint8Array.from(original);
    switch (draws.choose(6)) {
      case 0:
        datagram = noise(draws.choose(draws.choose(10) === 0 ? 1600 : 80));
        break;
      case 1:
        datagram = original.subarray(0, draws.choose(original.length));
        break;
      case 2:
        datagram = Buffer.concat([original, noise(1 + draws.choose(20))]);
        break;
      case 3:
        datagram = forged();
        break;
      case 4:
        datagram[draws.choose(datagram.length)] ^= 1 << draws.choose(8);
    }
    victim.machine.arrive(datagram);
  }
  expect(condition(victim)).toEqual(before);
  const { drops } = victim.node.counters;
  expect(victim.node.counters.dropped - dropped).toBe(rounds);
  for (const reason of ["malformed", "version", "unknown-key", "unauthentic", "replayed"] as const) {
    expect([reason, drops[reason]! > rounds / 1000]).toEqual([reason, true]);
  }
});

test("a member that has restarted sends no more than it was sent, to addresses inside the seal, until these have answered", () => {
  const { group, tape } = scene();
  // All but one are gone, and somebody has recorded everything.
  for (const name of ["m0", "m2", "m3"]) group.crash(name);
  const recorded = [...tape];
  const victim = group.start("m1", { seeds: [], saved: false });
  const owed = new Map<string, number>();
  let said = 0;
  group.network.tap = (datagram, { host }) => {
    // Addresses that it was told of are not answered but asked, which is up to the machine.
    if (!owed.has(host)) return;
    said++;
    owed.set(host, owed.get(host)! - datagram.length);
    expect(owed.get(host)).toBeGreaterThanOrEqual(0);
  };
  for (const { datagram, from } of recorded) {
    owed.set(from, (owed.get(from) ?? 0) + datagram.length);
    victim.machine.arrive(datagram);
    group.run(20);
  }
  group.run(5000);
  expect(said).toBeGreaterThan(0);
  expect(victim.node.counters.drops.unproven).toBeGreaterThan(0);
  // What its own former life had sent.
  expect(victim.node.counters.drops.reflected).toBeGreaterThan(0);
});

test("an answer that is longer than the question of somebody new waits until it has shown its address, and then it comes", () => {
  const chatty = { ...machine, accepts: () => true } as typeof machine;
  const group = new VirtualOpenGroup({
    seed: 1,
    params: () => ({ beat: 1e6, patience: 1e9, child: {} }),
    machine: {
      ...chatty,
      receive(state, port, message, ctx) {
        if (message.kind === "beat") ctx.send(port, { kind: "child", term: 0, message: "x".repeat(1000) });
        else state.term++;
      },
    },
  });
  const sizes: [string, number][] = [];
  group.network.tap = (datagram, _to, { host }) => sizes.push([host, datagram.length]);
  group.start("m0", { seeds: [] });
  group.start("m1", { seeds: ["m0"] });
  group.run(20);
  const [seed, newcomer] = ["m0", "m1"].map((name) => group.address(name).host);
  expect(sizes.map(([host]) => host)).toEqual([newcomer, seed, newcomer, seed]);
  const [question, token, echo, answer] = sizes.map(([, bytes]) => bytes);
  expect(token).toBeLessThanOrEqual(question);
  expect(echo).toBeLessThanOrEqual(token);
  expect(answer).toBeGreaterThan(1000);
  expect((group.of("m1").report as TermsReport).offices.leader.term).toBe(1);
});

describe("keys", () => {
  test("are replaced while the group lasts; then the old one opens nothing any more", () => {
    const [old, both, turned, fresh] = [[1], [1, 2], [2, 1], [2]].map((bytes) => keyringOf(bytes.map(key)));
    const { group, tape, agree } = scene(old);
    for (const keyring of [both, turned, fresh]) {
      for (const name of names) {
        group.of(name).node.rekey(keyring);
        group.run(30);
      }
      group.run(1000);
      expect(agree()).toBe(true);
    }
    const terms = names.map((name) => (group.of(name).report as TermsReport).offices.leader.term);
    expect(new Set(terms).size).toBe(1);
    const { node, machine } = group.of("m1");
    expect(node.counters.drops["unknown-key"]).toBeUndefined();
    machine.arrive(tape.find(({ to }) => to === group.address("m1").host)!.datagram);
    expect(node.counters.drops["unknown-key"]).toBe(1);
  });

  test("another group with the same key is not understood", () => {
    const [one, two] = ["a", "b"].map((name) => {
      const group = new VirtualOpenGroup({
        seed: name.charCodeAt(0),
        machine,
        group: name,
        params: () => ({ beat: 100, patience: 400, child: {} }),
      });
      for (const member of names) group.start(member);
      return group;
    });
    one.network.tap = (datagram) => two.of("m1").machine.arrive(datagram);
    one.run(1000);
    const { drops } = two.of("m1").node.counters;
    expect(Object.keys(drops)).toEqual(["unauthentic"]);
  });
});

test("what the machine does not accept is counted, and gets no port", () => {
  const { group } = scene();
  const { node, machine: process } = group.of("m1");
  const links = node.links.length;
  const salt = Buffer.alloc(8, 9);
  const { sealing } = insecureKeyring();
  const body = { address: { host: "10.0.9.9", port: 1 }, token: null, echo: null };
  const head = { mark: markOf(sealing), salt, counter: 0 };
  const seal = (counter: number, messages: Uint8Array) =>
    sealDatagram(aesGcm, aesGcm.lifeKey(sealing, "virtual", salt), { ...head, counter }, { ...body, messages });
  process.arrive(seal(0, encode({ kind: "resign" })));
  process.arrive(seal(1, encode({ kind: "beat", term: -1, leader: null, known: [] })));
  process.arrive(seal(2, Uint8Array.of(0xff)));
  expect(node.counters.drops).toMatchObject({ unacceptable: 2, malformed: 1 });
  expect(node.links.length).toBe(links);
});

test("datagrams of this very process that come back are dropped", () => {
  const { group, tape } = scene();
  const { machine: process, node } = group.of("m1");
  tape.length = 0;
  group.run(200);
  const own = tape.find(({ to }) => to !== group.address("m1").host)!;
  for (const name of names) if (name !== "m1") group.crash(name);
  tape.length = 0;
  group.run(200);
  process.arrive(tape[0].datagram);
  expect(own).toBeDefined();
  expect(node.counters.drops.reflected).toBe(1);
});
