/** What a parent can rely on: uniform samples, measured loss, bounded packets, and a door that strangers' data does not pass. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { assembled, command, goTo, membersSetup, runOf, stateOf } from "../../../test/support/members.ts";
import { letHandlersWrite } from "../../../test/support/writing-handlers.ts";
import { runEvents } from "../../host/events.ts";
import type { Observer } from "../../host/observer.ts";
import { encodedSize } from "../../wire/codec.ts";
import { membership } from "./membership.ts";
import { isMembershipMessage, type MembershipMessage } from "./messages.ts";
import { isLive, live, lossSeen, memberOfLife, note, publish, sampleLive, setMeta, size } from "./parent.ts";
import { profiles } from "./profile.ts";
import type { MembershipState } from "./state.ts";

letHandlersWrite();

const keepIn = (states: MembershipState[]): Observer => ({
  settled(node, _time, state) {
    states[node] = state as MembershipState;
  },
});

test("a sample of live others is uniform, never this member itself, and as large as there are others", () => {
  const counts = new Map<string, number>();
  const draw = command(3, 5000, (state, ctx) => {
    for (let i = 0; i < 9000; i++) {
      const drawn = sampleLive(state, 2, ctx);
      expect(new Set(drawn.map(({ name }) => name)).size).toBe(2);
      for (const { name } of drawn) counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    expect(sampleLive(state, 99, ctx)).toHaveLength(9);
  });
  runEvents(membersSetup(10, { commands: [draw] }, { until: 6000 }));
  expect([...counts.keys()].sort()).toEqual([0, 1, 2, 4, 5, 6, 7, 8, 9].map((node) => `m${node}`));
  // 2,000 of each are expected, with a standard deviation below 42.
  for (const count of counts.values()) expect(Math.abs(count - 2000)).toBeLessThan(170);
});

test("loss is measured by probes: 1 - (1 - q)^2 of them are not answered directly", () => {
  const states: MembershipState[] = [];
  runEvents(
    membersSetup(
      20,
      { loss: 0.05 },
      {
        protocol: assembled(20),
        until: 200_000,
        observer: keepIn(states),
      },
    ),
  );
  const [probes, lost] = states.map(lossSeen).reduce(([p, l], seen) => [p + seen.probes, l + seen.lost], [0, 0]);
  expect(probes).toBeGreaterThan(3900);
  // 0.0975, with a standard deviation of 0.0047.
  expect(Math.abs(lost / probes - 0.0975)).toBeLessThan(0.015);
});

test("no message is larger than a packet, and no tick sends more than its share, however much there is to tell", () => {
  const flood = command(1, 5000, (state) => {
    for (let i = 0; i < 400; i++) publish(state, `office/${i}`, [1, 0], { holder: "x".repeat(200), i });
  });
  const faults = { commands: [flood], joins: [{ node: 11, at: 20_000 }] };
  const until = 40_000;
  let largest = 0;
  let gossiped = 0;
  const states: MembershipState[] = [];
  const observer: Observer = {
    ...keepIn(states),
    sent(_flight, from, _to, message) {
      largest = Math.max(largest, encodedSize(message));
      if (from === 1 && (message as MembershipMessage).kind === "gossip") gossiped++;
    },
  };
  runEvents(membersSetup(12, faults, { until, observer }));
  expect(largest).toBeLessThanOrEqual(profiles.lan.packet);
  expect(gossiped).toBeLessThanOrEqual((until / profiles.lan.tick + 10) * profiles.lan.gossipTo);
  for (const state of states) expect(note(state, "office/399")?.order).toEqual([1, 0]);
});

test("of two notes of one order all keep the same, and of the two who said them at least one hears of the other", () => {
  const say = (node: number) =>
    command(node, 5000, (state) => void publish(state, "office/leader", [3, 0], { holder: `m${node}` }));
  const heard: string[] = [];
  const states: MembershipState[] = [];
  runEvents(
    membersSetup(
      8,
      { commands: [say(2), say(5)] },
      {
        until: 30_000,
        observer: {
          settled(node, _time, state) {
            states[node] = state as MembershipState;
            for (const news of states[node].news) {
              const holder = news.what === "note" ? (news.value as { holder: string }).holder : null;
              if ((node === 2 && holder === "m5") || (node === 5 && holder === "m2")) heard.push(holder);
            }
          },
        },
      },
    ),
  );
  const kept = new Set(states.map((state) => JSON.stringify(note(state, "office/leader")!.value)));
  expect(kept.size).toBe(1);
  expect(heard.length).toBeGreaterThan(0);
});

test("what a member tells of itself reaches everybody; lives, views and their versions fit together", () => {
  const commands = [command(4, 5000, (state, ctx) => setMeta(state, { zone: "b", weight: 3 }, ctx))];
  const run = runOf(membersSetup(6, { commands, leaves: [{ node: 2, at: 9000 }] }));
  goTo(run, 4000);
  const before = stateOf(run, 0).version;
  goTo(run, 8000);
  expect(stateOf(run, 0).version).toBe(before);
  for (const node of [0, 1, 2, 3, 5]) {
    expect(memberOfLife(stateOf(run, node), 4)).toMatchObject({ name: "m4", meta: { zone: "b", weight: 3 } });
  }
  goTo(run, 12_000);
  const state = stateOf(run, 0);
  expect(state.version).toBeGreaterThan(before);
  expect([size(state), live(state).length, memberOfLife(state, 2), isLive(state, "m2", 2)]).toEqual([
    5,
    5,
    undefined,
    false,
  ]);
});

test("whatever has not the shape of a message is refused, and whatever has it throws nothing", () => {
  const entry = fc.tuple(fc.string(), fc.nat(), fc.nat(5), fc.string(), fc.nat(4), fc.constant(null));
  const message = fc.record(
    {
      kind: fc.constantFrom("ping", "ack", "ask", "nack", "gossip", "digest", "answer", "other"),
      seq: fc.nat(9),
      to: fc.nat(9),
      from: fc.nat(9),
      life: fc.nat(9),
      address: fc.string(),
      name: fc.string(),
      about: entry,
      me: entry,
      you: entry,
      joining: entry,
      members: fc.array(entry, { maxLength: 3 }),
      notes: fc.array(fc.tuple(fc.string(), fc.nat(), fc.nat(), fc.anything({ maxDepth: 1 })), { maxLength: 2 }),
      want: fc.nat(),
      sums: fc.array(fc.nat(), { minLength: 31, maxLength: 33 }),
    },
    { requiredKeys: ["kind"] },
  );
  const accepted: unknown[] = [];
  fc.assert(
    fc.property(fc.oneof(message, fc.anything()), (value) => {
      if (shaped(value)) accepted.push(value);
    }),
    { numRuns: 3000, seed: 9 },
  );
  expect(accepted.length).toBeGreaterThan(50);
  const commands = accepted.map((value, i) =>
    command(1, 5000 + i, (state, ctx) => membership.receive(state, ctx.link("2"), value as MembershipMessage, ctx)),
  );
  const states: MembershipState[] = [];
  runEvents(membersSetup(5, { commands }, { until: 60_000, observer: keepIn(states) }));
  expect(live(states[0]).map(({ name }) => name)).toEqual(expect.arrayContaining(["m0", "m1", "m2", "m3", "m4"]));
});

/** Hosts hand over what was decoded, which is plain data. */
function shaped(value: unknown): boolean {
  try {
    encodedSize(value);
  } catch {
    return false;
  }
  return isMembershipMessage(value);
}
