/**
 * What the simulating hosts have in common: processes that start, act, crash, start again, join and leave, and the verdicts
 * at the end. A host adds how time passes.
 */
import { SELF } from "../protocol.ts";
import { Actors } from "./actors.ts";
import { census } from "./census.ts";
import type { Effect } from "./context.ts";
import type { MessageFaults } from "./faults/message-faults.ts";
import type { Strike } from "./faults/strikes.ts";
import { type Deed, deedsOf, type OwnDeed } from "./queues/agenda.ts";
import type { Result, Setup } from "./setup.ts";
import { keep, type Restore } from "./stepping/frames.ts";

export abstract class Stage extends Actors {
  private readonly until: number;
  /** How many start on their own, and how many of them have had their turn. */
  private readonly starting: number;
  private begun = 0;
  private cut = false;
  /** What handlers asked for that a pause has cut short. */
  private held = new Map<number, Effect[]>();

  constructor(setup: Setup, faults: MessageFaults, monotone: boolean, lockstep: boolean, steps: boolean) {
    super(setup, faults, monotone, lockstep, steps);
    this.until = setup.until ?? Infinity;
    this.starting = this.population.starters?.length ?? setup.topology.size;
    for (const [time, deed] of deedsOf(setup.faults)) this.agenda.add(this.instant(time), deed);
  }

  /** Does the next thing there is to do, which need not be an event (or more, where nobody steps); false when the run has ended. */
  abstract advance(): boolean;

  abstract result(): Result;

  run(): void {
    this.begin();
    while (this.advance());
    this.observer?.ended?.();
  }

  begin(): void {
    this.observer?.opened?.(this);
    for (const node of this.setup.crashed) this.observer?.crashed?.(node, 0);
  }

  /** Whether those who start on their own have not all had their turn. */
  protected get beginning(): boolean {
    return this.begun < this.starting;
  }

  /** Lets the next of them start. */
  protected startNext(): void {
    if (this.agenda.next <= this.now && this.attend(this.now)) return;
    const node = this.population.starters?.[this.begun] ?? this.begun;
    this.begun++;
    if (this.alive(node) && this.states[node] === undefined) this.start(node);
  }

  /** Puts a deed on the agenda: it is the next thing that happens. */
  intervene(deed: Deed): void {
    this.agenda.addFirst(this.now, deed);
  }

  /** Does what the agenda says comes before `next`; false where nothing does, or where nobody would notice. */
  protected attend(next: number): boolean {
    const at = this.agenda.next;
    if (at > next || at === Infinity || at > this.until) return false;
    const unnoticed = next === Infinity && !this.agenda.lasts && this.until === Infinity;
    if (unnoticed && at > this.now) return false;
    this.now = Math.max(this.now, at);
    this.perform(this.agenda.pop());
    return true;
  }

  /** Moves the clock to the first thing that is left to happen; false where nothing is, or only after the horizon. */
  protected goOn(next: number): boolean {
    this.cut = next === Infinity ? this.agenda.lasts : next > this.until;
    if (next === Infinity || this.cut) return false;
    this.now = next;
    return true;
  }

  private perform(deed: Deed): void {
    // Nothing has happened where a process had ended before, or where a pause is over as soon as it begins.
    if (deed.do === "crash") {
      if (this.alive(deed.node)) this.event++;
      this.end(deed.node, true);
    } else if (deed.do === "leave") this.leave(deed);
    else if (deed.do === "resume") this.resume(deed.node);
    else if (deed.do === "pause") {
      if (this.instant(deed.to) > this.now) this.event++;
      this.pause(deed.node, deed.to);
    } else if (deed.do === "join") this.revive(deed.node, false);
    else if (deed.do === "restart") this.revive(deed.node, deed.saved);
    else if (deed.do === "command") this.command(deed);
    else if (deed.do === "drop") this.drop(deed.flight);
    else if (deed.do === "cut") {
      this.event++;
      this.faults.cut(deed.partition);
      this.observer?.cut?.(deed.partition, this.now);
    }
  }

  private end(node: number, crash: boolean): void {
    if (!this.alive(node)) return;
    this.store(node);
    this.processes.end(node, crash ? "crash" : "leave", this.flights);
    this.held.delete(node);
    if (crash) this.observer?.crashed?.(node, this.now);
  }

