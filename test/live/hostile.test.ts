/** One-shot elections under attack: recordings and keys. What strangers can do to the endpoint itself: group-hostile.test.ts. */
import { expect, test } from "vitest";
import { insecureKeyring, type Keyring, keyringOf } from "../../src/live/net/keyring.ts";
import { VirtualGroup } from "../../src/live/once/virtual-group.ts";
import type { Id } from "../../src/protocol.ts";
import { protocolNamed } from "../../src/protocols/catalogue.ts";

const protocol = protocolNamed("chang-roberts");
const IDS = [1, 2, 3, 4];
const key = (byte: number) => new Uint8Array(32).fill(byte);

/** A group that has elected, and what each member has received. */
async function scene(keyring: Keyring = insecureKeyring()) {
  const group = new VirtualGroup({ seed: 1, ids: IDS, keyring });
  const recorded = new Map<Id, Uint8Array[]>(IDS.map((id) => [id, []]));
  group.network.tap = (datagram, to) => {
    recorded.get(group.listed.find(({ port }) => port === to.port)!.id)!.push(datagram);
  };
  const elect = async (name = "1") => (await group.electAll(protocol, {}, { name })).map(({ leader }) => leader);
  expect(await elect()).toEqual([4, 4, 4, 4]);
  return { group, recorded, elect };
}

test("recorded datagrams, replayed at their receiver", async () => {
  const { group, recorded } = await scene();
  group.network.tap = null;
  for (const id of IDS) {
    const { member, machine } = group.of(id);
    const sent = { ...member.counters.sent };
    const { replayed = 0 } = member.counters.drops;
    const tape = recorded.get(id)!;
    for (const datagram of tape) machine.arrive(datagram);
    expect((member.counters.drops.replayed ?? 0) - replayed).toBe(tape.length);
    expect(member.counters.sent).toEqual(sent);
  }
});

test("a receiver that has restarted does not begin by a recording, and answers nothing longer than its question", async () => {
  const { group, recorded } = await scene();
  const tape = recorded.get(2)!.slice();
  const { machine } = group.start(2);
  for (const id of [1, 3, 4]) group.crash(id);
  const part = group.elect(2, protocol, {}, { gather: 60_000, timeout: 70_000 });
  const answers: number[] = [];
  group.network.tap = (datagram) => answers.push(datagram.length);
  let questions = 0;
  for (const datagram of tape) {
    answers.length = 0;
    machine.arrive(datagram);
    expect(answers.length).toBeLessThanOrEqual(1);
    for (const length of answers) expect(length).toBeLessThanOrEqual(datagram.length);
    questions += answers.length;
  }
  expect(questions).toBeGreaterThan(0);
  expect([part.begun, part.outcome]).toEqual([false, null]);
});

test("keys are replaced while the group elects; then the old one opens nothing any more", async () => {
  const [old, both, turned, fresh] = [[1], [1, 2], [2, 1], [2]].map((bytes) => keyringOf(bytes.map(key)));
  const { group, recorded, elect } = await scene(old);
  const sealedWithOld = recorded.get(2)![0];
  for (const [round, keyring] of [both, turned].entries()) {
    for (const [i, id] of IDS.entries()) {
      group.network.at(group.network.now + 3 * i, () => group.of(id).member.rekey(keyring));
    }
    expect(await elect(`with another ring ${round}`)).toEqual([4, 4, 4, 4]);
  }
  for (const id of IDS) group.of(id).member.rekey(fresh);
  const { member, machine } = group.of(2);
  const { "unknown-key": unknown = 0 } = member.counters.drops;
  machine.arrive(sealedWithOld);
  expect(member.counters.drops["unknown-key"]).toBe(unknown + 1);
  expect(await elect("with the new key")).toEqual([4, 4, 4, 4]);
});
