/** The member of a group that `join` gives a program: its properties, its events and its methods. */
import { EventEmitter } from "node:events";
import { readOffice, seatsOf } from "../../elector/params.ts";
import type { EngineReport, GroupReport } from "../../elector/report.ts";
import { InputError } from "../../errors.ts";
import type { MemberEvent, MemberEventName, MemberEventOf } from "../../events/events.ts";
import type { JobRecord } from "../../protocols/lease/messages.ts";
import { leaseTimes } from "../../protocols/lease/params.ts";
import { profiles } from "../../protocols/membership/profile.ts";
import { callUser } from "../call-user.ts";
import { RunningMember } from "../group/member.ts";
import type { Means, MemberBasics } from "../group/setup.ts";
import type { JobWork } from "../jobs/job.ts";
import {
  type BeginOptions,
  type JobDone,
  MemberJobs,
  type OnceOptions,
  type ScheduleHandle,
  type ScheduleOptions,
} from "../jobs/member-jobs.ts";
import type { When } from "../jobs/when.ts";
import type { Leadership, LeadHandle, LeadOptions, Work } from "../leading/scope.ts";
import type { Counters } from "../net/counters.ts";
import type { Keyring } from "../net/keyring.ts";
import type { StallReport } from "../stalls.ts";
import type { World } from "../world.ts";
import { Balancer } from "./balance.ts";
import { ChangeQueue, type GroupChanges } from "./changes.ts";
import { Departures, type Resigned, type Transferred } from "./departures.ts";
import { type Elected, Elections } from "./elections.ts";
import { GroupError, groupError, noSuchOffice } from "./errors.ts";
import {
  type GroupStatus,
  keysOf,
  type Leader,
  type MemberFacts,
  type MemberKeys,
  type MemberView,
  memberView,
  type OfficeView,
  officeView,
  type RecentMember,
  recentMember,
} from "./view.ts";

/** A member's knowledge is stale after this many periods of its profile in which it has heard no member. */
const STALE_PERIODS = 3;
/** The number of changes that are kept for a slow reader. */
const BUFFER = 16;

interface GroupMemberSetup {
  readonly world: Pick<World, "set">;
  readonly options: MemberBasics;
  /** Reads the keys again. */
  readonly keyring: () => Keyring;
  onEvent?: ((event: MemberEvent) => void) | undefined;
}

/** Ends soon after the signal has fired. */
export type ShardWork = (shard: number, signal: AbortSignal, leadership: Leadership) => unknown;

/** The types of what `on` and `off` take. */
type Emitted = { [K in MemberEventName]: [event: MemberEventOf<K>] };

/** A member of a group, from `join`. Events are those of `GroupEventFields`; a listener that throws does no harm. */
export class GroupMember {
  readonly name: string;
  readonly group: string;
  private readonly setup: GroupMemberSetup;
  private readonly running: RunningMember;
  private readonly departures: Departures;
  private readonly elections: Elections;
  private readonly emitter = new EventEmitter<Emitted>();
  private readonly jobs: MemberJobs;
  private readonly balancer: Balancer;
  /** Offices that were added by `shards`. */
  private readonly added: string[] = [];
  private meter: ((event: MemberEvent) => void) | undefined;
  private measured: Promise<{ text(): Promise<string> }> | null = null;
  private readonly queues = new Set<ChangeQueue>();
  private gone: "left" | "stopped" | null = null;
  /** The error that stopped it. */
  private failure: unknown = null;
  private leaving = false;
  private know!: () => void;
  private readonly known = new Promise<void>((resolve) => {
    this.know = resolve;
  });

