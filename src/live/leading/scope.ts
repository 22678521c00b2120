/**
 * Leading is a scope: a seat, from when this member leads it until the work that it does there has ended. The signal says that
 * it should end; `check()` says so too, by the clocks, before any signal could.
 */
import type { OfficeReport } from "../../elector/report.ts";

/** What work is told about the office that it leads. */
export interface Leadership {
  /** As it was asked for. */
  readonly office: string;
  /** The office itself, or which of its seats: "shards#2". A guard has one key for each. */
  readonly seat: string;
  /** Names the election; fences nothing. */
  readonly term: number;
  /** Larger than that of any leader before. Null without an engine: then nothing can be fenced, and guards refuse. */
  readonly token: bigint | null;
  /** Of the lease that the token belongs to. */
  readonly lease: string | null;
  /**
   * What guards verify, to be sent with each write (docs/guards.md): a secret while the lease lasts. Null without an engine. Signed
   * when it is read: where keys are replaced while this member leads, read it again.
   */
  readonly fence: string | null;
  /** Fires when the work should stop: before anybody else can lead, as long as this process runs. */
  readonly signal: AbortSignal;
  /**
   * Throws `NotLeading` once this process does not lead. Reads the clocks itself, so that it is right also in the first callback
   * after a pause of the process, which may come before the signal.
   */
  check(): void;
}

/** Ends when it has done its work, or soon after the signal has fired. */
export type Work = (leadership: Leadership) => unknown;

/** Which leadership it is: of a token or, without an engine, of a term. */
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
  /** Whatever is overdue, at once. */
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
        // The member learns of it in the same moment, and says so by the signal.
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

  /** The signal fires now, in here. */
  end(why: string, isLost = false): void {
    if (this.isOver) return;
    this.why = why;
    this.isLost = isLost;
    this.controller.abort(new NotLeading(this.held.seat, this.token, why, isLost));
  }

  /** Whether work that was told to stop may end like this. */
  isExpected(error: unknown): boolean {
    if (!this.isOver) return false;
    return error instanceof NotLeading || (error as { readonly name?: unknown } | null)?.name === "AbortError";
  }
}

/** What `check()` throws and what a signal gives as its reason, once this process must not act as the leader any more. */
export class NotLeading extends Error {
  override readonly name = "NotLeading";
  readonly code = "NOT_LEADING";
  /** "leader"; of an office with seats, which one: "shards#2". */
  readonly seat: string;
  /** Under which this process led; null without an engine. */
  readonly token: bigint | null;
  /** Whether the lease is over, so that somebody else may lead already; otherwise it is kept until the work has ended. */
  readonly lost: boolean;

  constructor(seat: string, token: bigint | null, why: string, lost: boolean) {
    super(`${seat}: this process does not lead it any more: ${why}`);
    this.seat = seat;
    this.token = token;
    this.lost = lost;
  }
}

// One wish to lead: an office, the work that is done while this member leads it, and how that comes to an end.

/** What who asked to lead can do about it. */
export interface LeadHandle {
  /**
   * Resolves when this member leads the office no longer and will not again: the work has returned by itself, which gives
   * the office up, or was stopped. Rejects with what the work has thrown while it led only under `restart: false`. Work that
   * ends because its signal fired begins again, with another token, when this member leads again.
   */
  readonly done: Promise<void>;
  /** Fires the signal and gives the office up once the work has ended. Resolves then. */
  stop(): Promise<void>;
}

/** How an office is led. */
export interface LeadOptions {
  /** At most so many seats of the office at a time (default: all that this member gets); the others are left to others. */
  readonly maxSeats?: number;
  /**
   * Whether work that throws while it leads is tried again (default true): its seat is given up, and this member stands for it
   * again after 1 s, then 2, 4 ... 60 (20 % more or less; from 1 s again once the work ran for 10 s). False: all seats of the
   * office are given up for good, and `done` rejects with the error.
   */
  readonly restart?: boolean;
  /** Called with whatever the work throws, unless it says only that it was told to stop. */
  onError?(error: unknown, failure: WorkFailure): void;
}

/** What is known of work that has thrown an error. */
export interface WorkFailure {
  /** The office, or which of its seats. */
  readonly seat: string;
  /** Failures in a row on this seat in this process; 0 where the work was told to stop before it threw. */
  readonly failures: number;
  /** Milliseconds until this member stands for the seat again; null where it does not wait, or does not stand again. */
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
