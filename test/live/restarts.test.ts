/** Members that come late, restart or never come: lives are fixed when an election begins. */
import { expect, test } from "vitest";
import { VirtualGroup, type VirtualPart } from "../../src/live/once/virtual-group.ts";
import { memoryStore, type Store } from "../../src/live/store.ts";
import type { Context } from "../../src/protocol.ts";
import { protocolNamed } from "../../src/protocols/catalogue.ts";
import { HostStream } from "../../src/random/streams.ts";
import { effort } from "../support/effort.ts";
import { sum } from "./sum.ts";
import { witness } from "./witness.ts";

const ids = (n: number) => Array.from({ length: n }, (_, i) => i + 1);
const WITHOUT = "no leader known: the election has begun without this member";

const leadersOf = (parts: readonly VirtualPart[]) =>
  new Set(parts.filter(({ verdicts }) => verdicts.some(({ status }) => status === "elected")).map(({ self }) => self));

/** Three of four members restart at random moments around the election; every life that ever led is counted. */
async function restartThree(seed: number, name: string): Promise<VirtualPart[]> {
  const draws = new HostStream(seed, 0, "crashes");
  const protocol = protocolNamed(name);
  const group = new VirtualGroup({ seed, ids: ids(4), conditions: { loss: 0.05, delay: [1, 30] } });
  const options = { gather: 2000, timeout: 4000, tau: 40 };
  const parts = ids(4).map((id) => group.elect(id, protocol, {}, options));
  const calm = 1 + draws.choose(4);
  for (const id of ids(4).filter((id) => id !== calm)) {
    group.network.at(20 + 300 * draws.uniform(), () => {
      group.start(id);
      parts.push(group.elect(id, protocol, {}, options));
    });
  }
  for (let time = 0; time < 10_000; time += 500) {
    group.network.runFor(500);
    await null;
  }
  return parts;
}

test.each([
  ["quorum", effort(30, 100)],
  ["tournament-async", effort(15, 40)],
])("%s: three of four restart inside an election, never two leaders", async (name, seeds) => {
  let elections = 0;
  let without = 0;
  for (let seed = 1; seed <= seeds; seed++) {
    const parts = await restartThree(seed, name);
    const leaders = leadersOf(parts);
    expect([seed, [...leaders].length]).toEqual([seed, Math.min(leaders.size, 1)]);
    elections += leaders.size;
    without += parts.filter(({ outcome }) => outcome?.reason === WITHOUT).length;
  }
  expect(elections).toBeGreaterThan(seeds / 5);
  expect(without).toBeGreaterThan(seeds / 5);
});

test("a member that comes after the start, or restarts in the middle, is told so and takes no part", async () => {
  const group = new VirtualGroup({ seed: 1, ids: ids(5), conditions: { delay: [10, 20] } });
  const protocol = protocolNamed("chang-roberts");
  const options = { gather: 300, timeout: 3000 };
  const rest = [1, 2, 4, 5].map((id) => group.elect(id, protocol, {}, options));
  group.network.runFor(800);
  const late = group.elect(3, protocol, {}, options);
  group.start(4);
  const again = group.elect(4, protocol, {}, options);
  await group.finish([rest[0], rest[1], rest[3], late, again]);
  expect([late.outcome!.reason, again.outcome!.reason]).toEqual([WITHOUT, WITHOUT]);
  expect([late.begun, again.begun]).toEqual([false, false]);
  expect(rest[0].outcome!.reason).toBe("no leader known: no verdict within 3 s");
});

test("the convenor restarts: those who have begun tell it", async () => {
  const group = new VirtualGroup({ seed: 1, ids: ids(3), conditions: { delay: [10, 20] } });
  const protocol = protocolNamed("chang-roberts");
  const rest = ids(3).map((id) => group.elect(id, protocol, {}, { timeout: 3000 }));
  while (!rest.every(({ begun }) => begun)) group.network.runFor(1);
  group.start(1);
  const again = group.elect(1, protocol, {}, { timeout: 3000 });
  await group.finish([rest[1], rest[2], again]);
  expect(again.outcome!.reason).toBe(WITHOUT);
});

