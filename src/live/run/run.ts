/** `sortition run`: a member whose work is a command, held by a guardian, that runs only while this member leads. */
import { constants } from "node:os";
import { AGENT_KEYS, agentSetting, variableOf } from "../../settings/member.ts";
import { type RunningAgent, startAgent } from "../agent/agent.ts";
import type { Log } from "../agent/log.ts";
import type { AgentSettings } from "../agent/settings.ts";
import { JobFailure, type JobLeadership } from "../jobs/job.ts";
import type { ScheduleOptions } from "../jobs/member-jobs.ts";
import type { When } from "../jobs/when.ts";
import type { GroupError } from "../join/errors.ts";
import { BackOff } from "../leading/back-off.ts";
import type { Leadership, LeadHandle, NotLeading } from "../leading/scope.ts";
import { realWorld } from "../real-world.ts";
import { makeCgroup, removeCgroup } from "./cgroup.ts";
import { endFormer, newMarker, systemEnding } from "./ending.ts";
import { openGuardian } from "./guardian-link.ts";
import { type CommandOutcome, HeldCommand, LeaseKeeper } from "./held-command.ts";
import { type RunTimes, TWICE } from "./times.ts";

/** The job, if the command is one: once, or by a schedule. */
export interface RunJob {
  readonly key: string;
  /** Null: once. */
  readonly when: When | null;
  readonly options: Pick<ScheduleOptions, "missed" | "attempts" | "keep">;
}

interface RunSessionOptions {
  readonly settings: AgentSettings;
  /** The name of the one office among `settings.offices`. */
  readonly office: string;
  readonly file: string;
  readonly args: readonly string[];
  /** Whether to stand again when the command has ended by itself. */
  readonly restart: boolean;
  /** Null: it runs whenever this member leads. */
  readonly job: RunJob | null;
  readonly times: RunTimes;
  /** Whether commands are held by cgroups. */
  readonly cgroup: boolean;
  /** The log of the member and of this program. */
  readonly log: Log;
  readonly ownLog: Log;
}

export class RunSession {
  private readonly options: RunSessionOptions;
  private readonly keeper = new LeaseKeeper(systemEnding.clocks);
  private agent: RunningAgent | null = null;
  private lead: LeadHandle | null = null;
  private held: HeldCommand | null = null;
  private outcome: CommandOutcome | null = null;
  private told: NodeJS.Signals | null = null;
  private toldAt = 0;
  private readonly toldToEnd = new AbortController();

  constructor(options: RunSessionOptions) {
    this.options = options;
  }

  /** Resolves with the exit status of this process, once its leases are given back. */
  async run(): Promise<number> {
    const { settings, log } = this.options;
    this.agent = await startAgent(settings, {
      log,
      gate: this.keeper,
      commandHeld: this.options.cgroup ? "cgroup" : "process table",
    });
    const stopped = this.agent.ended.catch((error: unknown) => ({ error }));
    try {
      await this.unlessTold(this.agent.member.joined());
      await this.endFormer();
      this.options.ownLog.info("is a member of the group, and waits to lead");
      const status = await Promise.race([this.followed(), stopped.then((end) => end ?? null)]);
      if (typeof status === "number") return status;
      // The member has ended, and has told the command to end.
      await this.held?.ended;
      if (status !== null) throw status.error;
      return this.statusOfEnd();
    } finally {
      // If the member has ended by itself, a campaign may still be waiting.
      this.toldToEnd.abort();
      await this.agent.stop();
      await this.held?.ended;
    }
  }

  /** At the first signal the command is told to end, and this process ends with it. At the second one the command is killed. */
  end(signal: "SIGTERM" | "SIGINT"): void {
    if (this.told !== null) {
      if (realWorld.now() - this.toldAt < TWICE) return;
      this.held?.kill();
      // No command has to end first.
      if (this.held === null) process.exit(this.statusOfEnd());
      return;
    }
    this.told = signal;
    this.toldAt = realWorld.now();
    this.held?.stop(signal);
    this.toldToEnd.abort();
  }

  /** Passes a signal on to the command, or to its whole process group. */
  pass(signal: NodeJS.Signals, group: boolean): void {
    this.held?.signal(signal, group);
  }

  reload(): void {
    this.agent?.reload();
  }

