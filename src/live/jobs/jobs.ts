/**
 * The jobs of a member: each is led under an office, and all jobs of one office share one lead. A member stands for the office while it
 * has jobs there. If a job fails, the office is given up once no other job of it runs, so that another member can try.
 */
import type { JobRecord } from "../../protocols/lease/messages.ts";
import { GroupError } from "../join/errors.ts";
import type { Leadership, LeadHandle, LeadOptions, Work } from "../leading/scope.ts";
import type { World } from "../world.ts";
import { followJob, type JobEnd, type JobSetup } from "./job.ts";
import { JobStore, type JobStoreSetup, pauseUnless, type RecordAnswer } from "./job-store.ts";

/** Milliseconds for a store that does not answer, while somebody waits at the other end of a connection. */
const ANSWER_WITHIN = 10_000;
/** Milliseconds after which a member that waits for a job to be done reads its record again. */
const RECALL_EVERY = 10_000;

export interface JobsSetup extends Omit<JobStoreSetup, "world"> {
  readonly world: Pick<World, "set" | "wall" | "bytes">;
  readonly name: string;
  lead(office: string, work: Work, options: LeadOptions): LeadHandle;
}

/** A job of an office that this member should follow. */
interface Followed {
  readonly job: JobSetup;
  /** Resolves when it is followed no more; rejects where the office cannot be led. */
  readonly ended: (error?: unknown) => void;
}

interface OfficeJobs {
  readonly jobs: Set<Followed>;
  /** Of the work that leads now: a job was added. */
  wake: (() => void) | null;
}

export class Jobs {
  readonly store: JobStore;
  private readonly setup: JobsSetup;
  private readonly offices = new Map<string, OfficeJobs>();
  private readonly keys = new Set<string>();
  private readonly closed = new AbortController();
  private life: string | null = null;
  private attempts = 0;

  constructor(setup: JobsSetup) {
    this.setup = setup;
    this.store = new JobStore(setup);
  }

  nextAttempt(): string {
    this.life ??= this.setup.world.bytes(9).toString("base64url");
    return `${this.life}.${++this.attempts}.${this.setup.name}`;
  }

  has(key: string): boolean {
    return this.keys.has(key);
  }

  /** Null where this member has ended. */
  async recall(key: string, signal: AbortSignal): Promise<JobRecord | null> {
    const answer = await this.store.ask({ kind: "recall", key }, AbortSignal.any([signal, this.closed.signal]));
    return answer?.record ?? null;
  }

  /** Asks until there is an answer; rejects where this member has ended, or the store does not answer for long. */
  async ask(asked: Parameters<JobStore["ask"]>[0]): Promise<RecordAnswer> {
    const late = new AbortController();
    const cancel = this.setup.world.set(ANSWER_WITHIN, () => late.abort());
    const answer = await this.store.ask(asked, AbortSignal.any([late.signal, this.closed.signal]));
    cancel();
    if (answer !== null) return answer;
    throw new GroupError("TIMED_OUT", "the lease store does not answer", "ask again");
  }

  /** Follows a job whenever this member leads the office; resolves when nothing is left to do. Throws where the office cannot be led. */
  follow(office: string, job: JobSetup): Promise<void> {
    return new Promise((resolve, reject) => {
      const ended = (error?: unknown) => (error === undefined ? resolve() : reject(error));
      const known = this.offices.get(office);
      const of: OfficeJobs = known ?? { jobs: new Set(), wake: null };
      const followed = { job, ended };
      of.jobs.add(followed);
      this.keys.add(job.key);
      const remove = () => this.remove(of, followed);
      job.stopped.addEventListener("abort", remove, { once: true });
      if (known !== undefined) known.wake?.();
      else {
        this.offices.set(office, of);
        void this.leadOffice(office, of);
      }
      if (job.timetable === null) void this.watch(of, followed);
    });
  }

  /** Whoever leads the office may have no job left there: then nobody else is told that this one is done, and the record has to be read. */
  private async watch(of: OfficeJobs, followed: Followed): Promise<void> {
    const { job } = followed;
    const signal = AbortSignal.any([job.stopped, this.closed.signal]);
    for (;;) {
      await pauseUnless(this.setup.world, RECALL_EVERY, signal);
      if (signal.aborted || !of.jobs.has(followed)) return;
      if (of.wake !== null) continue;
      const record = await this.recall(job.key, signal);
      if (record?.state !== "done" || of.wake !== null || !of.jobs.has(followed)) continue;
      job.done(record, false);
      this.remove(of, followed);
      return;
    }
  }

  close(): void {
    this.closed.abort();
  }

  private async leadOffice(office: string, of: OfficeJobs): Promise<void> {
    try {
      while (of.jobs.size > 0 && !this.closed.signal.aborted) {
        await this.setup.lead(office, (leadership) => this.work(of, leadership), { maxSeats: 1 }).done;
      }
    } catch (error) {
      for (const followed of [...of.jobs]) this.remove(of, followed, error);
    }
    this.offices.delete(office);
  }

  private remove(of: OfficeJobs, followed: Followed, error?: unknown): void {
    if (!of.jobs.delete(followed)) return;
    this.keys.delete(followed.job.key);
    followed.ended(error);
    of.wake?.();
  }

  /** Returns when no job is left or this member leads no more; throws what a job has thrown, so that another member can try. */
  private async work(of: OfficeJobs, leadership: Leadership): Promise<void> {
    const enough = new AbortController();
    const signal = AbortSignal.any([leadership.signal, enough.signal]);
    const scope = { ...leadership, signal } as Leadership;
    Object.defineProperty(scope, "fence", { get: () => leadership.fence });
    const { world, name } = this.setup;
    const running = new Map<Followed, Promise<void>>();
    let busy = 0;
    let failure: { readonly failed: unknown } | null = null;
    let changed = () => {};
    const means = {
      world,
      name,
      store: this.store,
      closed: this.closed.signal,
      nextAttempt: () => this.nextAttempt(),
      busy(by: 1 | -1) {
        busy += by;
        changed();
      },
    };
    const ended = (followed: Followed, end: JobEnd) => {
      running.delete(followed);
      if (typeof end === "object") failure ??= end;
      else if (end === "over") this.remove(of, followed);
      changed();
    };
    try {
      for (;;) {
        const change = new Promise<void>((resolve) => {
          changed = resolve;
          of.wake = resolve;
        });
        for (const followed of of.jobs) {
          if (running.has(followed) || failure !== null || signal.aborted) continue;
          running.set(
            followed,
            followJob(followed.job, scope, means).then((end) => ended(followed, end)),
          );
        }
        if (failure !== null && busy === 0) enough.abort();
        if (running.size === 0 && (of.jobs.size === 0 || failure !== null || signal.aborted)) break;
        await change;
      }
    } finally {
      of.wake = null;
    }
    if (failure !== null) throw (failure as { readonly failed: unknown }).failed;
  }
}
