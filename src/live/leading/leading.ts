/**
 * The work that a member does while it leads. In each report, before messages leave, the signal of work that must stop fires. After all
 * messages have left, new work begins. When work has ended, the machine is told; it keeps the lease until then. No work begins on a seat
 * while former work there has not ended, whatever its term.
 */

import { readOffice, seatsOf } from "../../elector/params.ts";
import type { GroupReport } from "../../elector/report.ts";
import type { GroupCommand } from "../../elector/talk/messages.ts";
import { InputError } from "../../errors.ts";
import { FLOOR_REACH } from "../../protocols/lease/register.ts";
import { callUser } from "../call-user.ts";
import type { Cancel, World } from "../world.ts";
import { BackOff } from "./back-off.ts";
import { type Gate, Gatekeeper } from "./gate.ts";
import {
  type HeldLeadership,
  heldIn,
  isSame,
  Lead,
  type LeadHandle,
  type LeadOptions,
  Scope,
  type Work,
  type WorkFailure,
} from "./scope.ts";

interface LeadingSetup {
  /** Handles overdue deadlines before each callback. */
  readonly world: Pick<World, "now" | "set" | "soon" | "wall" | "draws">;
  /** The offices as they are configured: "leader", "shards:3". */
  readonly offices: readonly string[];
  /** Milliseconds in which work must end. Then the member reports it and no longer waits for it. */
  readonly settleWithin: number;
  /** Milliseconds for the lease store to hear of a release; null without leases. */
  readonly releaseWithin: number | null;
  /** Another process holds the work (gate.ts). */
  readonly gate?: Gate | undefined;
  report(): GroupReport;
  command(command: GroupCommand): void;
  /** Milliseconds until a timer of the machine is due, by the clocks. */
  left(timer: string): number | null;
  /** Handles overdue deadlines at once. */
  look(): void;
  /** The fence of a leadership; null without a lease. */
  fence(held: HeldLeadership): string | null;
  /** Work has thrown an error. */
  threw(why: string, failure: WorkFailure): void;
  /** Work has not ended in time. */
  unsettled(seat: string, why: string): void;
}

/** Work that has not ended. */
interface Running {
  readonly scope: Scope;
  readonly lead: Lead;
  readonly began: number;
  /** Cancels the report that the work has not ended in time. */
  overdue: Cancel | null;
}

/** The share of the time for ending that promises may take, so that a promise alone does not make work unsettled. */
const PROMISED = 0.9;

export class Leading {
  private readonly setup: LeadingSetup;
  private readonly gatekeeper: Gatekeeper | null;
  private readonly seats = new Map<string, readonly string[]>();
  private readonly leads = new Map<string, Lead>();
  /** The seats that this member leads, and the work that runs. They differ while former work has not ended. */
  private readonly held = new Map<string, HeldLeadership>();
  private readonly running = new Map<string, Running>();
  /** Leaderships that were lost without running work: the machine need not wait. */
  private readonly idle: HeldLeadership[] = [];
  /** By seat: until when a promise holds that its lease is not given back. */
  private readonly promised = new Map<string, number>();
  /** The back-off of each seat whose work has failed. */
  private readonly backOffs = new Map<string, BackOff>();
  private readonly waiting = new Map<string, Cancel>();
  /** By seat: the command to give once its work has ended. */
  private readonly yielding = new Map<string, GroupCommand>();
  private isClosing = false;
  private isAbandoned = false;
  private quiet: (() => void) | null = null;

  constructor(setup: LeadingSetup) {
    const { gate } = setup;
    this.setup = setup;
    this.gatekeeper =
      gate === undefined
        ? null
        : new Gatekeeper({ gate, left: (timer) => setup.left(timer), command: (command) => setup.command(command) });
    for (const office of setup.offices) this.add(office);
  }

  /** Adds an office, as it is configured. */
  add(office: string): void {
    this.seats.set(readOffice(office).name, seatsOf(office));
  }