  private async pause(ms: number): Promise<void> {
    let cancel = () => {};
    const passed = new Promise<void>((resolve) => {
      cancel = realWorld.set(ms, resolve);
    });
    await this.unlessTold(passed);
    cancel();
  }

  /** Resolves with `awaited`, or when this run is told to end. Removes its listener, since a run that restarts its command lasts for months. */
  private async unlessTold(awaited: Promise<unknown>): Promise<void> {
    const { signal } = this.toldToEnd;
    let told = () => {};
    const whenTold = new Promise<void>((resolve) => {
      told = resolve;
    });
    signal.addEventListener("abort", told);
    if (signal.aborted) told();
    try {
      await Promise.race([awaited, whenTold]);
    } finally {
      signal.removeEventListener("abort", told);
    }
  }

  private statusOfEnd(): number {
    return this.outcome?.status ?? 128 + constants.signals[this.told ?? "SIGTERM"];
  }

  private async endFormer(): Promise<void> {
    const { settings, office, times, ownLog } = this.options;
    await endFormer({
      ...systemEnding,
      whose: { group: settings.group, name: settings.name, office },
      grace: times.grace,
      tell: (pids) => ownLog.warn("a former run has left processes behind, which are ended first", { pids }),
      lingers: (pids) => ownLog.error("what was killed is still there, and this run waits for its end", { pids }),
    });
  }

  private followed(): Promise<number> {
    const { job } = this.options;
    if (job === null) return this.campaigns();
    return job.when === null ? this.once(job) : this.schedule(job, job.when);
  }

  /** Ends with status 0 when the job is done, by any member; with the status of the last attempt if it is given up. */
  private async once({ key, options }: RunJob): Promise<number> {
    const { office, ownLog } = this.options;
    const { member } = this.agent!;
    const signal = this.toldToEnd.signal;
    try {
      const done = await member.once(key, (job) => this.attempt(job), { ...options, office, signal });
      const how = done.ran ? "this member has done the job" : `the job was done by ${done.by}`;
      ownLog.info(`${how} at ${done.at.toISOString()}`, { key, token: done.token, attempts: done.attempts });
      return 0;
    } catch (error) {
      if (this.told !== null) return this.ending();
      if ((error as Partial<GroupError>).code !== "JOB_FAILED") throw error;
      ownLog.error((error as GroupError).message, { key });
      return (await member.job(key))?.status || 1;
    }
  }

  /** Runs the schedule until this run is told to end. */
  private async schedule({ key, options }: RunJob, when: When): Promise<number> {
    const { office, ownLog } = this.options;
    const handle = this.agent!.member.schedule(when, (job) => this.attempt(job), {
      ...options,
      key,
      office,
      signal: this.toldToEnd.signal,
      onDone: ({ scheduledAt, attempts }) => ownLog.info("the job is done", { key, scheduledAt, attempts }),
      onError: ({ message }) => ownLog.error(message, { key }),
    });
    await handle.done;
    return this.ending();
  }

  /** Hands the office over, if another member is there. The command has been told to end already. */
  private async ending(): Promise<number> {
    await this.agent!.stop();
    await this.held?.ended;
    return this.statusOfEnd();
  }

  /** Returns if the command has ended by itself with status 0; throws otherwise. */
  private async attempt(job: JobLeadership): Promise<void> {
    this.outcome = null;
    const outcome = await this.command(job, job);
    if (outcome?.how === "exited" && outcome.status === 0) return;
    const { how = "ended", status = 143, why = "told" } = outcome ?? {};
    throw new JobFailure(how === "failed" ? why : `the command has ended with status ${status}`, status);
  }

  /** Leads again and again, until this run is over. */
  private async campaigns(): Promise<number> {
    const { office, restart, ownLog } = this.options;
    const backOff = new BackOff(realWorld);
    while (this.told === null) {
      const began = realWorld.now();
      this.outcome = null;
      this.lead = this.agent!.member.lead(office, (leadership) => this.work(leadership), {
        maxSeats: 1,
        restart: false,
      });
      await this.unlessTold(this.lead.done);
      const outcome = this.outcome as CommandOutcome | null;
      if (this.told !== null || outcome === null) break;
      if (outcome.how === "failed") {
        ownLog.error(outcome.why);
        return outcome.status;
      }
      if (outcome.how === "exited" && !restart) return outcome.status;
      await this.pause(backOff.failed(realWorld.now() - began));
    }
    return this.ending();
  }

