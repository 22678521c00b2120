/** Jobs as a program asks for them: `member.once` and `member.schedule`. */
import { readOffice, seatsOf } from "../../elector/params.ts";
import { InputError } from "../../errors.ts";
import type { JobRecord } from "../../protocols/lease/messages.ts";
import { readDuration } from "../../values.ts";
import { callUser } from "../call-user.ts";
import { GroupError, groupError } from "../join/errors.ts";
import type { JobSetup, JobWork } from "./job.ts";
import { Jobs, type JobsSetup } from "./jobs.ts";
import { timetable, type When } from "./when.ts";

/** What is common to all jobs. */
export interface OnceOptions {
  /** The office, of one seat, under which the job runs (default: the first). A key must always run under the same office. */
  readonly office?: string;
  /** After this many failures the job is given up (3). */
  readonly attempts?: number;
  /** How long the record of the job is kept: "30d" (the default), or milliseconds. */
  readonly keep?: string | number;
  /** Fires: this member does not stand for the job any more. */
  readonly signal?: AbortSignal;
}

/** How a scheduled job runs. */
export interface ScheduleOptions extends OnceOptions {
  /** Names the job in the lease store (default: the text of its schedule). */
  readonly key?: string;
  /** What to do about an occurrence that became due while no member was there: `run` the latest one (default), or `skip` it. */
  readonly missed?: "run" | "skip";
  /** Called when an occurrence is done, by this member or, if `ran` is false, by another. */
  onDone?(done: JobDone): void;
  /** Called when an occurrence has failed so often that it is given up. */
  onError?(error: GroupError): void;
}

/** A job that is done. */
export interface JobDone {
  readonly key: string;
  /** The member that did it, and when, by the clock of the lease store. */
  readonly by: string;
  readonly at: Date;
  readonly token: bigint;
  /** The occurrence; null for a job without a schedule. */
  readonly scheduledAt: Date | null;
  /** How many attempts it took. */
  readonly attempts: number;
  /** Whether this call of this process did it. */
  readonly ran: boolean;
}

/** What who has asked for a schedule can do about it. */
export interface ScheduleHandle {
  readonly key: string;
  /** Resolves when the schedule is followed no more; rejects where its office cannot be led. */
  readonly done: Promise<void>;
  /** Stops the work, and does not follow the schedule any more. */
  stop(): Promise<void>;
}

interface MemberJobsSetup extends Omit<JobsSetup, "engine"> {
  /** Null without leases. */
  readonly engine: JobsSetup["engine"] | null;
  readonly offices: readonly string[];
  told(office: string, record: JobRecord, ran: boolean): void;
}

/** As the register takes them. */
export interface BeginOptions {
  readonly occurrence?: number | undefined;
  readonly noted?: boolean | undefined;
  readonly repeat?: number | undefined;
  readonly attempts?: number | undefined;
  readonly keep?: number | undefined;
}

type Begun = "begun" | "done" | "noted" | "failed" | "later" | "wait" | "elsewhere";

const KEEP = "30d";
const ATTEMPTS = 3;
const LONGEST_KEY = 200;

export class MemberJobs {
  private readonly setup: MemberJobsSetup;
  private readonly jobs: Jobs | null;
  private readonly pending = new Set<(error: GroupError) => void>();

  constructor(setup: MemberJobsSetup) {
    const { engine } = setup;
    this.setup = setup;
    this.jobs = engine === null ? null : new Jobs({ ...setup, engine });
  }

  async once(key: string, work: JobWork, options: OnceOptions = {}): Promise<JobDone> {
    const jobs = this.mine();
    const common = this.common(key, work, options);
    const known = await jobs.recall(key, common.stopped);
    if (known?.state === "done") return doneOf(known, false);
    return new Promise<JobDone>((resolve, reject) => {
      this.pending.add(reject);
      const end = () => void this.pending.delete(reject);
      // Told once the key is free: the caller may ask for it again.
      let settle = () => reject(stopped(key));
      const job: JobSetup = {
        ...common,
        timetable: null,
        missed: "run",
        done: (record, ran) => {
          this.setup.told(common.office, record, ran);
          settle = () => resolve(doneOf(record, ran));
        },
        failed: (record, error) => {
          this.setup.told(common.office, record, error !== null);
          settle = () => reject(failedJob(record, error));
        },
      };
      jobs
        .follow(common.office, job)
        .then(
          () => settle(),
          (error: unknown) => reject(groupError("ALREADY_LED", error)),
        )
        .finally(end);
    });
  }

  schedule(when: When, work: JobWork, options: ScheduleOptions = {}): ScheduleHandle {
    const jobs = this.mine();
    const table = read(() => timetable(when));
    const { key = table.text, missed = "run", onDone, onError } = options;
    if (missed !== "run" && missed !== "skip")
      throw bad(`"missed" is run or skip, not "${missed}"`, "give one of them");
    const stop = new AbortController();
    const signal = options.signal === undefined ? stop.signal : AbortSignal.any([options.signal, stop.signal]);
    const common = this.common(key, work, { ...options, signal });
    const done = jobs
      .follow(common.office, {
        ...common,
        timetable: table,
        missed,
        done: (record, ran) => {
          if (!ran) return;
          this.setup.told(common.office, record, ran);
          callUser(() => onDone?.(doneOf(record, ran)));
        },
        failed: (record, error) => {
          if (error === null) return;
          this.setup.told(common.office, record, true);
          callUser(() => onError?.(failedJob(record, error)));
        },
      })
      .catch((error: unknown) => {
        throw groupError("ALREADY_LED", error);
      });
    const ended = done.catch(() => {});
    return {
      key,
      done,
      stop() {
        stop.abort();
        return ended;
      },
    };
  }

