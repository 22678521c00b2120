/**
 * The work that a member does while it leads. In each report, before anything leaves: work that must stop is told by
 * its signal. After everything has left: new work begins. What has ended is told to the machine, which keeps
 * the lease until then; and no work begins on a seat while former work is there, of whichever term.
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
  /** Looks at overdue deadlines before it calls back. */
  readonly world: Pick<World, "now" | "set" | "soon" | "wall" | "draws">;
  /** As they are configured: "leader", "shards:3". */
  readonly offices: readonly string[];
  /** Milliseconds that work has for its end before it is complained about, and no longer waited for. */
  readonly settleWithin: number;
  /** Milliseconds that the engine has to hear of it; null without one. */
  readonly releaseWithin: number | null;
  /** Somebody outside this process holds the work (gate.ts). */
  readonly gate?: Gate | undefined;
  report(): GroupReport;
  command(command: GroupCommand): void;
  /** Milliseconds until a timer of the machine is due, as the clocks say now. */
  left(timer: string): number | null;
  /** Whatever is overdue, at once. */
  look(): void;
  /** What guards verify; null without a lease. */
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
  /** Of the complaint that it was told to and did not. */
  overdue: Cancel | null;
}

/** Of what work has for its end, so that who gives an office up is not called unsettled for its promises. */
const PROMISED = 0.9;

export class Leading {
  private readonly setup: LeadingSetup;
  private readonly gatekeeper: Gatekeeper | null;
  private readonly seats = new Map<string, readonly string[]>();
  private readonly leads = new Map<string, Lead>();
  /** What this member leads, and what it works on: not the same while former work has not ended. */
  private readonly held = new Map<string, HeldLeadership>();
  private readonly running = new Map<string, Running>();
  /** What was lost while nobody worked there: the machine need not wait. */
  private readonly idle: HeldLeadership[] = [];
  /** By seat: until when somebody was promised that its lease is not given back. */
  private readonly promised = new Map<string, number>();
  /** By seat whose work has failed: how often, and how to take back that it is stood for again later. */
  private readonly backOffs = new Map<string, BackOff>();
  private readonly waiting = new Map<string, Cancel>();
  /** What is said once the work on a seat has ended. */
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

  /** One more office, as it is configured. */
  add(office: string): void {
    this.seats.set(readOffice(office).name, seatsOf(office));
  }

  /** From now on, whenever this member leads that office, the work is done; `LeadHandle` says until when. */
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
   * Gives a seat up by a command. With a lease at once, since that is kept until the work has ended. Without one nothing but the
   * office keeps others from beginning earlier: then the work is stopped first.
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
   * Promises the caller that the lease of a seat is not given back for so many milliseconds from now; 0: nothing is promised.
   * Work that has ended waits for it, so it is never more than work is waited for, nor more than is left.
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

  /** In the report. Signals fire after everything is written down, since their listeners may call back here. */
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

  /** After each report, once everything has left. */
  proceed(): void {
    this.gatekeeper?.follow(this.setup.report());
    if (this.idle.length > 0) for (const held of this.idle.splice(0)) this.settled(held);
    if (this.held.size > 0) for (const held of this.held.values()) this.begin(held);
    if (this.quiet !== null && this.isQuiet()) this.quiet();
  }

  /** The machine has stopped: nobody renews a lease any more. */
  abandon(why: string): void {
    this.isClosing = true;
    this.isAbandoned = true;
    this.held.clear();
    for (const lead of this.leads.values()) this.stop(lead, why);
    this.quiet?.();
  }

  /**
   * Stops all work; resolves when it has ended and the leases were given back, or when there is no more time for that. Null
   * where there is nothing to wait for.
   */
  close(): Promise<void> | null {
    const { settleWithin, releaseWithin, world } = this.setup;
    this.isClosing = true;
    for (const lead of this.leads.values()) this.stop(lead, "this member leaves the group");
    // Leases are kept by the machine while work ends. Without them the office is: others begin once this member has gone.
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

  /** Milliseconds, as the clocks say now. */
  private leaseLeft(seat: string): number {
    const lapse = this.setup.report().offices[seat]?.lapse ?? null;
    return lapse === null ? 0 : (this.setup.left(lapse) ?? 0);
  }

  /** The signal fires; from here on the work has so long to end. */
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
    // The machine then gives the lease up, which ends the scope, and asks for a larger token.
    if (!scope.isOver && token !== null && floor !== null) {
      this.setup.command({ kind: "floor", office: seat, token: floor });
    }
    const hasFailed = !scope.isOver;
    if (!isExpected) this.tellOf(error, hasFailed ? this.failed(running) : { seat, failures: 0, retryMs: null }, lead);
    if (hasFailed && !lead.restarts) lead.fail(error);
    this.ended(running);
    if (hasFailed && !lead.restarts) this.stop(lead, "work of this process has thrown an error");
  }

  /** Work has failed while it led. Where it is tried again, this member does not stand for its seat until then. */
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
   * The work has ended: because it was told to, or by itself; then its seat is given up. If it has returned, no other seat is taken; if it
   * has failed, this one is stood for again later.
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
      // Without a lease nothing but the office itself keeps others from beginning before this work has ended.
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
   * Of a guard that has seen a newer leader (guards/fence.ts), which error may have come a long way: the token it has seen. One
   * that no engine can have given yet is not believed: as a floor it would be kept, and this member never get the office again.
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