  /** Does the work whenever this member leads the office, until its `LeadHandle` stops that. */
  lead(office: string, work: Work, options: LeadOptions = {}): LeadHandle {
    const seats = this.seats.get(office);
    if (seats === undefined) {
      const known = [...this.seats.keys()].join(", ") || "none";
      throw new InputError(`this member does not stand for "${office}": add it to its offices, which are ${known}`);
    }
    if (this.isClosing) throw new InputError(`${office}: this member has left the group, and leads nothing any more`);
    if (this.leads.has(office)) {
      throw new InputError(`${office}: other work of this process leads it: stop that, and wait until it has ended`);
    }
    const lead = new Lead(office, seats, work, options, () => this.stop(lead, "its own program has stopped it"));
    this.leads.set(office, lead);
    for (const seat of seats) this.want(seat, true);
    this.setup.world.soon(() => this.proceed());
    return lead.handle;
  }

  /** Whether work on that seat has not ended. */
  isWorking(seat: string): boolean {
    return this.running.has(seat);
  }

  /**
   * Gives a seat up by a command. With a lease, the command goes at once, since the lease is kept until the work has ended. Without one,
   * only the office keeps other members from beginning, so the work is stopped first.
   */
  giveUp(seat: string, command: GroupCommand): void {
    const running = this.running.get(seat);
    if (running === undefined || running.scope.held.token !== null) {
      this.setup.command(command);
      return;
    }
    this.yielding.set(seat, command);
    this.end(running, "this member gives it up");
  }

  /**
   * Returns for how many milliseconds from now the lease of a seat is surely not given back; 0: no promise. The lease of ended work waits for
   * the promise. So it is never longer than the time for work to end, nor than what is left of the lease.
   */
  promise(seat: string): number {
    const held = this.held.get(seat);
    if (held === undefined || held.token === null || this.isClosing) return 0;
    const ms = Math.floor(Math.min(this.leaseLeft(seat), PROMISED * this.setup.settleWithin));
    if (ms <= 0) return 0;
    this.promised.set(seat, Math.max(this.promised.get(seat) ?? 0, this.setup.world.now() + ms));
    return ms;
  }

  private yieldNow(seat: string): void {
    const command = this.yielding.get(seat);
    this.yielding.delete(seat);
    if (command !== undefined) this.setup.command(command);
  }

  /** Follows a report. Signals fire last, since their listeners may call back here. */
  follow({ offices, news }: GroupReport): void {
    const over: Running[] = [];
    for (const seat of [...this.seats.values()].flat()) {
      const before = this.held.get(seat);
      const now = offices[seat]?.mine ? heldIn(seat, offices[seat]) : null;
      if (before !== undefined && now !== null && isSame(before, now)) continue;
      if (now === null) this.held.delete(seat);
      else this.held.set(seat, now);
      if (before === undefined) continue;
      const running = this.running.get(seat);
      if (running !== undefined && isSame(running.scope.held, before)) over.push(running);
      else this.idle.push(before);
    }
    for (const running of over) {
      const { seat } = running.scope.held;
      const hasLapsed = news.some(({ event, office }) => event === "lapsed" && office === seat);
      this.end(running, hasLapsed ? "its lease has run out" : "it was given up, or another member leads", hasLapsed);
    }
  }

  /** Called after each report, once all messages have left. */
  proceed(): void {
    this.gatekeeper?.follow(this.setup.report());
    if (this.idle.length > 0) for (const held of this.idle.splice(0)) this.settled(held);
    if (this.held.size > 0) for (const held of this.held.values()) this.begin(held);
    if (this.quiet !== null && this.isQuiet()) this.quiet();
  }

  /** The machine has stopped, so leases are no longer renewed. */
  abandon(why: string): void {
    this.isClosing = true;
    this.isAbandoned = true;
    this.held.clear();
    for (const lead of this.leads.values()) this.stop(lead, why);
    this.quiet?.();
  }