  private constructor(setup: GroupMemberSetup, means: Means) {
    const { world, options } = setup;
    this.setup = setup;
    this.name = options.name;
    this.group = options.group;
    this.running = new RunningMember(
      { ...options, onEvent: (event) => this.told(event), onReport: (report) => this.reported(report) },
      means,
    );
    const { lease } = this.running.params;
    this.departures = new Departures({ world, member: this.running, lease, settleWithin: this.running.settleWithin });
    this.elections = new Elections({ world, member: this.running, lease });
    this.balancer = new Balancer({
      world: this.running.world,
      self: this.name,
      offices: () => (this.leaving ? [] : this.offices.map(seatsOf).filter(({ length }) => length > 1)),
      office: (seat) => this.office(seat),
      members: () => this.members,
      transfer: (seat, to) => this.departures.transfer(seat, to, "balanced"),
    });
    this.jobs = new MemberJobs({
      world: this.running.world,
      name: this.name,
      engine: this.running.engine,
      requestTimeout: (lease ?? leaseTimes()).requestTimeout,
      offices: this.offices,
      lead: (office, work, options) => this.running.lead(office, work, options),
      told: (office, record, ran) => this.toldOfJob(office, record, ran),
    });
  }

  /** @internal `means`: in real time, or in a virtual world. */
  static start(setup: GroupMemberSetup, means: Means): GroupMember {
    const member = new GroupMember(setup, means);
    const { running } = member;
    running.start();
    if (setup.options.balance) member.balancer.start();
    running.ended.then(
      () => member.end("left", null),
      (error: unknown) => member.end("stopped", error),
    );
    return member;
  }

  private end(how: "left" | "stopped", error: unknown): void {
    this.gone = how;
    this.failure = error;
    this.departures.close(this.over(error));
    this.elections.close(this.over(error));
    this.jobs.close(this.over(error));
    this.balancer.stop();
    for (const queue of this.queues) queue.finish(how === "left" ? "left" : { error: this.over(error) });
  }

  /** The address at which others reach this member. */
  get address(): string {
    return this.running.address;
  }

  /** The leader of the first office; null while there is none, as far as this member knows. `state` says whether that may be old. */
  get leader(): Leader | null {
    return this.office().leader;
  }

  /** The members of the first office's council, its holder first; null if it has no council. */
  get council(): readonly string[] | null {
    return this.office().council;
  }

  /** The live members as far as this member knows, by name, itself included. */
  get members(): readonly MemberView[] {
    return this.running.members().map((one) => memberView(one, this.name));
  }

  /** Members that failed or left within a day, as far as this member knows, the latest first. */
  get recent(): readonly RecentMember[] {
    const { tick } = this.profile;
    return this.running
      .departed()
      .map((one) => recentMember(one, tick))
      .reverse();
  }

  /** The keys with which this member seals and opens now. */
  get keys(): MemberKeys {
    return keysOf(this.running.keyIds)!;
  }

  /** How often, and for how long, this process was paused or too busy to run anything; see `stallMs`. */
  get stalls(): StallReport {
    return this.running.stalls;
  }

  /** What this member knows of an office (by default the first one), or of one of its seats ("shards#2"). */
  office(name: string = this.firstSeat): OfficeView {
    const [seat] = this.seatsOf(name);
    return officeView(seat, this.running.report().offices[seat], this.standpoint());
  }

  /**
   * Milliseconds until this member's lease on an office, or a seat, runs out unless it is renewed, by both clocks; 0 if it does not lead,
   * and without leases.
   */
  leaseLeft(office: string = this.firstSeat): number {
    const [seat] = this.seatsOf(office);
    const { mine, lapse } = this.running.report().offices[seat];
    if (this.gone !== null || !mine || lapse === null) return 0;
    return Math.max(0, Math.floor(this.running.left(lapse) ?? 0));
  }

  /** @internal The fence of an office or a seat that this member leads now; null if it does not lead, and without leases. A secret. */
  fence(office: string = this.firstSeat): string | null {
    const [seat] = this.seatsOf(office);
    return this.leaseLeft(seat) > 0 ? this.running.fence(seat) : null;
  }

  /**
   * Promises that this member keeps its lease on an office, or a seat, for the returned number of milliseconds from now, for a program that
   * works elsewhere. If the member gives the office up, it waits that long (half a lease at most). Returns 0, no promise, if the member does
   * not lead, and without leases.
   */
  promise(office: string = this.firstSeat): number {
    const [seat] = this.seatsOf(office);
    return this.gone === null && !this.leaving ? this.running.promise(seat) : 0;
  }

