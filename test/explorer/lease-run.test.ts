/** The lease client as a protocol, under all faults: a node that believes to hold a seat has it, and after the faults each seat is held. */
import { describe, expect, test } from "vitest";
import type { FaultPlan } from "../../src/host/faults/faults.ts";
import type { EngineCommand } from "../../src/protocols/lease/model.ts";
import { HostStream } from "../../src/random/streams.ts";
import { effort } from "../support/effort.ts";
import { keepsStrays } from "./lease-bugs.ts";
import type { Script } from "./lease-contender.ts";
import { ENGINE, runLeases, TTL } from "./lease-run.ts";

const CLIENTS = 4;
const HEALED = 20_000;
const FOREVER = 1e9;

/** Two seats, of which the second is kept for longer; the work of some takes longer to end than the lease is renewed for. */
const script = (node: number): Script => ({
  seats: ["s", "t"],
  leases: FOREVER,
  holds: 800,
  keeps: 2500,
  ends: node % 2 === 0 ? 20 : 700,
  later: 10 * node,
});

function trouble(seed: number): Partial<FaultPlan> {
  const draws = new HostStream(seed, 0, "losses");
  const some = <T>(most: number, make: () => T) => Array.from({ length: draws.choose(most + 1) }, make);
  const node = () => draws.choose(CLIENTS + 1);
  const span = (most: number) => {
    const from = (HEALED - 1000) * draws.uniform();
    return { from, to: Math.min(HEALED, from + most * draws.uniform()) };
  };
  const told = (most: number, on: EngineCommand, off: EngineCommand) =>
    some(2, () => span(most)).flatMap(({ from, to }) => [
      { node: ENGINE, at: from, message: on },
      { node: ENGINE, at: to, message: off },
    ]);
  const late = () => TTL * draws.uniform();
  const reboots = some(4, () => ({ node: node(), ...span(3 * TTL) }));
  return {
    losses: [{ rate: 0.2 * draws.uniform(), kind: "both", link: null, from: 0, to: HEALED }],
    crashes: reboots.map(({ node, from }) => ({ node, at: from })),
    restarts: reboots.map(({ node, to }) => ({ node, at: to, saved: true })),
    pauses: some(6, () => ({ node: node(), ...span(4 * TTL) })),
    partitions: some(3, () => ({ groups: [[1 + draws.choose(CLIENTS)]], oneWay: draws.coin(0.5), ...span(4 * TTL) })),
    duplicate: 0.2 * draws.uniform(),
    reorder: 0.3,
    drift: 0.005,
    commands: [
      ...told(3 * TTL, { kind: "fail", why: "no disk" }, { kind: "fail", why: null }),
      ...told(8 * TTL, { kind: "slow", before: late(), after: late() }, { kind: "slow", before: 0, after: 0 }),
    ],
    spikes: [{ rate: 0.1 * draws.uniform(), delay: 2 * TTL * draws.uniform(), link: null, from: 0, to: HEALED }],
  };
}

test("handed over from one to the next, a seat goes round, and nobody comes between", () => {
  const round = (node: number): Script => ({
    seats: ["s"],
    leases: FOREVER,
    holds: 800,
    ends: 20,
    heir: `c${(node % 3) + 1}`,
  });
  const { wrong, grants } = runLeases({ clients: 3, until: 30_000, script: round });
  expect(wrong).toEqual([]);
  expect(grants.length).toBeGreaterThan(15);
  for (const [i, { node }] of grants.slice(1).entries()) expect(node).toBe((grants[i].node % 3) + 1);
});

test("a holder asks the lease store once in each interval, and nobody else asks", () => {
  const alone = (node: number) => ({ seats: node === 1 ? ["s", "t"] : [], leases: 2, holds: FOREVER, ends: 0 });
  const { requests } = runLeases({ clients: 10, until: 30 * TTL, script: alone });
  expect(requests.acquire).toBe(2);
  expect(requests.renew).toBeLessThanOrEqual(90);
  expect(requests.renew).toBeGreaterThan(80);
  expect(Object.keys(requests).sort()).toEqual(["acquire", "renew"]);
});

describe("whatever goes wrong", () => {
  test.each(Array.from({ length: effort(6, 300) }, (_, i) => i + 1))("seed %i", (seed) => {
    const until = HEALED + 15 * TTL;
    const { wrong, grants } = runLeases({ clients: CLIENTS, until, seed, faults: trouble(seed), script });
    expect(wrong).toEqual([]);
    for (const seat of ["s", "t"]) {
      const turns = grants.filter((grant) => grant.seat === seat && grant.at > HEALED).map(({ at }) => at);
      // A turn, work that does not end, a lease that runs out, and a wait that began before.
      const gaps = [...turns, until].map((at, i) => at - (i === 0 ? HEALED : turns[i - 1]));
      expect(Math.max(...gaps)).toBeLessThan(7 * TTL);
    }
  });
});

/** Client 1 holds s for good. It asks for t, which takes long or is answered in vain, and then wants it no more. */
describe.each([
  ["comes too late", { spikes: [{ rate: 1, delay: 1500, link: [1, ENGINE], from: 99, to: 105 }] }],
  ["is lost", { losses: [{ rate: 1, kind: "both", link: [ENGINE, 1], from: 99, to: 200 }] }],
] as const)("a grant whose answer %s", (_how, faults) => {
  const scripts = (node: number): Script =>
    node === 1
      ? { seats: ["s", "t"], leases: 2, holds: FOREVER, ends: 0, later: 100, withdraws: 100 }
      : { seats: ["t"], leases: FOREVER, holds: FOREVER, ends: 0 };
  const run = { clients: 2, until: 60_000, faults: { ...faults, joins: [{ node: 2, at: 5000 }] }, script: scripts };

  test("is given back, and another gets the seat", () => {
    const { wrong, grants } = runLeases(run);
    expect(wrong).toEqual([]);
    expect(grants.filter(({ seat }) => seat === "t")).toMatchObject([{ node: 2 }]);
  });

  test("planted: is kept, and nobody ever gets the seat", () => {
    const { grants } = runLeases({ ...run, client: keepsStrays() });
    expect(grants.map(({ seat }) => seat)).toEqual(["s"]);
  });
});
