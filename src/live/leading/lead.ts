/** One wish to lead: an office, the work that is done while this member leads it, and how that comes to an end. */
import type { Work } from "./scope.ts";

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
