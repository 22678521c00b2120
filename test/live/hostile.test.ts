/** Datagrams that no member sent, or not now: none of them changes anything, all of them are counted. */

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { sealIntroduction } from "../../src/live/datagrams.ts";
import { writeStep } from "../../src/live/introduction.ts";
import { insecureKeyring, type Keyring, keyringOf } from "../../src/live/keyring.ts";
import { aesGcm } from "../../src/live/sealing.ts";
import { IDLE } from "../../src/live/sessions.ts";
import { VirtualGroup, type VirtualMember } from "../../src/live/virtual-group.ts";
import type { Id } from "../../src/protocol.ts";
import { protocolNamed } from "../../src/protocols/catalogue.ts";
import { HostStream } from "../../src/random/streams.ts";
import { effort } from "../support/effort.ts";
import { sum } from "./sum.ts";

const protocol = protocolNamed("chang-roberts");
const IDS = [1, 2, 3, 4];
const key = (byte: number) => new Uint8Array(32).fill(byte);

interface Scene {
  readonly group: VirtualGroup;
  /** What each member has received. */
  readonly recorded: Map<Id, Uint8Array[]>;
  elect(): Promise<(Id | null)[]>;
}

async function scene(keyring: Keyring = insecureKeyring()): Promise<Scene> {
  const group = new VirtualGroup({ seed: 1, ids: IDS, keyring });
  const recorded = new Map<Id, Uint8Array[]>(IDS.map((id) => [id, []]));
  group.network.tap = (datagram, to) => {
    recorded.get(group.listed.find(({ port }) => port === to.port)!.id)!.push(datagram);
  };
  let names = 0;
  const elect = async () => (await group.electAll(protocol, {}, { name: String(names++) })).map(({ leader }) => leader);
  expect(await elect()).toEqual([4, 4, 4, 4]);
  return { group, recorded, elect };
}

/** What an attacker could try to change. */
const condition = ({ member: { counters, endpoint } }: VirtualMember) => ({
  sent: { ...counters.sent },
  remembered: endpoint.remembered,
});

function collectGarbage(): number {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  return process.memoryUsage().heapUsed;
}

const DATAGRAMS = effort(100_000, 400_000);

test(`${DATAGRAMS} random and mutated datagrams`, async () => {
  const { group, recorded, elect } = await scene();
  const victim = group.of(2);
  const { counters } = victim.member;
  const samples = recorded.get(2)!.slice();
  expect(samples.length).toBeGreaterThan(10);
  const before = condition(victim);
  const { dropped } = counters;
  const heap = collectGarbage();
  const draws = new HostStream(8, 0, "losses");
  const noise = (length: number) => Uint8Array.from({ length }, () => draws.choose(256));
  for (let i = 0; i < DATAGRAMS; i++) {
    let datagram: Uint8Array;
    if (i % 10 === 0) datagram = noise(draws.choose(draws.choose(10) === 0 ? 1600 : 80));
    else {
      const original = samples[draws.choose(samples.length)];
      const how = draws.choose(4);
      if (how === 0) datagram = original.subarray(0, draws.choose(original.length));
      else if (how === 1) datagram = Buffer.concat([original, noise(1 + draws.choose(20))]);
      else {
        datagram = Uint8Array.from(original);
        // Only the body in one case, so that the head alone does not give it away.
        const at = how === 2 ? draws.choose(datagram.length) : 18 + draws.choose(datagram.length - 18);
        datagram[at] ^= 1 << draws.choose(8);
      }
    }
    victim.machine.arrive(datagram);
  }
  expect(condition(victim)).toEqual(before);
  expect(counters.dropped - dropped).toBe(DATAGRAMS);
  for (const reason of ["malformed", "version", "unknown-key", "unknown-session", "unauthentic"] as const) {
    expect([reason, counters.drops[reason]! > 100]).toEqual([reason, true]);
  }
  expect(collectGarbage() - heap).toBeLessThan(4_000_000);
  expect(await elect()).toEqual([4, 4, 4, 4]);
});

test("recorded datagrams, replayed at their receiver and at others", async () => {
  const { group, recorded } = await scene();
  group.network.tap = null;
  for (const id of IDS) {
    const { member, machine } = group.of(id);
    const before = condition(group.of(id));
    const { dropped } = member.counters;
    const [own, foreign] = [id, (id % 4) + 1].map((whose) => recorded.get(whose)!);
    for (const datagram of [...own, ...foreign]) machine.arrive(datagram);
    expect(member.counters.dropped - dropped).toBe(own.length + foreign.length);
    expect(condition(group.of(id))).toEqual(before);
    expect(member.counters.drops.replayed).toBeGreaterThan(own.length / 2);
  }
});