test("the convenor restarts where much is lost: it asks, and does not begin anew while anybody remembers", async () => {
  const begun: number[] = [];
  for (let seed = 1; seed <= 30; seed++) {
    const group = new VirtualGroup({ seed, ids: ids(3), conditions: { loss: 0.3, delay: [1, 20] } });
    const elect = (id: number) =>
      group.elect(id, protocolNamed("quorum"), {}, { gather: 2000, timeout: 4000, tau: 100 });
    await group.finish(ids(3).map(elect));
    group.crash(1);
    group.crash(3);
    const again = elect(1);
    await group.finish([again]);
    if (again.begun) begun.push(seed);
  }
  expect(begun).toEqual([]);
});

test("who was told that it has begun tells others: all three restart, one after another", async () => {
  const group = new VirtualGroup({ seed: 1, ids: ids(3) });
  const elect = (id: number) => group.elect(id, protocolNamed("quorum"), {}, { gather: 1000 });
  await group.finish(ids(3).map(elect));
  for (const id of [2, 1, 3]) {
    group.crash(id);
    const again = elect(id);
    await group.finish([again]);
    expect([id, again.begun, again.outcome!.reason]).toEqual([id, false, WITHOUT]);
  }
});

test("an election takes a protocol by its name, or as somebody wrote it", async () => {
  const group = new VirtualGroup({ seed: 1, ids: ids(3) });
  const outcomes = await group.electAll("quorum");
  expect(outcomes.filter(({ status }) => status === "elected")).toHaveLength(1);
  const bare = {
    name: "lowest",
    assumes: { topology: "complete" },
    init: (_: unknown, self: { readonly id: number | null }) => ({ leads: self.id === 1 }),
    receive() {},
    verdict: ({ leads }: { leads: boolean }) =>
      ({ status: leads ? "elected" : "not-elected", leader: 1, term: 0 }) as const,
  } as const;
  expect((await group.electAll(bare)).map(({ status }) => status)).toEqual(["elected", "not-elected", "not-elected"]);
});

test("timers with numbers in their names do not put the end off for ever", async () => {
  const restless = {
    name: "restless",
    assumes: { topology: "complete" },
    init(_: unknown, __: unknown, ___: unknown, ctx: Context<null, string>) {
      ctx.arm("try 0", 1);
      return { tries: 0 };
    },
    receive() {},
    expire: (state: { tries: number }, _: string, ctx: Context<null, string>) => ctx.arm(`try ${++state.tries}`, 1),
    verdict: () => ({ status: "undecided", leader: null, term: 0 }) as const,
  } as const;
  const [outcome] = await new VirtualGroup({ seed: 1, ids: [1] }).electAll(restless, {}, { timeout: null, tau: 1000 });
  expect(outcome.reason).toBe("no leader known: no verdict within 31 s");
});

test("one member takes part in an election once at a time", async () => {
  const group = new VirtualGroup({ seed: 1, ids: ids(3) });
  const parts = ids(3).map((id) => group.elect(id, protocolNamed("quorum")));
  const second = group.elect(2, protocolNamed("quorum"));
  await group.finish(parts);
  expect(second.error).toMatchObject({ message: "election 1 already runs here: give the next one another name" });
  expect(leadersOf(parts).size).toBe(1);
});

test("where the lowest does not come, the next one convenes, and everybody begins with it", async () => {
  const group = new VirtualGroup({ seed: 2, ids: ids(5) });
  const parts = [2, 3, 4, 5].map((id) => group.elect(id, protocolNamed("quorum"), {}, { gather: 1000 }));
  await group.finish(parts);
  expect(parts.every(({ begun }) => begun)).toBe(true);
  expect(leadersOf(parts).size).toBe(1);
});

