/**
 * The times of `sortition run`, and whether they fit into a lease. The guardian has to know of a renewal before it would send SIGTERM,
 * G + M before the end of what can be counted on: the next renewal is sent R after the last one, or when that was answered (Q) and
 * acknowledged (K), if this is later; it is answered within Q and acknowledged within K; and f renewals may fail before it, each
 * costing Q and the back-off B. So
 *
 *   TTL (1 - rho) > max(R, Q + K) + Q + K + G + M + f (Q + B)
 */
import { InputError } from "../../errors.ts";
import { DEFAULT_TTL, gatedTimes, leaseTimes } from "../../protocols/lease/params.ts";
import { SPREAD } from "../../protocols/lease/renewing.ts";

/** Milliseconds. */
export interface RunTimes {
  readonly ttl: number;
  /** The part of the lease that is certain: TTL (1 - rho). */
  readonly usable: number;
  /** R, the longest time from the sending of a renewal to that of the next. The client counts from the answer, which may take Q. */
  readonly renewEvery: number;
  /** Q, after which a request counts as failed. */
  readonly requestTimeout: number;
  /** B, by which the next try may come later than that. */
  readonly backOff: number;
  /** K, within which the guardian answers. */
  readonly answerWithin: number;
  /** G, from SIGTERM to SIGKILL. */
  readonly grace: number;
  /** M, before the end of a lease. */
  readonly margin: number;
}

/** Ctrl-C comes from the terminal, and again from npx or an init that passes it on. Within this many milliseconds they count as one. */
export const TWICE = 300;

/** f, renewals in a row that may fail. */
const FAILURES = 1;
const LONGEST_DEFAULT_GRACE = 10_000;
/** The largest share of the time that a lease leaves for the grace. */
const GRACE_SHARE = 0.4;
const ROOM_SHARE = 0.95;
const ANSWER_SHARE = 0.1;
/** With less, answers of a busy machine are late too often. */
const LEAST_ANSWER = 100;
/** Advice is rounded to this many milliseconds. */
const ROUND = 100;

export function runTimes(ttl: number = DEFAULT_TTL, grace?: number): RunTimes {
  const { rho, margin, renewEvery, requestTimeout } = gatedTimes(ttl);
  const times = {
    ttl,
    usable: ttl * (1 - rho),
    margin,
    grace: 0,
    requestTimeout,
    renewEvery: requestTimeout + renewEvery * (1 + SPREAD),
    backOff: requestTimeout * SPREAD,
    answerWithin: Math.max(LEAST_ANSWER, ANSWER_SHARE * ttl),
  };
  const room = Math.floor(ROOM_SHARE * (times.usable - needed(times)));
  return { ...times, grace: grace ?? Math.min(LONGEST_DEFAULT_GRACE, GRACE_SHARE * ttl, room) };
}

/** The right-hand side of the inequality. */
export function needed({ renewEvery, requestTimeout, backOff, answerWithin, grace, margin }: RunTimes): number {
  const exchange = requestTimeout + answerWithin;
  return Math.max(renewEvery, exchange) + exchange + grace + margin + FAILURES * (requestTimeout + backOff);
}

const fits = (times: RunTimes): boolean => times.usable > needed(times);

/** Checks the times before anything is started. */
export function checkTimes(times: RunTimes): void {
  if (fits(times)) return;
  const { ttl, usable, grace, renewEvery, requestTimeout, backOff, answerWithin, margin } = times;
  const longest = Math.ceil(usable - (needed(times) - grace)) - 1;
  const ms = (value: number) => `${Math.round(value)} ms`;
  throw new InputError(
    (field) =>
      `a lease of ${ms(ttl)} is too short for a grace of ${ms(grace)}: ${ms(usable)} of it can be counted on, and ${ms(needed(times))} are needed ` +
      `(${ms(Math.max(renewEvery, requestTimeout + answerWithin))} until a renewal, ${ms(requestTimeout)} for its answer, ${ms(answerWithin)} for the guardian's, ` +
      `${ms(requestTimeout + backOff)} for one that fails, ${ms(grace)} for the command to end, ${ms(margin)} of margin): ` +
      `give ${field("leaseTtl")} ${shortestTtl(grace)} or more${longest > 0 ? `, or --grace ${longest} or less` : ""}`,
  );
}

/** The shortest lease, rounded up, that has room for this grace. */
function shortestTtl(grace: number): number {
  let ttl = Math.ceil(grace / ROUND) * ROUND;
  while (!fits(runTimes(Math.max(ttl, ROUND * 5), grace))) ttl += ROUND;
  return Math.max(ttl, ROUND * 5);
}

/** Without leases, only the office keeps other members from starting, and a leader keeps it no longer than work has to end. */
export function checkGraceAlone(grace: number): void {
  const { settleWithin } = leaseTimes();
  if (grace < settleWithin) return;
  throw new InputError(
    `--grace ${grace} is too long without leases, where others wait ${settleWithin} ms for a command to end: give less, or --lease`,
  );
}

// Absolute deadlines that are the same for two processes of one machine: by the kernel's monotonic clock or by the wall clock, whichever
// comes first. While a machine sleeps, only the wall clock advances.

/** Milliseconds. */
export interface Deadline {
  readonly mono: number;
  readonly wall: number;
}

export interface Clocks {
  /** A clock that is the same in all processes (that of `World` is not). */
  mono(): number;
  wall(): number;
}

/** Milliseconds until then; 0 or less once it has passed. */
export const leftOf = ({ mono, wall }: Deadline, clocks: Clocks): number =>
  Math.min(mono - clocks.mono(), wall - clocks.wall());

export function deadlineAfter(ms: number, clocks: Clocks): Deadline {
  return { mono: clocks.mono() + ms, wall: clocks.wall() + ms };
}

/**
 * The deadline for a remaining time; null if none is left. The clocks are read first, so a pause between the two readings makes the deadline
 * earlier, never later.
 */
export function deadlineFrom(left: () => number | null, clocks: Clocks): Deadline | null {
  const mono = clocks.mono();
  const wall = clocks.wall();
  const ms = left();
  return ms === null ? null : { mono: mono + ms, wall: wall + ms };
}
