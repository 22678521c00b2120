/**
 * One job, while this member leads its office: it asks the lease store whether an attempt may begin, does the work, and records how it
 * has ended. Work counts as done if it has returned by itself, before its signal fired.
 */
import type { JobRecord } from "../../protocols/lease/messages.ts";
import type { Leadership } from "../leading/scope.ts";
import type { World } from "../world.ts";
import { type JobStore, pauseUnless, type RecordAnswer } from "./job-store.ts";
import type { Timetable } from "./when.ts";

/** What the work of a job is told, beside what it is told about the office. */
export interface JobLeadership extends Leadership {
  readonly key: string;
  /** The occurrence that this run is for; null for a job without a schedule. */
  readonly scheduledAt: Date | null;
  /** 1 for the first attempt at this occurrence; attempts of other members count. */
  readonly attempt: number;
}

/** Ends when the job is done, or soon after the signal has fired. Work that throws has failed. */
export type JobWork = (job: JobLeadership) => unknown;

/** What a job's work may throw to have a status recorded, such as that of a command. */
export class JobFailure extends Error {
  override readonly name = "JobFailure";
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

export interface JobSetup {
  readonly key: string;
  /** Null: once. */
  readonly timetable: Timetable | null;
  /** Of occurrences that became due while no member could run them. */
  readonly missed: "run" | "skip";
  /** After this many failures an occurrence is given up. */
  readonly attempts: number;
  /** Milliseconds for which records are kept. */
  readonly keep: number;
  readonly work: JobWork;
  /** An occurrence is done; by this member, if `ran`. */
  done(record: JobRecord, ran: boolean): void;
  /** An occurrence has failed so often that it is given up. `error`: of this member's last attempt; null where another member made it. */
  failed(record: JobRecord, error: unknown): void;
  /** Fires when nobody wants it any more. */
  readonly stopped: AbortSignal;
}

interface JobMeans {
  readonly world: Pick<World, "set" | "wall">;
  readonly store: JobStore;
  readonly name: string;
  /** Fires when this member has ended. */
  readonly closed: AbortSignal;
  /** Tells attempts of this life from all others. */
  nextAttempt(): string;
  /** Work begins, or has ended: meanwhile the office is not given to others. */
  busy(by: 1 | -1): void;
}

/** `over`: nothing is left to do. `failed`: another member should try. `lost`: this member leads no more, or the job was stopped. */
export type JobEnd = "over" | "lost" | { readonly failed: unknown };

/** Milliseconds between looks at the clock on the wall, which may be set. */
const LOOK_EVERY = 10_000;
/** An occurrence is missed if it could not begin for this many milliseconds, or for half the time to the next one. */
const LATE = 60_000;
/** Milliseconds for which the end of work is told to a store that does not answer. */
const TELL_FOR = 600_000;

/** Until the leadership is over, or there is nothing left to do. */
export async function followJob(job: JobSetup, leadership: Leadership, means: JobMeans): Promise<JobEnd> {
  const signal = AbortSignal.any([leadership.signal, job.stopped]);
  const { timetable } = job;
  /** The latest occurrence that needs no more attention. */
  let handled = -1;
  while (!signal.aborted) {
    if (timetable?.kind !== "fixed") {
      const outcome = await attempt(job, 0, leadership, signal, means);
      if (typeof outcome === "object" || (timetable === null && outcome === "over")) return outcome;
      continue;
    }
    const now = means.world.wall();
    const [last, next] = [timetable.last(now), timetable.next(now)];
    if (last !== null && last > handled && !(job.missed === "skip" && isLate(last, next, now))) {
      const outcome = await attempt(job, last, leadership, signal, means);
      if (typeof outcome === "object") return outcome;
      if (outcome === "over") handled = last;
      continue;
    }
    if (next === null) return "over";
    await pauseUnless(means.world, Math.min(LOOK_EVERY, Math.max(1, next - now)), signal);
  }
  return "lost";
}

const isLate = (last: number, next: number | null, now: number): boolean =>
  now - last > Math.min(LATE, next === null ? LATE : (next - last) / 2);

/** One attempt, if it may begin; `lost` where nothing is settled, and asking again may help. */
async function attempt(
  job: JobSetup,
  occurrence: number,
  leadership: Leadership,
  signal: AbortSignal,
  means: JobMeans,
): Promise<JobEnd> {
  const { key, timetable, attempts, keep } = job;
  const { seat, lease, token } = leadership;
  const id = means.nextAttempt();
  const mine = { key, attempt: id, name: means.name, token: Number(token), keep };
  const begun = await means.store.ask(
    {
      kind: "begin",
      ...mine,
      seat,
      lease: lease!,
      occurrence,
      repeat: timetable?.kind === "after" ? timetable.pause : null,
      attempts,
      noted: timetable?.kind === "fixed",
    },
    signal,
  );
  if (begun === null) return "lost";
  const { verdict, record, wait } = begun;
  if (verdict === "done") job.done(record!, false);
  else if (verdict === "failed") job.failed(record!, null);
  if (verdict === "wait" || verdict === "refused") await pauseUnless(means.world, Math.max(wait, 100), signal);
  if (verdict !== "begun") return verdict === "wait" || verdict === "refused" ? "lost" : "over";
  means.busy(1);
  try {
    return await perform(job, record!, mine, leadership, signal, means);
  } finally {
    means.busy(-1);
  }
}

async function perform(
  job: JobSetup,
  begun: JobRecord,
  mine: { readonly key: string; readonly attempt: string; readonly name: string; token: number; keep: number },
  leadership: Leadership,
  signal: AbortSignal,
  means: JobMeans,
): Promise<JobEnd> {
  const { occurrence, attempts } = begun;
  let error: { readonly thrown: unknown } | null = null;
  try {
    await job.work({
      ...leadership,
      // Signed anew whenever it is read.
      get fence() {
        return leadership.fence;
      },
      signal,
      key: job.key,
      scheduledAt: occurrence === 0 ? null : new Date(occurrence),
      attempt: attempts,
    });
  } catch (thrown) {
    error = { thrown };
  }
  // It may have stopped because it was told to: another attempt begins when somebody leads again.
  if (signal.aborted) return "lost";
  const outcome = error === null ? "done" : "failed";
  const status = error === null ? 0 : statusOf(error.thrown);
  // Also once the lease is over: what was done was done, unless a later attempt has begun.
  const late = new AbortController();
  const cancel = means.world.set(TELL_FOR, () => late.abort());
  const asked = { kind: "finish", ...mine, occurrence, outcome, status } as const;
  const recorded = await means.store.ask(asked, AbortSignal.any([late.signal, means.closed]));
  cancel();
  if (recorded?.verdict !== "recorded") return "lost";
  return settled(job, recorded, error);
}

function settled(job: JobSetup, { record }: RecordAnswer, error: { readonly thrown: unknown } | null): JobEnd {
  if (error === null) job.done(record!, true);
  else if (record!.failures >= job.attempts) job.failed(record!, error.thrown);
  else return { failed: error.thrown };
  return "over";
}

const statusOf = (error: unknown): number | null => (error instanceof JobFailure ? error.status : null);