  /** @internal For code that shows a member to others. */
  get facts(): MemberFacts {
    const { counters, measures, params } = this.running;
    const { offices, profile, lease } = params;
    return {
      offices,
      profile,
      isHere: this.gone === null,
      leaseTtl: lease?.ttl ?? null,
      traffic: {
        datagramsSent: counters.datagrams,
        bytesSent: counters.bytesSent,
        datagramsReceived: counters.received,
        datagramsDropped: counters.dropped,
        electionMessages: measures.electionMessages ?? 0,
      },
    };
  }

  /** @internal What this member has sent, received and dropped since its start. */
  get counters(): Readonly<Counters> {
    return this.running.counters;
  }

  /** @internal The seats of the named office, or the one named seat. */
  seats(office?: string): readonly string[] {
    return office === undefined ? seatsOf(this.offices[0]) : this.seatsOf(office);
  }

  /** Counters and gauges in the text format of Prometheus, as the agent serves them; counted from the first call on. */
  async metrics(): Promise<string> {
    this.measured ??= import("../metrics.ts").then(({ MemberMetrics }) => {
      const metrics = new MemberMetrics({
        group: this.group,
        name: this.name,
        world: this.running.world,
        isReady: () => this.gone === null,
      });
      metrics.watch(this);
      this.meter = (event) => metrics.told(event);
      return metrics;
    });
    return (await this.measured).text();
  }

  /** Calls the listener at each event of this name, until `off`. */
  on<K extends MemberEventName>(
    event: K,
    listener: (event: Extract<MemberEvent, { readonly event: K }>) => void,
  ): this {
    this.emitter.on(event, listener as never);
    return this;
  }

  off<K extends MemberEventName>(
    event: K,
    listener: (event: Extract<MemberEvent, { readonly event: K }>) => void,
  ): this {
    this.emitter.off(event, listener as never);
    return this;
  }

  /** All that this member knows now. */
  status(): GroupStatus {
    const { offices, quorate } = this.running.report();
    const from = this.standpoint();
    const views = Object.entries(offices).map(([name, report]) => [name, officeView(name, report, from)] as const);
    return {
      leader: this.leader,
      offices: Object.fromEntries(views),
      members: this.members,
      engine: this.engine,
      quorate,
      history: this.running.history,
    };
  }

  /**
   * Does the work whenever this member leads the office (by default the first one), once for each of its seats that it leads. The work gets
   * `{ term, token, signal, check, fence }` and should end soon after its signal has fired. If the work returns before that, the office is
   * given up for good. If the work throws, its seat is given up, and this member stands for it again after a while (`restart: false`: gives
   * it up for good, and `done` rejects with the error).
   */
  lead(work: Work): LeadHandle;
  lead(office: string, work: Work, options?: LeadOptions): LeadHandle;
  lead(given: string | Work, then?: Work, options: LeadOptions = {}): LeadHandle {
    const [office, work] = typeof given === "string" ? [given, then] : [readOffice(this.offices[0]).name, given];
    if (typeof work !== "function") {
      throw new GroupError("BAD_OPTION", "lead takes a function", "give it the work to do while this member leads");
    }
    this.mustBeHere();
    const names = this.offices.map((each) => readOffice(each).name);
    if (!names.includes(office)) throw noSuchOffice(office, names);
    try {
      return this.running.lead(office, work, options);
    } catch (error) {
      throw groupError("ALREADY_LED", error);
    }
  }

  /**
   * Does the work of each shard, 0 to count - 1, on one member at a time. Members get about equal numbers of shards, by weight, and take over
   * from members that have gone. This is short for an office with seats ("orders:6") and `lead`.
   */
  shards(name: string, count: number, work: ShardWork, options: LeadOptions = {}): LeadHandle {
    this.mustBeHere();
    const office = `${name}:${count}`;
    const known = this.offices.find((each) => readOffice(each).name === name);
    if (known !== undefined && readOffice(known).seats !== count) {
      throw new GroupError("BAD_OPTION", `"${name}" is ${known}, not ${office}`, "give the same number everywhere");
    }
    if (typeof work !== "function") {
      throw new GroupError("BAD_OPTION", "shards takes a function", "give it the work to do for a shard");
    }
    if (known === undefined) {
      try {
        this.running.command({ kind: "office", office });
      } catch (error) {
        throw groupError("BAD_OPTION", error);
      }
      this.added.push(office);
    }
    const shardOf = (seat: string) => (count === 1 ? 0 : Number(seat.slice(seat.lastIndexOf("#") + 1)) - 1);
    return this.lead(name, (leadership) => work(shardOf(leadership.seat), leadership.signal, leadership), options);
  }

