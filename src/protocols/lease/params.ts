/** The parameters of a lease client, with their formulas. All times are in the host's unit: milliseconds on a live host. */
import { InputError } from "../../errors.ts";
import type { Address, Port } from "../../protocol.ts";

export interface LeaseParams {
  /** The member's name, for others to see, and for reservations. */
  readonly name: string;
  /** The engine's address, or its port on a network whose links are given. */
  readonly engine: Address | Port;
  /** How long a lease lasts after each renewal, by the engine's clock. Too short: a slow engine costs offices. */
  readonly ttl: number;
  /** The largest drift between this clock and the engine's, as a share. Too small: two holders for the difference. */
  readonly rho: number;
  /** How long before its end a lease is given up. Must cover how late a host fires a deadline. */
  readonly margin: number;
  /** Time between renewals. After a lost one, two more tries should fit into a lease. */
  readonly renewEvery: number;
  /** The time after which an unanswered request is sent again. */
  readonly requestTimeout: number;
  /** How long a lease is renewed for work that has to end; then it is given up, and runs out. */
  readonly settleWithin: number;
  /** Whether work runs under leases: then a lease is released, or asked for again, only after its work has ended. */
  readonly settles: boolean;
  /** Whether leases of this member can be pre-empted. */
  readonly preemptible: boolean;
  /**
   * Whether another process holds the work and has to know the deadline (`sortition run`). Then a lease is renewed only after its newest
   * confirmation was acknowledged, so that the other process is never more than one renewal behind.
   */
  readonly gated?: boolean;
}

export type LeaseTimes = Pick<LeaseParams, "ttl" | "rho" | "margin" | "renewEvery" | "requestTimeout" | "settleWithin">;

export const DEFAULT_TTL = 5000;
/** Below this TTL, timers of a busy process are late too often (docs/decisions/leases.md). */
export const LEAST_TTL = 500;
/** A lease store that was restored grants nothing for the longest TTL that was ever used, so one member's mistake must not last for days. */
export const LONGEST_TTL = 3_600_000;

/** The times for a TTL in milliseconds. */
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
 * The same for gated renewals: more often, and with shorter timeouts, so that the process with the work knows each deadline in time, even
 * if one renewal fails (src/live/run/times.ts).
 */
export const gatedTimes = (ttl: number = DEFAULT_TTL): LeaseTimes => ({
  ...leaseTimes(ttl),
  renewEvery: ttl / 8,
  requestTimeout: ttl / 10,
});

/** How long a lease lasts on this clock, from the sending of the request that confirms it. */
export const worth = ({ ttl, rho, margin }: LeaseTimes): number => ttl * (1 - rho) - margin;