  /**
   * Stops all work. Resolves when the work has ended and the leases were given back, or when the time for that is over. Null if there is
   * nothing to wait for.
   */
  close(): Promise<void> | null {
    const { settleWithin, releaseWithin, world } = this.setup;
    this.isClosing = true;
    for (const lead of this.leads.values()) this.stop(lead, "this member leaves the group");
    // With leases, the machine keeps them while work ends. Without leases, the office protects the work until this member has gone.
    if (releaseWithin !== null) this.setup.command({ kind: "eligible", eligible: false });
    if (this.isQuiet()) return null;
    return new Promise<void>((resolve) => {
      const tooLate = world.set(settleWithin + (releaseWithin ?? 0), resolve);
      this.quiet = () => {
        tooLate();
        resolve();
      };
    });
  }

  private isQuiet(): boolean {
    if (this.running.size > 0 || this.idle.length > 0) return false;
    if (this.setup.releaseWithin === null) return true;
    const { offices } = this.setup.report();
    return !Object.values(offices).some(({ lease, settling }) => lease !== null || settling);
  }

  private begin(held: HeldLeadership): void {
    const { seat } = held;
    if (this.running.has(seat) || this.waiting.has(seat) || this.isClosing) return;
    const lead = [...this.leads.values()].find(({ seats }) => seats.includes(seat));
    if (lead === undefined || !lead.isOpen) return;
    if (this.workOf(lead) >= lead.maxSeats) {
      this.want(seat, false);
      return;
    }
    const scope = new Scope(lead.office, held, {
      hasRunOut: () => this.hasRunOut(held),
      look: () => this.setup.look(),
      fence: () => this.setup.fence(held),
    });
    const running: Running = { scope, lead, began: this.setup.world.now(), overdue: null };
    this.running.set(seat, running);
    if (this.workOf(lead) >= lead.maxSeats) this.wantOthers(lead, false);
    (async () => lead.work(scope.leadership))().then(
      () => this.ended(running),
      (error: unknown) => this.threw(running, error),
    );
  }

  private workOf(lead: Lead): number {
    return [...this.running.values()].filter((running) => running.lead === lead).length;
  }

  private wantOthers(lead: Lead, eligible: boolean): void {
    for (const seat of lead.seats) if (!this.running.has(seat)) this.want(seat, eligible);
  }

  private hasRunOut({ seat, token }: HeldLeadership): boolean {
    return token !== null && this.leaseLeft(seat) <= 0;
  }

  /** Milliseconds that are left of a lease, by the clocks. */
  private leaseLeft(seat: string): number {
    const lapse = this.setup.report().offices[seat]?.lapse ?? null;
    return lapse === null ? 0 : (this.setup.left(lapse) ?? 0);
  }

  /** Fires the signal; the time for the work to end begins. */
  private end(running: Running, why: string, isLost = false): void {
    const { scope } = running;
    if (scope.isOver) return;
    running.overdue = this.setup.world.set(this.setup.settleWithin, () => this.complain(running));
    scope.end(why, isLost);
  }

  private complain({ scope, lead }: Running): void {
    const { seat, token } = scope.held;
    const { settleWithin } = this.setup;
    const fate = token === null ? "" : "; its lease is not given back, but runs out";
    this.setup.unsettled(seat, `the work has not ended within ${settleWithin} ms of being told to${fate}`);
    if (!lead.isOpen) this.want(seat, false);
    this.yieldNow(seat);
  }

  private threw(running: Running, error: unknown): void {
    const { scope, lead } = running;
    const { seat, token } = scope.held;
    const isExpected = scope.isExpected(error);
    const floor = this.floorIn(error);
    // The machine gives the lease up, which ends the scope, and asks for a larger token.
    if (!scope.isOver && token !== null && floor !== null) {
      this.setup.command({ kind: "floor", office: seat, token: floor });
    }
    const hasFailed = !scope.isOver;
    if (!isExpected) this.tellOf(error, hasFailed ? this.failed(running) : { seat, failures: 0, retryMs: null }, lead);
    if (hasFailed && !lead.restarts) lead.fail(error);
    this.ended(running);
    if (hasFailed && !lead.restarts) this.stop(lead, "work of this process has thrown an error");
  }