  /**
   * Does a job once in the whole group: the completion is recorded in the lease store, with the token. Resolves when the job is done, by
   * this member or another; rejects with `JOB_FAILED` if it has failed as often as it may. Needs leases.
   */
  async once(key: string, work: JobWork, options?: OnceOptions): Promise<JobDone> {
    this.mustBeHere();
    return this.jobs.once(key, work, options);
  }

  /**
   * Does a job at scheduled times, each of them once in the whole group: by a cron expression, `{ every: "15m" }`, or
   * `{ after: "60s" }` since its last end. The work is told its occurrence. Needs leases.
   */
  schedule(when: When, work: JobWork, options?: ScheduleOptions): ScheduleHandle {
    this.mustBeHere();
    return this.jobs.schedule(when, work, options);
  }

  /** What the lease store remembers of a job; null if nothing. */
  async job(key: string): Promise<JobRecord | null> {
    this.mustBeHere();
    return this.jobs.record(key);
  }

  /** @internal For programs beside this member: an attempt begins, if this member leads the office. */
  async beginJob(key: string, { office, ...options }: BeginOptions & { readonly office?: string | undefined }) {
    this.mustBeHere();
    const [seat] = this.seatsOf(this.jobs.officeOf(office));
    const { mine, lease, token } = this.running.report().offices[seat];
    const held = mine && lease !== null && token !== null ? { lease, token } : null;
    return { seat, token: held && BigInt(held.token), ...(await this.jobs.begin(key, seat, held, options)) };
  }

  /** @internal And ends. */
  async finishJob(key: string, attempt: string, outcome: "done" | "failed", status: number | null, keep?: number) {
    this.mustBeHere();
    return this.jobs.finish(key, attempt, outcome, status, keep);
  }

  /**
   * Changes as they come, beginning with the present state. For a slow reader the latest 16 (`buffer`) wait; older ones are dropped and
   * counted (`missed`), so the last one is always the present state. Ends when this member has left.
   */
  changes({ buffer = BUFFER }: { readonly buffer?: number } = {}): GroupChanges {
    if (!Number.isSafeInteger(buffer) || buffer < 1) {
      throw new GroupError(
        "BAD_OPTION",
        `a buffer of ${buffer} changes is not possible`,
        "give a whole number of at least 1",
      );
    }
    const queue = new ChangeQueue(buffer, (closed) => this.queues.delete(closed));
    queue.push(this.status());
    if (this.gone === null) this.queues.add(queue);
    else queue.finish("left");
    return queue.reader;
  }

  /**
   * Gives up an office (by default all that it leads). Then another member leads it, or this one again if no other can. Resolves when the
   * office is given up and its work has ended. A second call meanwhile waits for the same; with nothing to give up it resolves at once.
   */
  async resign(office?: string): Promise<readonly Resigned[]> {
    this.mustBeHere();
    const seats = office === undefined ? this.offices.flatMap(seatsOf) : this.seatsOf(office);
    return Promise.all(seats.map((seat) => this.departures.resign(seat)));
  }

  /** Hands an office (by default the first one) over to another member. Resolves when that member leads; otherwise rejects with the reason. */
  async transfer(to: string, office: string = this.firstSeat): Promise<Transferred> {
    this.mustBeHere();
    const seats = this.seatsOf(office);
    const held = seats.filter((seat) => this.running.report().offices[seat].mine);
    if (seats.length > 1 && held.length !== 1) {
      const which = held.length === 0 ? seats.slice(0, 3) : held;
      throw new GroupError(
        held.length === 0 ? "NOT_HELD" : "BAD_OPTION",
        `this member leads ${held.length === 0 ? "none" : "several"} of the seats of "${office}"`,
        `name the seat, such as ${which.join(" or ")}`,
      );
    }
    return this.departures.transfer(held[0] ?? seats[0], to);
  }

