/** A group in strict mode: beside its members there are an engine that grants leases and a resource that holders write to. */
import type { HostStream } from "../../../src/random/streams.ts";

export interface Lease {
  readonly ttl: number;
  /** Whether leases of its offices can be cut short. */
  readonly preemptible: boolean;
  /** What holders do takes so many milliseconds to end, at least and at most. */
  readonly settling: readonly [number, number];
  /** Whether the engine's clock goes on while its process does not. */
  readonly serverClock: boolean;
  /** So often a holder writes, in milliseconds. */
  readonly writing: readonly [number, number];
}

export type LeaseWanted = Partial<Lease>;

const TTLS = [1000, 2000, 5000];

export function drawLease(draws: HostStream, wanted: LeaseWanted): Lease {
  const ttl = TTLS[draws.choose(TTLS.length)];
  // Mostly at once; sometimes longer than a member waits for it.
  const settling = draws.coin(0.7) ? [0, 0.05] : [0, 1.2];
  const drawn = { ttl, preemptible: draws.coin(0.5), serverClock: draws.coin(0.7), writing: [100, 600] } as const;
  return { settling: [settling[0] * ttl, settling[1] * ttl], ...drawn, ...wanted };
}

/** Nodes after the members. */
export const engineOf = (members: number): number => members;
export const counterOf = (members: number): number => members + 1;
