/** Keys that change, processes that stop, groups that are large: what real groups met, in virtual time. */
import { expect, test } from "vitest";
import { insecureKeyring, keyringOf } from "../../src/live/net/keyring.ts";
import { unsealed } from "../../src/live/net/sealing.ts";
import { VirtualGroup } from "../../src/live/once/virtual-group.ts";
import { protocolNamed } from "../../src/protocols/catalogue.ts";
import { isLong } from "../support/effort.ts";
import { sum } from "./sum.ts";
import { witness } from "./witness.ts";

const ids = (n: number) => Array.from({ length: n }, (_, i) => i + 1);
const key = (byte: number) => new Uint8Array(32).fill(byte);
const protocol = protocolNamed("chang-roberts");

test("a new key in front while messages wait for acknowledgements: the links go on speaking", async () => {
  const [both, turned] = [
    [1, 2],
    [2, 1],
  ].map((bytes) => keyringOf(bytes.map(key)));
  for (let seed = 1; seed <= 20; seed++) {
    const group = new VirtualGroup({ seed, ids: ids(4), keyring: both, conditions: { loss: 0.2, delay: [10, 30] } });
    const parts = ids(4).map((id) => group.elect(id, protocol, {}, { linger: 1000 }));
    while (!parts.every(({ begun }) => begun)) group.network.runFor(1);
    // In the middle, one after another; some before their neighbours, whose datagrams are then on their way.
    for (const id of ids(4)) group.network.at(group.network.now + 8 * id, () => group.of(id).member.rekey(turned));
    await group.finish(parts);
    expect(parts.map(({ outcome }) => outcome!.leader)).toEqual([4, 4, 4, 4]);
  }
});

test("members whose first keys differ for good elect", async () => {
  const group = new VirtualGroup({ seed: 1, ids: [1, 2], keyring: keyringOf([1, 2].map(key)) });
  group.of(2).member.rekey(keyringOf([2, 1].map(key)));
  const outcomes = await group.electAll(protocol, {}, { linger: 5000 });
  expect(outcomes.map(({ leader }) => leader)).toEqual([2, 2]);
});

test("a process that is paused for over a minute does not take that for the silence of others", async () => {
  for (const [seed, who] of [
    [1, 2],
    [2, 3],
    [3, 1],
    [4, 4],
  ]) {
    const group = new VirtualGroup({ seed, ids: ids(4), conditions: { delay: [10, 30] } });
    const parts = ids(4).map((id) => group.elect(id, protocol, {}, { timeout: 600_000, linger: 200_000 }));
    while (!parts.every(({ begun }) => begun)) group.network.runFor(1);
    group.network.runFor(15);
    group.of(who).machine.standStill(65_000);
    await group.finish(parts);
    expect(parts.map(({ outcome }) => outcome!.leader)).toEqual([4, 4, 4, 4]);
    expect(parts[who - 1].outcome!.stalls.longestMs).toBeGreaterThanOrEqual(65_000);
    expect(
      sum(
        parts.map(({ outcome }) => outcome!),
        ({ measures }) => measures.undeliverable,
      ),
    ).toBe(0);
  }
});

test("so does one that is paused before the election begins, the convenor included", async () => {
  for (const who of [1, 3]) {
    const group = new VirtualGroup({ seed: 1, ids: ids(4), conditions: { delay: [10, 30] } });
    const parts = ids(4).map((id) => group.elect(id, protocol, {}, { timeout: 600_000, gather: 200_000 }));
    group.network.runFor(12);
    group.of(who).machine.standStill(130_000);
    await group.finish(parts);
    expect(parts.map(({ outcome }) => outcome!.leader)).toEqual([4, 4, 4, 4]);
  }
});

