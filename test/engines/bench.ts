/** What the conformance suite needs of an engine: `conformance(bench)` in a test file of its own runs all of it. */
import type { LeaseAnswer, LeaseRequest } from "../../src/protocols/lease/messages.ts";

export interface Bench {
  readonly name: string;
  /** By how much a lease may last longer than was asked for, where the engine's clock has ticks. */
  readonly slack: number;
  /** How many requests it answers in a second, about: the suite draws fewer where that is slow. */
  readonly speed: "memory" | "disk";
  /** An engine without requests so far, whose clock moves only when the test turns it. */
  begin(): Promise<BenchEngine>;
  /** After all tests. */
  end?(): Promise<void>;
}

export interface BenchEngine {
  /** Over one of several connections: 0, 1, 2. */
  ask(request: LeaseRequest, connection?: number): Promise<LeaseAnswer>;
  /** Turns the clock on, or (by less than 0) back. By whole multiples of 10. */
  turn(ms: number): Promise<void>;
  /** What the clock says now, as far as tokens follow it. */
  stamp(): number;
  /** The same rows under another incarnation: a server that was started again. */
  restart(): Promise<void>;
  /** A copy of all rows... */
  snapshot(): Promise<void>;
  /** ...which comes back without the engine's noticing: as the same incarnation. */
  restore(): Promise<void>;
  end(): Promise<void>;
}