test("a member alone ends without a word about the others", async () => {
  const group = new VirtualGroup({ seed: 1, ids: ids(3) });
  const proud = witness("proud", {
    start: (notes) => {
      notes.status = "elected";
    },
  });
  const part = group.elect(2, proud, {}, { gather: 500 });
  await group.finish([part]);
  expect(part.outcome).toMatchObject({ heard: 0, status: "elected", reason: "none of the other 2 members was heard" });
});

test("a protocol that saves its state goes on in a new life, and gets what it had not acknowledged", async () => {
  const stores = new Map<number, Store>(ids(3).map((id) => [id, memoryStore()]));
  const protocol = witness("saver", {
    assumes: { tolerates: [], multicast: false },
    start: ({ lines, id }, ctx) => {
      lines.push(`life of ${id}`);
      if (id === 1 && lines.length === 1) ctx.arm("speak", 20);
    },
    expire: (notes, _timer, ctx) => {
      ctx.send(0, "news");
      notes.status = "not-elected";
    },
    receive: (notes, _port, message) => {
      notes.lines.push(message);
      notes.status = "not-elected";
    },
    saved: ({ lines }) => lines,
  });
  const group = new VirtualGroup({ seed: 3, ids: ids(3), conditions: { delay: [0.5, 0.5] } });
  const elect = (id: number) =>
    group.elect(id, protocol, {}, { state: () => stores.get(id)!, timeout: 6000, tau: 25, linger: 1500 });
  const parts = ids(3).map(elect);
  while (!parts.every(({ begun }) => begun)) group.network.runFor(1);
  group.crash(2);
  group.network.runFor(1000);
  const again = elect(2);
  await group.finish([parts[0], again]);
  expect(stores.get(2)!.load()).toEqual(["life of 2", "life of 2", "news"]);
  expect(parts[0].outcome!.status).toBe("not-elected");
});

test("multicasts of another roster are not heard either", async () => {
  const group = new VirtualGroup({ seed: 2, ids: ids(6) });
  const protocol = witness("herald", {
    start: ({ id }, ctx) => {
      if (id === 6) ctx.arm("speak", 4);
    },
    expire: (_notes, _timer, ctx) => ctx.multicast("news"),
    receive: (notes) => {
      notes.status = "not-elected";
    },
  });
  const options = { multicast: "epidemic", timeout: 3000, gather: 400 } as const;
  // Two halves that do not hear each other gather apart; then the network heals.
  const halves = [ids(3), [4, 5, 6]];
  for (const [here, there] of [halves, [...halves].reverse()]) {
    for (const a of here) for (const b of there) group.network.cut(group.address(a), group.address(b));
  }
  const parts = ids(6).map((id) => group.elect(id, protocol, {}, options));
  while (!parts.every(({ begun }) => begun)) group.network.runFor(1);
  group.network.heal();
  await group.finish(parts);
  expect(parts.map(({ outcome }) => outcome!.status)).toEqual([
    ...Array(3).fill("undecided"),
    "not-elected",
    "not-elected",
    "undecided",
  ]);
  expect(
    sum(
      parts.slice(0, 3).map(({ outcome }) => outcome!),
      ({ measures }) => measures.otherRoster,
    ),
  ).toBeGreaterThan(0);
});

test("who restarts after the others are done is told by those that are still there", async () => {
  const group = new VirtualGroup({ seed: 1, ids: ids(4) });
  const protocol = protocolNamed("quorum");
  await group.finish(ids(4).map((id) => group.elect(id, protocol)));
  const again = [1, 2, 3].map((id) => {
    group.start(id);
    return group.elect(id, protocol, {}, { gather: 500 });
  });
  await group.finish(again);
  expect(again.map(({ outcome }) => outcome!.reason)).toEqual([WITHOUT, WITHOUT, WITHOUT]);
});
