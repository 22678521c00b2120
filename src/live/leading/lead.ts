/** One wish to lead: an office, the work that is done while this member leads it, and how that comes to an end. */
import type { Work } from "./scope.ts";

/** What who asked to lead can do about it. */
export interface LeadHandle {
  /**
   * Comes true when this member leads the office no longer and will not again: the work has returned of itself, which gives
   * the office up, or was stopped. Rejects with what the work has thrown while it led, which gives it up as well. Work that
   * ends because its signal fired begins again, with another token, when this member leads again.
   */
  readonly done: Promise<void>;
  /** Fires the signal and gives the office up once the work has ended. Comes true then. */
  stop(): Promise<void>;
}

/** How much of an office with several seats is led at a time. */
export interface LeadLimits {
  /** So many seats of the office at a time (default: all that this member gets); the others are left to others. */
  readonly most?: number;
}

export class Lead {
  readonly office: string;
  readonly seats: readonly string[];
  readonly work: Work;
  readonly most: number;
  readonly handle: LeadHandle;
  /** Whether work may begin. */
  isOpen = true;
  private failure: { readonly error: unknown } | null = null;
  private settle!: () => void;

  constructor(office: string, seats: readonly string[], work: Work, { most = Infinity }: LeadLimits, stop: () => void) {
    this.office = office;
    this.seats = seats;
    this.work = work;
    this.most = most;
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

  get hasFailed(): boolean {
    return this.failure !== null;
  }

  fail(error: unknown): void {
    this.failure ??= { error };
  }

  conclude(): void {
    this.settle();
  }
}
