/** How a lease client is set up, with its formulas. All times are in the host's unit: milliseconds on a live host. */
import { InputError } from "../../errors.ts";
import type { Address, Port } from "../../protocol.ts";

export interface LeaseParams {
  /** The member's name, for others to see, and for reservations. */
  readonly name: string;
  /** Where the engine is: its address; or its port, on a network whose links are given. */
  readonly engine: Address | Port;
  /** How long a lease lasts after each renewal, by the engine's clock. Too short: a slow engine costs offices. */
  readonly ttl: number;
  /** The most by which this clock and the engine's run apart, as a share. Too small: two holders for the difference. */
  readonly rho: number;
  /** How long before its end a lease is given up. Has to cover how late a host fires a deadline. */
  readonly margin: number;
  /** Between renewals. Two more tries should fit into a lease after one that was lost. */
  readonly renewEvery: number;
  /** A request that was not answered for so long is sent again. */
  readonly requestTimeout: number;
  /** How long a lease is renewed for work that is to end; then it is given up, and runs out. */
  readonly settleWithin: number;
  /** Whether work runs under leases: then nothing is released, and nothing asked for again, before it has ended. */
  readonly settles: boolean;
  /** Whether leases of this member can be cut short. */
  readonly preemptible: boolean;
  /**
   * Whether somebody outside holds the work and has to know until when (`sortition run`): then nothing is renewed before the newest
   * confirmation of each lease is acknowledged, so that what is known there is never more than one renewal behind.
   */
  readonly gated?: boolean;
}

export type LeaseTimes = Pick<LeaseParams, "ttl" | "rho" | "margin" | "renewEvery" | "requestTimeout" | "settleWithin">;

export const DEFAULT_TTL = 5000;
/** Below it the timers of a busy process are too late too often (docs/decisions/leases.md). */
export const LEAST_TTL = 500;
/** A lease store that was restored grants nothing for the longest TTL that was ever used, so one member's mistake must not last for days. */
export const LONGEST_TTL = 3_600_000;

/** The times that follow from a lease's length in milliseconds. */
export function leaseTimes(ttl: number = DEFAULT_TTL): LeaseTimes {
  if (!(ttl >= LEAST_TTL && ttl <= LONGEST_TTL)) {
    throw new InputError(`a lease lasts from ${LEAST_TTL} ms to an hour, not ${ttl} ms: choose another TTL`);
  }
  return {
    ttl,
    rho: 0.01,
    margin: Math.min(50, ttl / 20),
    renewEvery: ttl / 3,
    requestTimeout: ttl / 4,
    settleWithin: ttl / 2,
  };
}

/**
 * The same where renewals are gated: more often, and with less patience, so that what the holder of the work knows is renewed
 * in time although one renewal fails and each has to be acknowledged (src/live/run/times.ts).
 */
export const gatedTimes = (ttl: number = DEFAULT_TTL): LeaseTimes => ({
  ...leaseTimes(ttl),
  renewEvery: ttl / 8,
  requestTimeout: ttl / 10,
});

/** How long after the sending of a request its answer is worth something. */
export const worth = ({ ttl, rho, margin }: LeaseTimes): number => ttl * (1 - rho) - margin;
