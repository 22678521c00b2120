/** Datagrams that no member sent, or not now: none of them changes anything, all of them are counted. */
import { createSocket } from "node:dgram";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { insecureKeyring, type Keyring, keyringOf } from "../../src/live/keyring.ts";
import { LiveMember } from "../../src/live/member.ts";
import { directionKey, seal } from "../../src/live/seal.ts";
import { openUdp, type Transport } from "../../src/live/udp.ts";
import type { Id } from "../../src/protocol.ts";
import { protocolNamed } from "../../src/protocols/catalogue.ts";
import { HostStream } from "../../src/random/streams.ts";
import { LiveGroup, sum } from "./group.ts";

const protocol = protocolNamed("chang-roberts");
const IDS = [1, 2, 3, 4];
const key = (byte: number) => new Uint8Array(32).fill(byte);

let group: LiveGroup;
/** What each member has received, and how to hand it something more. */
let recorded: Map<Id, Uint8Array[]>;
let hand: Map<Id, (datagram: Uint8Array) => void>;

const tap = (transport: Transport, id: Id): Transport => ({
  ...transport,
  listen(receive) {
    hand.set(id, receive);
    recorded.set(id, []);
    transport.listen((datagram) => {
      recorded.get(id)!.push(Uint8Array.from(datagram));
      receive(datagram);
    });
  },
});

async function open(keyring: Keyring = insecureKeyring()): Promise<void> {
  group = await LiveGroup.open({ ids: IDS, keyring, wrap: tap });
  expect((await group.elect(protocol))[0].leader).toBe(4);
}

beforeEach(() => {
  recorded = new Map();
  hand = new Map();
});
afterEach(() => group.close());

/** What an attacker could try to change. */
const condition = ({ counters, endpoint }: LiveMember) => ({
  sent: { ...counters.sent },
  remembered: endpoint.remembered,
});

function collectGarbage(): number {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  return process.memoryUsage().heapUsed;
}

test("100,000 random and mutated datagrams", async () => {
  await open();
  const victim = group.member(2);
  const samples = recorded.get(2)!;
  expect(samples.length).toBeGreaterThan(10);
  const before = condition(victim);
  const dropped = victim.counters.dropped;
  const heap = collectGarbage();
  const draws = new HostStream(8, 0, "losses");
  const noise = (length: number) => Uint8Array.from({ length }, () => draws.choose(256));
  for (let i = 0; i < 100_000; i++) {
    let datagram: Uint8Array;
    if (i % 10 === 0) datagram = noise(draws.choose(draws.choose(10) === 0 ? 1600 : 80));
    else {
      const original = samples[draws.choose(samples.length)];
      const how = draws.choose(4);
      if (how === 0) datagram = original.subarray(0, draws.choose(original.length));
      else if (how === 1) datagram = Buffer.concat([original, noise(1 + draws.choose(20))]);
      else {
        datagram = Uint8Array.from(original);
        // Only the body in one case, so that the header alone does not give it away.
        const at = how === 2 ? draws.choose(datagram.length) : 27 + draws.choose(datagram.length - 27);
        datagram[at] ^= 1 << draws.choose(8);
      }
    }
    hand.get(2)!(datagram);
  }
  expect(condition(victim)).toEqual(before);
  expect(victim.counters.dropped - dropped).toBe(100_000);
  const { drops } = victim.counters;
  for (const reason of ["malformed", "version", "unknown-key", "unauthentic"] as const) {
    expect([reason, drops[reason]! > 100]).toEqual([reason, true]);
  }
  expect(collectGarbage() - heap).toBeLessThan(4_000_000);
  expect((await group.elect(protocol))[0].leader).toBe(4);
});

test("recorded datagrams, replayed at their receiver and at others", async () => {
  await open();
  for (const id of IDS) {
    const member = group.member(id);
    const before = condition(member);
    const { replayed = 0, unauthentic = 0 } = member.counters.drops;
    const own = recorded.get(id)!.slice();
    for (const datagram of own) hand.get(id)!(datagram);
    expect(member.counters.drops.replayed! - replayed).toBe(own.length);
    const foreign = recorded.get((id % 4) + 1)!;
    for (const datagram of foreign) hand.get(id)!(datagram);
    expect(member.counters.drops.unauthentic! - unauthentic).toBe(foreign.length);
    expect(condition(member)).toEqual(before);
  }
});