test("a receiver that has restarted acts on no recording, and answers nothing longer than its question", async () => {
  const { group, recorded } = await scene();
  const tape = recorded.get(2)!.slice();
  const { machine, member } = group.start(2);
  let payloads = 0;
  member.endpoint.receiver = {
    payload: () => {
      payloads++;
    },
    met() {},
  };
  const answers: number[] = [];
  group.network.tap = (datagram) => answers.push(datagram.length);
  let hellos = 0;
  for (let round = 0; round < 3; round++) {
    for (const datagram of tape) {
      answers.length = 0;
      machine.arrive(datagram);
      expect(answers.length).toBeLessThanOrEqual(1);
      for (const length of answers) expect(length).toBeLessThanOrEqual(datagram.length);
      hellos += answers.length;
    }
    // Its challenges reach the living members, to whom they mean nothing.
    group.network.runFor(100);
  }
  expect(hellos).toBeGreaterThan(0);
  expect([payloads, member.endpoint.remembered]).toEqual([0, 0]);
  expect(member.counters.drops["unknown-session"]).toBeGreaterThan(0);
  expect(member.counters.drops.stale).toBeGreaterThan(0);
});

describe("keys", () => {
  test("another key, and another key that claims to be the right one", async () => {
    const { group } = await scene(keyringOf([key(1)]));
    const victim = group.of(2);
    const before = condition(victim);
    const right = keyringOf([key(1)]).sealing;
    const wrong = keyringOf([key(2)]).sealing;
    const hello = writeStep({ kind: "hello", sender: 1, salt: Buffer.alloc(16) });
    const random = (count: number) => Buffer.alloc(count, 9);
    for (const { id } of [wrong, right]) {
      victim.machine.arrive(sealIntroduction(aesGcm, aesGcm.introductionKey(wrong, 2), id, random, hello));
    }
    expect(victim.member.counters.drops).toMatchObject({ "unknown-key": 1, unauthentic: 1 });
    expect(condition(victim)).toEqual(before);
  });

  test("are replaced while the group elects; then the old one opens nothing any more", async () => {
    const [old, both, turned, fresh] = [[1], [1, 2], [2, 1], [2]].map((bytes) => keyringOf(bytes.map(key)));
    const { group, recorded, elect } = await scene(old);
    for (const keyring of [both, turned]) {
      for (const [i, id] of IDS.entries()) {
        group.network.at(group.network.now + 3 * i, () => group.of(id).member.rekey(keyring));
      }
      expect(await elect()).toEqual([4, 4, 4, 4]);
    }
    group.network.runFor(1000);
    const sealedWithOld = recorded.get(2)!.filter((datagram) => datagram[1] === 0)[0];
    for (const id of IDS) group.of(id).member.rekey(fresh);
    const victim = group.of(2);
    const before = condition(victim);
    const { "unknown-key": unknown = 0 } = victim.member.counters.drops;
    victim.machine.arrive(sealedWithOld);
    expect(victim.member.counters.drops["unknown-key"]).toBe(unknown + 1);
    expect(condition(victim)).toEqual(before);
    expect(before.remembered).toBeGreaterThan(0);
    expect(await elect()).toEqual([4, 4, 4, 4]);
  });
});

test("payloads of a member that speaks another dialect are counted and do no harm", async () => {
  const { group } = await scene();
  const victim = group.of(2).member;
  const draws = new HostStream(9, 0, "losses");
  const { dropped } = victim.counters;
  const parts = IDS.map((id) => group.elect(id, protocol, {}, { name: "noisy" }));
  for (let i = 0; i < 500; i++) {
    const noise = Uint8Array.from({ length: 1 + draws.choose(40) }, () => draws.choose(256));
    group.of(1).member.endpoint.send(2, noise, "message");
  }
  await group.finish(parts);
  expect(victim.counters.dropped - dropped).toBe(500);
  expect(
    sum(
      parts.map(({ outcome }) => outcome!),
      ({ messages }) => messages,
    ),
  ).toBe(11);
});

test("sessions that nobody uses are forgotten, and made anew when there is something to say", async () => {
  const { group, elect } = await scene();
  expect(IDS.every((id) => group.of(id).member.endpoint.remembered >= 2)).toBe(true);
  group.network.runFor(2.5 * IDLE);
  expect(IDS.map((id) => group.of(id).member.endpoint.remembered)).toEqual([0, 0, 0, 0]);
  expect(await elect()).toEqual([4, 4, 4, 4]);
});