  /** Work has failed while it led. If it is to be tried again, this member stands for the seat only then. */
  private failed({ scope, lead, began }: Running): WorkFailure {
    const { seat } = scope.held;
    const { world } = this.setup;
    const backOff = this.backOffs.get(seat) ?? new BackOff(world);
    this.backOffs.set(seat, backOff);
    const wait = backOff.failed(world.now() - began);
    if (lead.restarts) {
      const standAgain = () => {
        this.waiting.delete(seat);
        if (this.workOf(lead) < lead.maxSeats) this.want(seat, true);
        this.proceed();
      };
      this.waiting.set(seat, world.set(wait, standAgain));
    }
    return { seat, failures: backOff.failures, retryMs: lead.restarts ? wait : null };
  }

  private tellOf(error: unknown, failure: WorkFailure, { options }: Lead): void {
    callUser(() => options.onError?.(error, failure));
    this.setup.threw(wordsOf(error), failure);
  }

  /**
   * The work has ended, because it was told to or by itself. If it ended by itself, its seat is given up. If it has returned, no other seat is
   * taken. If it has failed, this member stands for the seat again later.
   */
  private ended({ scope, lead, overdue }: Running): void {
    const { seat } = scope.held;
    overdue?.();
    this.running.delete(seat);
    this.yieldNow(seat);
    if (!this.waiting.has(seat)) this.backOffs.delete(seat);
    if (scope.isOver) this.settled(scope.held);
    else if (this.waiting.has(seat)) this.want(seat, false);
    else lead.isOpen = false;
    if (!lead.isOpen) this.wantOthers(lead, false);
    else if (lead.maxSeats < Infinity) this.wantOthers(lead, this.workOf(lead) < lead.maxSeats);
    this.conclude(lead);
    this.proceed();
  }

  /** Gives up all seats of a lead, as soon as its work has ended. */
  private stop(lead: Lead, why: string): void {
    lead.isOpen = false;
    for (const seat of lead.seats) {
      this.waiting.get(seat)?.();
      this.waiting.delete(seat);
      this.backOffs.delete(seat);
      const running = this.running.get(seat);
      if (running !== undefined) this.end(running, why);
      // Without a lease, only the office keeps other members from beginning before this work has ended.
      if (running === undefined || running.scope.held.token !== null) this.want(seat, false);
    }
    this.conclude(lead);
  }

  private conclude(lead: Lead): void {
    if (lead.isOpen || [...this.running.values()].some((running) => running.lead === lead)) return;
    if (this.leads.get(lead.office) === lead) this.leads.delete(lead.office);
    lead.conclude();
  }

  private want(seat: string, eligible: boolean): void {
    if (this.isClosing || (eligible && this.waiting.has(seat))) return;
    this.setup.command({ kind: "eligible", eligible, office: seat });
  }

  /**
   * The token in the error of a guard that has seen a newer leader (guards/fence.ts). The error may have passed through other processes, so a
   * token that no engine can have given yet is ignored: it would stay as a floor, and this member would never get the office again.
   */
  private floorIn(error: unknown): number | null {
    const { name, newest } = (error ?? {}) as { readonly name?: unknown; readonly newest?: unknown };
    if (name !== "FenceRefused" || typeof newest !== "bigint") return null;
    return newest <= BigInt(Math.floor(this.setup.world.wall()) + FLOOR_REACH) ? Number(newest) : null;
  }

  private settled({ seat, token }: HeldLeadership): void {
    if (token === null) return;
    const { world, command } = this.setup;
    const wait = (this.promised.get(seat) ?? 0) - world.now();
    const say = () => {
      if (!this.isAbandoned) command({ kind: "settled", office: seat, token });
    };
    if (wait <= 0) say();
    // Timers of Node may be a millisecond early.
    else world.set(wait + 1, say);
  }
}

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error)) || "an error";