  /**
   * Asks for a term of an office (by default the first one) that no live member leads, without waiting for the next try. Resolves when a
   * member leads, with each seat that was vacant; rejects with `HELD` if none was.
   */
  async elect(office?: string): Promise<readonly Elected[]> {
    this.mustBeHere();
    return this.elections.elect(this.seats(office));
  }

  /** Reads the key file or the environment again, to replace keys while the group runs (docs/security.md). */
  rekey(): void {
    this.mustBeHere();
    this.running.rekey(this.setup.keyring());
  }

  /** Stops its work, waits until the work has ended (half a lease at most), gives up its offices, tells the others, and ends. */
  async leave(): Promise<void> {
    this.leaving = true;
    if (this.gone === "stopped") return;
    await this.running.leave();
    this.gone = "left";
  }

  /** Resolves when this member has left; rejects if it had to stop, for example because the disk is full. */
  get ended(): Promise<void> {
    return this.running.ended.catch((error: unknown) => {
      throw this.over(error);
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.leave();
  }

  /** @internal Resolves when this process knows the group; rejects if it cannot join. */
  async joined(): Promise<this> {
    const over = this.ended.then(() => {
      throw this.over(null);
    });
    await Promise.race([this.known, over]);
    return this;
  }

  private told(event: MemberEvent): void {
    this.departures.told(event);
    const listeners = this.emitter.rawListeners(event.event) as ((event: MemberEvent) => void)[];
    for (const listener of [this.meter, this.setup.onEvent, ...listeners]) callUser(() => listener?.call(this, event));
  }

  private toldOfJob(office: string, { key, name, state, failures, token }: JobRecord, ran: boolean): void {
    const who = ran ? "this member" : name;
    const why = state === "done" ? `${who} has done "${key}"` : `"${key}" has failed ${failures} times and is given up`;
    this.running.tell({ event: "job", office, key, member: name, token: BigInt(token), failures, why });
  }

  private reported(report: GroupReport): void {
    if (report.joined && report.refused === null) this.know();
    this.departures.look(report);
    this.elections.look(report);
    if (this.queues.size === 0) return;
    const status = this.status();
    for (const queue of this.queues) queue.push(status);
  }

  /** Whether the lease store answers. Before the first request: whether it did when it was opened. */
  private get engine(): EngineReport {
    const { engine } = this.running.report();
    const trouble = this.setup.options.engine?.trouble;
    return engine.state === "none" && trouble !== undefined ? { state: "silent", why: trouble } : engine;
  }

  private standpoint() {
    const { members } = this.running.report();
    const { tick, period } = this.profile;
    const isSilent = members > 1 && this.running.silence > STALE_PERIODS * period * tick;
    return { isStale: this.gone !== null || isSilent, left: (timer: string) => this.running.left(timer) };
  }

  private get profile() {
    return profiles[this.running.params.profile];
  }

  /** The offices as they were given, such as "shards:3". */
  private get offices(): readonly string[] {
    return this.added.length === 0 ? this.running.params.offices : [...this.running.params.offices, ...this.added];
  }

  private get firstSeat(): string {
    return seatsOf(this.offices[0])[0];
  }

  /** The seats of the named office, or the one named seat. */
  private seatsOf(office: string): readonly string[] {
    const given = this.offices.find((each) => readOffice(each).name === office);
    if (given !== undefined) return seatsOf(given);
    const seats = this.offices.flatMap(seatsOf);
    if (seats.includes(office)) return [office];
    throw noSuchOffice(office, seats);
  }

  private mustBeHere(): void {
    if (this.gone !== null || this.leaving) throw this.over(this.failure);
  }

  private over(error: unknown): GroupError {
    if (error === null) return new GroupError("LEFT", `${this.name} has left the group`, "join again");
    if (error instanceof GroupError) return error;
    const { refused } = this.running.report();
    if (refused !== null)
      return groupError(refused.startsWith("the name") ? "NAME_TAKEN" : "MISFIT", error) as GroupError;
    const why = error instanceof Error ? error.message : String(error);
    const advice = "fix that, then join again";
    return new GroupError("STOPPED", error instanceof InputError ? why : `${this.name} has stopped (${why})`, advice, {
      cause: error,
    });
  }
}