  private async work(leadership: Leadership): Promise<void> {
    const { signal } = leadership;
    const outcome = await this.command(leadership, null);
    if (outcome === null) return;
    // If the lease was lost, the command begins again when this member leads again. `campaigns` decides about any other end.
    const isLost = signal.aborted && outcome.how === "ended" && this.told === null;
    this.outcome = isLost ? null : outcome;
    if (signal.aborted && !isLost) void this.lead?.stop();
  }

  /** Runs the command. Returns when no process of it is left, because only then is the lease given back. Null if it was not started. */
  private async command(leadership: Leadership, job: JobLeadership | null): Promise<CommandOutcome | null> {
    const { seat, signal, term, token } = leadership;
    const { settings, times, file, args, ownLog } = this.options;
    const tokenNumber = Number(token ?? 0);
    if (token !== null) {
      // With less time, the command would be told to end at once. A renewal is on its way.
      const least = times.grace + times.answerWithin;
      if (!(await this.keeper.enough(seat, tokenNumber, least, signal))) return null;
    }
    if (this.told !== null) return null;
    const { office, group, name } = { ...settings, office: this.options.office };
    const env = commandEnvironment(process.env, group, leadership, job);
    ownLog.info(`leads ${seat} in term ${term}, and starts the command`, token === null ? {} : { token });
    const marker = newMarker({ group, name, office });
    const cgroup = this.options.cgroup ? makeCgroup(marker) : null;
    const held = new HeldCommand({
      world: realWorld,
      ending: systemEnding,
      times,
      order: { file, args, env, marker, grace: times.grace, cgroup },
      deadline: () => (token === null ? null : this.keeper.deadlineOf(seat, tokenNumber)),
      open: (listener) => openGuardian(withoutSecrets(process.env), listener),
      tell: (level, message, fields) => ownLog[level](message, fields),
    });
    this.held = held;
    this.keeper.hold(seat, tokenNumber, held);
    // If the lease is lost, another member may lead already, so there is no grace.
    const stop = () => ((signal.reason as Partial<NotLeading>).lost ? held.kill() : held.stop());
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    const outcome = await held.ended;
    signal.removeEventListener("abort", stop);
    this.keeper.letGo();
    this.held = null;
    if (cgroup !== null) removeCgroup(cgroup);
    ownLog.info(IN_WORDS[outcome.why] ?? outcome.why, { status: outcome.status });
    if (this.told !== null) this.outcome = outcome;
    return outcome;
  }
}

const IN_WORDS: Readonly<Record<string, string>> = {
  exit: "the command has ended",
  told: "the command was told to end, and has",
  deadline: "the command was ended before its lease ran out",
  agent: "the command was ended by its guardian",
  guardian: "the command was ended without its guardian",
};

// The environment of the command: with facts about its office, and without the secrets of this process.

type Environment = Record<string, string>;

const SECRETS: readonly string[] = AGENT_KEYS.filter((key) => agentSetting(key).secret).map(variableOf);

/** Without keys, bearer tokens, and addresses that may hold a password. */
function withoutSecrets(env: Readonly<Record<string, string | undefined>>): Environment {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      value === undefined || SECRETS.includes(name) ? [] : [[name, value]],
    ),
  );
}

function commandEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  group: string,
  { office, seat, term, token, fence }: Pick<Leadership, "office" | "seat" | "term" | "token" | "fence">,
  job: Pick<JobLeadership, "key" | "scheduledAt" | "attempt"> | null,
): Environment {
  // Values of an outer run must not look like those of this run.
  const { SORTITION_TOKEN: _, SORTITION_FENCE: __, SORTITION_SCHEDULED_AT: ___, ...rest } = withoutSecrets(env);
  return {
    ...rest,
    SORTITION_GROUP: group,
    SORTITION_OFFICE: office,
    SORTITION_SEAT: seat,
    SORTITION_TERM: String(term),
    ...(token !== null && { SORTITION_TOKEN: String(token) }),
    ...(fence !== null && { SORTITION_FENCE: fence }),
    ...(job !== null && { SORTITION_JOB: job.key, SORTITION_ATTEMPT: String(job.attempt) }),
    ...(job?.scheduledAt && { SORTITION_SCHEDULED_AT: job.scheduledAt.toISOString() }),
  };
}