test("a partition in the middle: the election waits, and ends when the network has healed", async () => {
  const group = new VirtualGroup({ seed: 5, ids: ids(4), conditions: { delay: [10, 30] } });
  const parts = ids(4).map((id) => group.elect(id, protocol, {}, { timeout: 60_000, linger: 20_000 }));
  while (!parts.every(({ begun }) => begun)) group.network.runFor(1);
  for (const [a, b] of [
    [1, 2],
    [2, 1],
    [3, 4],
    [4, 3],
  ]) {
    group.network.cut(group.address(a), group.address(b));
  }
  group.network.runFor(10_000);
  expect(parts.every(({ verdicts }) => verdicts.every(({ status }) => status === "undecided"))).toBe(true);
  group.network.heal();
  await group.finish(parts);
  expect(parts.map(({ outcome }) => outcome!.leader)).toEqual([4, 4, 4, 4]);
});

test("a member without a time-out of its own waits as long as its protocol does, and half a minute more", async () => {
  const slow = witness("slow", {
    start: ({ id }, ctx) => ctx.arm("decide", 4000 * id),
    expire: (notes, _timer, ctx) => {
      if (notes.id === 1) notes.status = "not-elected";
      else ctx.arm("never", 1000);
    },
  });
  const [patient, never] = await new VirtualGroup({ seed: 1, ids: [1, 2] }).electAll(slow, {}, { timeout: null });
  expect([patient.status, patient.seconds]).toEqual(["not-elected", 100]);
  expect(never.reason).toMatch(/^no leader known: no verdict within 255\.\d+ s$/);
});

test("64 members with quorum: three datagrams a pair, no handshakes, and next to nothing sent twice", async () => {
  const group = new VirtualGroup({ seed: 1, ids: ids(64), conditions: { delay: [0.5, 4] } });
  const outcomes = await group.electAll(protocolNamed("quorum"), {}, { tau: 50 });
  const pairs = (64 * 63) / 2;
  expect(group.network.sent).toBeLessThan(3.2 * pairs);
  expect(sum(outcomes, ({ datagrams }) => datagrams.handshake)).toBe(0);
  const retransmissions = sum(outcomes, ({ measures }) => measures.retransmissions);
  expect(retransmissions).toBeLessThan(0.01 * sum(outcomes, ({ messages }) => messages));
  expect(outcomes.filter(({ status }) => status === "elected").length).toBe(1);
});

test("elections one after another, sealed; in the long run 200 a second on one core of its own", async () => {
  const keyring = insecureKeyring();
  const elect = (seed: number) => new VirtualGroup({ seed, ids: ids(5), keyring }).electAll(protocol);
  for (let seed = 1; seed <= 20; seed++)
    expect((await elect(seed)).map(({ leader }) => leader)).toEqual(Array(5).fill(5));
  if (!isLong) return;
  const before = process.cpuUsage();
  const elections = 60;
  for (let seed = 1; seed <= elections; seed++) await elect(seed);
  const { user, system } = process.cpuUsage(before);
  // A third of what is promised: other tests run on the same machine, and Node's compiler counts as well.
  expect(elections / ((user + system) / 1e6)).toBeGreaterThan(70);
});

test("without sealing the same datagrams travel, of the same lengths", async () => {
  const run = async (sealing?: typeof unsealed) => {
    const group = new VirtualGroup({ seed: 4, ids: ids(4), ...(sealing && { sealing }) });
    return (await group.electAll(protocol)).map(({ leader, bytes, datagrams }) => ({ leader, bytes, datagrams }));
  };
  expect(await run(unsealed)).toEqual(await run());
});

test("a round number from the wire drives no loop", async () => {
  // Members of one election by name, of which one speaks another dialect: it claims to be in a round far ahead.
  const far = { round: 2 ** 50, index: 0, message: "from afar" } as unknown as string;
  const liar = witness("clock", { start: (_notes, ctx) => ctx.send(0, far) });
  const honest = witness("clock", { assumes: { timing: "synchronous" } });
  const group = new VirtualGroup({ seed: 1, ids: [1, 2] });
  const parts = [liar, honest].map((each, i) => group.elect(i + 1, each, {}, { timeout: 2000 }));
  await group.finish(parts);
  expect(parts[1].outcome!.measures.late).toBe(1);
});
