/**
 * What a program has asked of seats, as promises: each settles when a report shows how it has ended, or when time is up. Who asks again
 * while a request is under way waits for the same.
 */
import type { GroupReport, OfficeReport } from "../../elector/report.ts";
import type { Cancel, World } from "../world.ts";
import { GroupError } from "./errors.ts";

/** Milliseconds in which somebody should lead an office, without leases and once work has ended. */
export const ELECTION_WITHIN = 10_000;

export interface SeatRequest<T> {
  /** Milliseconds. */
  readonly within: number;
  /** Null while it is under way. */
  outcome(now: OfficeReport): T | GroupError | null;
  /** Why there was no outcome in time. */
  late(): GroupError;
}

interface UnderWay<T> {
  readonly promise: Promise<T>;
  look(now: OfficeReport): void;
  settle(outcome: T | GroupError): void;
}

export class SeatRequests<T> {
  private readonly world: Pick<World, "set">;
  private readonly all = new Map<string, UnderWay<T>>();

  constructor(world: Pick<World, "set">) {
    this.world = world;
  }

  /** What is under way. */
  of(seat: string): Promise<T> | undefined {
    return this.all.get(seat)?.promise;
  }

  begin(seat: string, { within, outcome, late }: SeatRequest<T>): Promise<T> {
    let resolve!: (result: T) => void;
    let reject!: (error: GroupError) => void;
    const promise = new Promise<T>((yes, no) => {
      resolve = yes;
      reject = no;
    });
    let cancel: Cancel = () => {};
    const settle = (result: T | GroupError) => {
      cancel();
      this.all.delete(seat);
      if (result instanceof GroupError) reject(result);
      else resolve(result);
    };
    const look = (now: OfficeReport) => {
      const result = outcome(now);
      if (result !== null) settle(result);
    };
    this.all.set(seat, { promise, look, settle });
    cancel = this.world.set(within, () => settle(late()));
    return promise;
  }

  /** After each report. */
  look({ offices }: GroupReport): void {
    for (const [seat, { look }] of this.all) look(offices[seat]);
  }

  fail(seat: string, error: GroupError): void {
    this.all.get(seat)?.settle(error);
  }

  /** The member has gone. */
  close(error: GroupError): void {
    for (const seat of [...this.all.keys()]) this.fail(seat, error);
  }
}
