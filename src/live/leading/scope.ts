/**
 * Leading is a scope: it begins when this member leads a seat, and ends when the work that it does there has ended. A signal tells the
 * work to end. `check()` reads the clocks, so it can say so before the signal fires.
 */
import type { OfficeReport } from "../../elector/report.ts";

/** What the work gets: the seat that this member leads, and how to notice that it leads no longer. */
export interface Leadership {
  /** The name that was passed to `lead`. */
  readonly office: string;
  /** The office itself, or one of its seats: "shards#2". A guard has one key for each. */
  readonly seat: string;
  /** Names the election; fences nothing. */
  readonly term: number;
  /** Larger than the token of any leader before. Null without a lease store: then nothing can be fenced, and guards refuse. */
  readonly token: bigint | null;
  /** The id of the lease that the token belongs to. */
  readonly lease: string | null;
  /**
   * Send the fence with each write; guards verify it (docs/guards.md). It is a secret while the lease lasts. Null without a lease store.
   * It is signed when it is read: if keys are replaced while this member leads, read it again.
   */
  readonly fence: string | null;
  /** Fires when the work must stop. Unless this process is paused, that is before another member can lead. */
  readonly signal: AbortSignal;
  /**
   * Throws `NotLeading` if this process does not lead. It reads the clocks, so it is right also in the first callback after a pause of
   * the process, which may run before the signal fires.
   */
  check(): void;
}

/** What a member does while it leads. Returns when the work is done, or soon after the signal has fired. */
export type Work = (leadership: Leadership) => unknown;

/** Identifies a leadership: by its token or, without a lease store, by its term. */
export interface HeldLeadership {
  readonly seat: string;
  readonly term: number;
  readonly token: number | null;
  readonly lease: string | null;
}

export const heldIn = (seat: string, { term, token, lease }: OfficeReport): HeldLeadership => ({
  seat,
  term,
  token,
  lease,
});

export const isSame = (a: HeldLeadership, b: HeldLeadership): boolean =>
  a.token === null ? a.term === b.term : a.token === b.token;

/** What a scope asks of its member. */
interface ScopeHooks {
  /** Whether the lease has run out, by the clocks as they are now. */
  hasRunOut(seat: string): boolean;
  /** Runs at once what is overdue. */
  look(): void;
  /** The text for guards; null without a lease. */
  fence(held: HeldLeadership): string | null;
}

export class Scope {
  readonly held: HeldLeadership;
  readonly leadership: Leadership;
  private readonly controller = new AbortController();
  private readonly token: bigint | null;
  /** Why it has ended. */
  private why = "";
  private isLost = false;

  constructor(office: string, held: HeldLeadership, hooks: ScopeHooks) {
    const { seat, term, token, lease } = held;
    this.held = held;
    this.token = token === null ? null : BigInt(token);
    const { signal } = this.controller;
    const check = () => {
      if (!signal.aborted && hooks.hasRunOut(seat)) {
        // The member learns of it now, and the signal fires.
        hooks.look();
        this.end("its lease has run out", true);
      }
      if (signal.aborted) throw new NotLeading(seat, this.token, this.why, this.isLost);
    };
    this.leadership = {
      office,
      seat,
      term,
      token: this.token,
      lease,
      signal,
      check,
      get fence() {
        return hooks.fence(held);
      },
    };
  }

  get isOver(): boolean {
    return this.controller.signal.aborted;
  }

  /** Fires the signal, synchronously. */
  end(why: string, isLost = false): void {
    if (this.isOver) return;
    this.why = why;
    this.isLost = isLost;
    this.controller.abort(new NotLeading(this.held.seat, this.token, why, isLost));
  }

  /** Whether this error only says that the work was told to stop. */
  isExpected(error: unknown): boolean {
    if (!this.isOver) return false;
    return error instanceof NotLeading || (error as { readonly name?: unknown } | null)?.name === "AbortError";
  }
}

/** What `check()` throws, and the reason of the signal, when this process no longer leads. */
export class NotLeading extends Error {
  override readonly name = "NotLeading";
  readonly code = "NOT_LEADING";
  /** "leader", or a seat of an office with seats: "shards#2". */
  readonly seat: string;
  /** The token under which this process led; null without a lease store. */
  readonly token: bigint | null;
  /** Whether the lease is over, so that another member may lead already. Otherwise the lease is kept until the work has ended. */
  readonly lost: boolean;

  constructor(seat: string, token: bigint | null, why: string, lost: boolean) {
    super(`${seat}: this process does not lead it any more: ${why}`);
    this.seat = seat;
    this.token = token;
    this.lost = lost;
  }
}

// One call of `lead()`: an office, the work to do while this member leads it, and how to stop.

/** What `lead()` returns. */
export interface LeadHandle {
  /**
   * Resolves when this member no longer leads the office and will not lead it again: the work has returned, which gives the office up,
   * or was stopped. Under `restart: false` it rejects with an error that the work has thrown while it led. Work that ended because its
   * signal fired begins again, with another token, when this member leads again.
   */
  readonly done: Promise<void>;
  /** Fires the signal, waits until the work has ended, then gives the office up and resolves. */
  stop(): Promise<void>;
}

/** Options of `lead()`. */
export interface LeadOptions {
  /** The most seats of the office to hold at a time (default: all that this member gets). */
  readonly maxSeats?: number;
  /**
   * Whether to try again when the work throws while it leads (default true). The member gives the seat up and stands for it again after
   * 1 s, then 2, 4 ... 60 s (20 % more or less; from 1 s again once the work ran for 10 s). If false, the member gives up all seats of
   * the office for good, and `done` rejects with the error.
   */
  readonly restart?: boolean;
  /** Called with each error that the work throws, unless the error only says that the work was told to stop. */
  onError?(error: unknown, failure: WorkFailure): void;
}

/** What `onError` is told of work that has thrown an error. */
export interface WorkFailure {
  /** The office, or one of its seats. */
  readonly seat: string;
  /** Failures in a row on this seat in this process; 0 if the work was told to stop before it threw. */
  readonly failures: number;
  /** Milliseconds until this member stands for the seat again; null if it does not wait, or does not stand again. */
  readonly retryMs: number | null;
}

export class Lead {
  readonly office: string;
  readonly seats: readonly string[];
  readonly work: Work;
  readonly options: LeadOptions;
  readonly maxSeats: number;
  readonly handle: LeadHandle;
  /** Whether work may begin. */
  isOpen = true;
  private failure: { readonly error: unknown } | null = null;
  private settle!: () => void;

  constructor(office: string, seats: readonly string[], work: Work, options: LeadOptions, stop: () => void) {
    this.office = office;
    this.seats = seats;
    this.work = work;
    this.options = options;
    this.maxSeats = options.maxSeats ?? Infinity;
    const done = new Promise<void>((resolve, reject) => {
      this.settle = () => (this.failure === null ? resolve() : reject(this.failure.error));
    });
    const ended = done.catch(() => {});
    this.handle = {
      done,
      stop() {
        stop();
        return ended;
      },
    };
  }

  get restarts(): boolean {
    return this.options.restart !== false;
  }

  fail(error: unknown): void {
    this.failure ??= { error };
  }

  conclude(): void {
    this.settle();
  }
}
