/** Ring elections for tests: chosen ids and initiators, under several schedules. */
import fc from "fast-check";
import type { Delay } from "../../src/host/delays.ts";
import { runEvents } from "../../src/host/events.ts";
import { NO_FAULTS } from "../../src/host/faults/faults.ts";
import { runLockstep } from "../../src/host/lockstep.ts";
import type { Result } from "../../src/host/setup.ts";
import type { Id } from "../../src/protocol.ts";
import { protocolNamed } from "../../src/protocols/catalogue.ts";
import type { Params } from "../../src/protocols/parameters.ts";
import { resolve } from "../../src/simulation/settings.ts";
import { ring } from "../../src/topology/ring.ts";

/** How messages travel: in rounds, or with delays of which `seed` draws the random ones. */
export type Schedule = "lockstep" | { readonly delay: Delay; readonly seed: number; readonly fifo?: boolean };

export const fixed = (seed: number): Schedule => ({ delay: { kind: "fixed", value: 1 }, seed });
export const exponential = (seed: number): Schedule => ({ delay: { kind: "exponential", mean: 1 }, seed });
export const uniform = (seed: number): Schedule => ({ delay: { kind: "uniform", min: 0, max: 1 }, seed });

/** Messages overtake each other on a link. */
export const outOfOrder = (seed: number): Schedule => ({ delay: { kind: "exponential", mean: 1 }, seed, fifo: false });

const SCHEDULES: readonly Schedule[] = ["lockstep", exponential(1), fixed(1), exponential(2), uniform(3)];

/** Several schedules to try on every arrangement of n ids; fewer where there are thousands. */
export const schedules = (n: number): readonly Schedule[] => (n < 7 ? SCHEDULES : SCHEDULES.slice(0, 2));

export interface Election {
  readonly protocol: string;
  readonly ids: readonly Id[];
  /** Which nodes start; all when missing. A campaign draws them, a test chooses them. */
  readonly initiators?: readonly number[];
  readonly schedule?: Schedule;
  readonly params?: Params;
  readonly seed?: number;
}

/** Runs one election on the host itself, so that a test can choose the initiators and see what every node believes. */
export function elect({ protocol, ids, initiators, schedule = "lockstep", params = {}, seed = 1 }: Election): Result {
  const n = ids.length;
  const found = protocolNamed(protocol);
  const anonymous = found.assumes.identity === "anonymous";
  const host = schedule === "lockstep" ? "lockstep" : "events";
  const settings = resolve({ protocol, n, params, host, ...(anonymous ? {} : { ids }) });
  const setup = {
    protocol: found,
    params: settings.params,
    topology: ring(n),
    ids: anonymous ? null : Float64Array.from(ids),
    initiators: initiators ?? null,
    crashed: [],
    faults: NO_FAULTS,
    seed: schedule === "lockstep" ? seed : schedule.seed,
    trial: 0,
  };
  if (schedule === "lockstep") return runLockstep(setup);
  return runEvents({ ...setup, delay: schedule.delay, fifo: schedule.fifo ?? true });
}

/** Every arrangement of 1..n. */
export function* permutations(n: number): Generator<number[]> {
  if (n === 0) yield [];
  else {
    for (const shorter of permutations(n - 1)) {
      for (let at = 0; at < n; at++) yield [...shorter.slice(0, at), n, ...shorter.slice(at)];
    }
  }
}

/** Every subset of 0..n-1 but the empty one. */
export function* subsets(n: number): Generator<number[]> {
  for (let mask = 1; mask < 2 ** n; mask++) {
    yield Array.from({ length: n }, (_, node) => node).filter((node) => (mask >> node) & 1);
  }
}

/** Any unique ids, any set of at least one initiator, any seed. */
export const anyRing = fc
  .uniqueArray(fc.nat({ max: Number.MAX_SAFE_INTEGER }), { minLength: 1, maxLength: 24 })
  .chain((ids) =>
    fc.record({
      ids: fc.constant(ids),
      initiators: fc.subarray([...ids.keys()], { minLength: 1 }),
      seed: fc.nat(),
    }),
  );

export const largest = (ids: readonly Id[], nodes: readonly number[]): Id =>
  Math.max(...nodes.map((node) => ids[node]));

/** How far the mean of a sample lies from what is expected, in standard errors. */
export function zScore(sample: readonly number[], expected: number): number {
  const mean = sample.reduce((a, b) => a + b) / sample.length;
  const variance = sample.reduce((sum, x) => sum + (x - mean) ** 2, 0) / (sample.length - 1);
  return (mean - expected) / Math.sqrt(variance / sample.length);
}

/** Why this is not an election of `leader` that everybody has heard of, or null. */
export function complaint({ census, measures }: Result, leader: Id | null): string | null {
  const { alive, elected, notElected, beliefs, leaders } = census;
  if (elected !== 1) return `${elected} leaders`;
  if (notElected !== alive - 1) return `${alive - 1 - notElected} nodes are undecided`;
  if (leaders[0] !== leader) return `${leaders[0]} was elected instead of ${leader}`;
  if (beliefs.get(leader) !== alive) return "not everybody knows the leader";
  if (measures.announcements !== alive) return `${measures.announcements} announcements for ${alive} nodes`;
  return null;
}