test("a receiver that has restarted acts on no recording", async () => {
  await open();
  const tape = recorded.get(2)!.slice();
  await group.member(2).close();
  const { port } = group.listed.find(({ id }) => id === 2)!;
  const transport = await openUdp({ host: "127.0.0.1", port });
  const reborn = new LiveMember({
    self: 2,
    members: group.listed,
    keyring: insecureKeyring(),
    transport: tap(transport, 2),
  });
  let payloads = 0;
  reborn.endpoint.receiver = {
    payload: () => {
      payloads++;
    },
    restarted() {},
  };
  for (const datagram of tape) hand.get(2)!(datagram);
  // Its own challenges reach the living members, who prove themselves: what they had sent before stays void.
  await expect.poll(() => reborn.endpoint.remembered, { timeout: 30_000 }).toBeGreaterThan(0);
  for (const datagram of tape) hand.get(2)!(datagram);
  expect(payloads).toBe(0);
  expect(reborn.counters.drops.unintroduced).toBeGreaterThan(0);
  expect(reborn.counters.drops.replayed).toBeGreaterThan(0);
  await reborn.close();
});

describe("keys", () => {
  test("another key, and another key that claims to be the right one", async () => {
    await open(keyringOf([key(1)]));
    const victim = group.member(2);
    const before = condition(victim);
    const salt = "00".repeat(16);
    const body = Buffer.from([0, 1]);
    const right = keyringOf([key(1)]).sealing;
    const wrong = keyringOf([key(2)]).sealing;
    hand.get(2)!(seal(directionKey(wrong, salt, 2), wrong.id, salt, 0, body));
    hand.get(2)!(seal(directionKey(wrong, salt, 2), right.id, salt, 0, body));
    expect(victim.counters.drops).toMatchObject({ "unknown-key": 1, unauthentic: 1 });
    expect(condition(victim)).toEqual(before);
  });

  test("are replaced while the group elects; then the old one opens nothing any more", async () => {
    const [old, both, turned, fresh] = [[1], [1, 2], [2, 1], [2]].map((bytes) => keyringOf(bytes.map(key)));
    await open(old);
    for (const keyring of [both, turned]) {
      const election = group.elect(protocol);
      for (const [i, member] of group.members.entries()) setTimeout(() => member.rekey(keyring), 3 * i);
      expect((await election).map(({ leader }) => leader)).toEqual([4, 4, 4, 4]);
    }
    const sealedWithOld = recorded.get(2)![0];
    for (const member of group.members) member.rekey(fresh);
    const victim = group.member(2);
    const before = condition(victim);
    const { "unknown-key": unknown = 0 } = victim.counters.drops;
    hand.get(2)!(sealedWithOld);
    expect(victim.counters.drops["unknown-key"]).toBe(unknown + 1);
    expect(condition(victim)).toEqual(before);
    expect((await group.elect(protocol)).map(({ leader }) => leader)).toEqual([4, 4, 4, 4]);
  });
});

test("an unkeyed sender gets no answer, whatever it sends", async () => {
  await open();
  const { port } = group.listed[1];
  const { received } = group.member(2).counters;
  const stranger = createSocket("udp4");
  const answers: Buffer[] = [];
  stranger.on("message", (answer) => answers.push(answer));
  const sent = [
    Buffer.alloc(60, 7),
    Buffer.alloc(60, 1),
    ...recorded.get(2)!.slice(0, 20),
    ...recorded.get(1)!.slice(0, 20),
  ];
  for (const datagram of sent) stranger.send(datagram, port, "127.0.0.1");
  await expect.poll(() => group.member(2).counters.received - received, { timeout: 30_000 }).toBe(sent.length);
  await new Promise((resolve) => setTimeout(resolve, 100));
  stranger.close();
  expect(answers).toEqual([]);
});

test("payloads of a member that speaks another dialect are counted and do no harm", async () => {
  await open();
  const victim = group.member(2);
  const election = group.elect(protocol, {}, { linger: 400 });
  const draws = new HostStream(9, 0, "losses");
  const { dropped, received } = victim.counters;
  for (let i = 0; i < 500; i++) {
    const noise = Uint8Array.from({ length: draws.choose(40) }, () => draws.choose(256));
    group.member(1).endpoint.send(2, noise, "message");
  }
  await expect.poll(() => victim.counters.received - received, { timeout: 30_000 }).toBeGreaterThanOrEqual(500);
  expect((await election).map(({ leader }) => leader)).toEqual([4, 4, 4, 4]);
  expect(victim.counters.dropped - dropped).toBeGreaterThanOrEqual(500);
  expect(sum(await group.elect(protocol), ({ messages }) => messages)).toBe(11);
});