  /** What the lease store remembers of a job; null where that is nothing. */
  async record(key: string): Promise<JobRecord | null> {
    checkKey(key);
    return (await this.mine().ask({ kind: "recall", key })).record;
  }

  /** For programs in other languages (docs/jobs.md). `held`: the lease of this member; null where it does not lead. */
  async begin(
    key: string,
    seat: string,
    held: { readonly lease: string; readonly token: number } | null,
    given: BeginOptions,
  ) {
    const jobs = this.mine();
    checkKey(key);
    const { occurrence = 0, noted = false, repeat = null, attempts = ATTEMPTS, keep = readDuration(KEEP)! } = given;
    if (held === null) {
      return { verdict: "elsewhere", wait: 0, attempt: "", record: await this.record(key) } as const;
    }
    const attempt = jobs.nextAttempt();
    const { name } = this.setup;
    const said = await jobs.ask({
      kind: "begin",
      ...held,
      key,
      seat,
      name,
      attempt,
      occurrence,
      repeat,
      attempts,
      keep,
      noted,
    });
    const { verdict, wait, record } = said;
    return { verdict: (verdict === "refused" ? "elsewhere" : verdict) as Begun, wait, attempt, record };
  }

  async finish(
    key: string,
    attempt: string,
    outcome: "done" | "failed",
    status: number | null,
    keep = readDuration(KEEP)!,
  ) {
    const jobs = this.mine();
    const known = await this.record(key);
    const { name = this.setup.name, token = 0, occurrence = 0 } = known ?? {};
    const said = await jobs.ask({ kind: "finish", key, attempt, outcome, status, name, token, occurrence, keep });
    return { recorded: said.verdict === "recorded", record: said.record };
  }

  /** The office that jobs run under. */
  officeOf(given: string | undefined): string {
    const { offices } = this.setup;
    const name = given ?? readOffice(offices[0]).name;
    const office = offices.find((each) => readOffice(each).name === name);
    if (office === undefined) {
      throw new GroupError("NO_SUCH_OFFICE", `this member knows no office "${name}"`, 'add it to the option "offices"');
    }
    if (seatsOf(office).length === 1) return name;
    throw bad(`"${office}" has several seats, so a job would run on several members`, "name an office of one seat");
  }

  close(error: GroupError): void {
    this.jobs?.close();
    for (const reject of this.pending) reject(error);
  }

  private mine(): Jobs {
    if (this.jobs !== null) return this.jobs;
    throw new GroupError("BAD_LEASE", "jobs are recorded in the lease store, and there is none", 'give join "lease"');
  }

  private common(key: string, work: JobWork, { office, attempts = ATTEMPTS, keep = KEEP, signal }: OnceOptions) {
    checkKey(key);
    if (typeof work !== "function") throw bad("a job takes a function", "give it the work to do");
    if (!Number.isSafeInteger(attempts) || attempts < 1) {
      throw bad(`"attempts" is a whole number of at least 1, not ${attempts}`, "give such a number");
    }
    const ms = readDuration(keep);
    if (ms === null) throw bad(`"keep" is a duration, not "${keep}"`, "give one such as 30d, or milliseconds");
    if (this.mine().has(key)) {
      throw new GroupError("BUSY", `"${key}" is a job of this member already`, "stop that, or choose another key");
    }
    const never = new AbortController().signal;
    return { key, work, attempts, keep: ms, office: this.officeOf(office), stopped: signal ?? never };
  }
}

function checkKey(key: unknown): void {
  if (typeof key === "string" && key !== "" && key.length <= LONGEST_KEY) return;
  throw bad(`the key of a job has 1 to ${LONGEST_KEY} characters`, `it is ${JSON.stringify(key)}`);
}

const bad = (what: string, advice: string) => new GroupError("BAD_OPTION", what, advice);

function read<T>(act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw error instanceof InputError ? groupError("BAD_OPTION", error) : error;
  }
}

function doneOf({ key, name, at, token, occurrence, attempts }: JobRecord, ran: boolean): JobDone {
  return {
    key,
    by: name,
    at: new Date(at),
    token: BigInt(token),
    scheduledAt: occurrence === 0 ? null : new Date(occurrence),
    attempts,
    ran,
  };
}

const stopped = (key: string) =>
  new GroupError("LEFT", `"${key}" is a job of this member no more`, "its signal has fired, or its member has left");

const failedJob = ({ key, failures, name }: JobRecord, error: unknown) =>
  new GroupError(
    "JOB_FAILED",
    `"${key}" has failed ${failures} times, the last time at ${name}${error instanceof Error ? ` (${error.message})` : ""}`,
    "fix that, then run it under another key, or allow more attempts",
    { cause: error },
  );