  /** Timers and links end with a life; what is still on the network finds the new one. */
  private revive(node: number, saved: boolean): void {
    // A ring that has closed over a process leaves no place for it.
    if (this.topology.name === "ring" && this.setup.crashed.includes(node)) return;
    this.end(node, true);
    this.processes.revive(node, saved);
    this.timers.clear(node);
    this.deadlines.clear(node);
    this.open?.forget(node);
    this.states[node] = undefined;
    this.start(node);
  }

  private leave(deed: OwnDeed): void {
    const { node } = deed;
    if (!this.isReady(deed)) return;
    this.event++;
    this.observer?.left?.(node, this.now);
    if (this.protocol.leave !== undefined) {
      this.protocol.leave(this.states[node], this);
      this.finish(node, this.states[node]);
    }
    this.end(node, false);
    this.timers.clear(node);
    this.deadlines.clear(node);
    this.observer?.settled?.(node, this.now, this.states[node]);
  }

  private command(deed: OwnDeed & { readonly do: "command" }): void {
    const { node, message } = deed;
    if (!this.isReady(deed)) return;
    this.event++;
    this.observer?.commanded?.(node, message, this.now);
    this.protocol.receive(this.states[node], SELF, message, this);
    this.finish(node, this.states[node]);
    this.touched(node);
  }

  /** Whether a process can do something now; one that is paused does it later, unless it ends before; one that does not run never. */
  private isReady(deed: OwnDeed): boolean {
    const { node } = deed;
    this.node = node;
    if (this.alive(node) && this.states[node] === undefined && !this.isPaused(node)) this.create(node);
    if (!this.alive(node)) return false;
    const life = this.processes.life(node);
    if (deed.life !== undefined && deed.life !== life) return false;
    if (this.isPaused(node)) this.agenda.postpone(this.processes.resumes(node, this.now), { ...deed, life });
    return !this.isPaused(node);
  }

  private isPaused(node: number): boolean {
    return this.processes.resumes(node, this.now) > this.now;
  }

  private pause(node: number, to: number): void {
    const until = this.instant(to);
    if (until <= this.now) return;
    this.processes.pause(node, until);
    this.observer?.paused?.(node, this.now, until);
    this.agenda.add(until, { do: "resume", node }, this.held.has(node));
  }

  private resume(node: number): void {
    if (!this.processes.resume(node, this.now)) return;
    this.event++;
    this.observer?.resumed?.(node, this.now);
    const held = this.held.get(node);
    if (held === undefined) return;
    this.held.delete(node);
    this.node = node;
    this.releaseUpTo(Infinity, held);
    this.touched(node);
  }

  protected struck(strike: Strike, left: Effect[]): void {
    const { node } = this;
    if (strike.to === null) this.end(node, true);
    else {
      this.held.set(node, left);
      this.pause(node, strike.to);
    }
  }

  private drop(flight: number): void {
    const dropped = [...this.flying()].find((message) => message.flight === flight);
    if (dropped === undefined) return;
    this.event++;
    this.processes.drop(flight);
    this.observer?.lost?.(flight, dropped.to, this.now, "loss", dropped.message);
  }

  /** Reads every live node's verdict; nodes that nothing has touched come into being now. `unit`: the result's, of time. */
  protected resultIn(unit: number): Result {
    const { tally, protocol } = this;
    const counted = census({
      size: this.size,
      alive: (node) => this.alive(node),
      verdict: (node) => protocol.verdict(this.states[node] ?? this.create(node)),
      id: (node) => this.id(node),
    });
    return {
      messages: tally.messages,
      bits: tally.bits,
      time: inUnits(tally.lastDelivery, unit),
      census: counted,
      measures: {
        ...tally.measures,
        ...(this.topology.hops === undefined ? {} : { hops: tally.hops }),
        ...(protocol.accepts === undefined ? {} : { refused: tally.refused }),
      },
      series: tally.series,
      ...(this.cut ? { cut: true } : {}),
    };
  }

  override save(): Restore {
    return keep(this, ["begun", "cut", "held"], [super.save(), this.topology.save?.() ?? (() => {})]);
  }
}

/** Delays such as 0.1 add up with rounding errors: a whole number of steps is given as one. */
export function inUnits(time: number, unit: number): number {
  const steps = time / unit;
  return Math.abs(steps - Math.round(steps)) < 1e-9 * steps ? Math.round(steps) : steps;
}
