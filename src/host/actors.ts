/** Nodes and their states, and the handlers that run in them: save, report, and only then the effects leave. */

import type { RunView } from "../properties/properties.ts";
import { type AnyProtocol, type Id, SELF, UNDECIDED, type Verdict } from "../protocol.ts";
import { type Effect, SimulatedContext } from "./context.ts";
import type { MessageFaults } from "./faults/message-faults.ts";
import { type Strike, Strikes } from "./faults/strikes.ts";
import { Population } from "./population.ts";
import { Processes } from "./processes.ts";
import type { EventHeap } from "./queues/heap.ts";
import type { TimerQueue } from "./queues/timers.ts";
import type { Setup } from "./setup.ts";
import { copy } from "./stepping/copy.ts";
import { keep, type Restore } from "./stepping/frames.ts";

/** The host's own timer of a process that is paused when it should start. */
const WAKE = "(wake)";
type State = unknown;

export abstract class Actors extends SimulatedContext implements RunView {
  /** Counts events: each advance is at most one. */
  event = 0;
  protected readonly processes = new Processes();
  protected readonly population: Population;
  protected readonly steps: boolean;
  private readonly strikes: Strikes;
  private readonly storing: boolean;
  private readonly accepts: AnyProtocol["accepts"];
  private readonly joining: ReadonlySet<number>;

  /** `monotone` as for the context. `steps`: the run is advanced event by event, by a caller that can intervene. */
  constructor(setup: Setup, faults: MessageFaults, monotone: boolean, lockstep: boolean, steps: boolean) {
    // A pause postpones events, so they are no longer in order.
    super(setup, faults, monotone && setup.faults.pauses.length === 0, lockstep, steps);
    const { protocol, observer } = this;
    this.steps = steps;
    this.population = new Population(setup);
    this.strikes = new Strikes(setup.faults);
    this.accepts = protocol.accepts?.bind(protocol);
    const { restarts = [], joins = [] } = setup.faults;
    this.joining = new Set(joins.map(({ node }) => node));
    for (const node of this.joining) this.processes.absent(node, "nobody");
    for (const node of setup.crashed) this.processes.absent(node, "crash");
    this.storing = protocol.saved !== undefined && (steps || restarts.some(({ saved }) => saved));
    const watched = observer?.saved !== undefined || observer?.reported !== undefined;
    if (steps || this.strikes.any || watched) this.outbox = [];
  }

  /** A fault has struck inside a handler of the present node, before some of its effects have left. */
  protected abstract struck(strike: Strike, left: Effect[]): void;

  /** Called for each node that had a message, a timer or a command. */
  protected touched(_node: number): void {}

  get size(): number {
    return this.topology.size;
  }

  get time(): number {
    return this.now;
  }

  get messages(): number {
    return this.tally.messages;
  }

  id(node: number): Id | null {
    return this.setup.ids?.[node] ?? null;
  }

  alive(node: number): boolean {
    return this.processes.alive(node);
  }

  state(node: number): unknown {
    return this.states[node];
  }

  verdict(node: number): Verdict {
    const state = this.states[node] ?? this.untouched(node);
    return state === undefined ? UNDECIDED : this.protocol.verdict(state);
  }

  report(node: number): unknown {
    const state = this.states[node] ?? this.untouched(node);
    return state === undefined ? undefined : this.protocol.report?.(state);
  }

  /** The state in which a message would find an untouched node; a node that starts on its own has none yet. */
  private untouched(node: number): State {
    if (this.population.startsAlone(node)) return undefined;
    const { node: present } = this;
    this.node = node;
    const state = this.protocol.init(this.setup.params, this.population.self(node, 0), null, this);
    this.node = present;
    return state;
  }

  protected start(node: number): void {
    const resumed = this.processes.resumes(node, this.now);
    if (resumed > this.now) this.timers.arm(node, WAKE, resumed);
    else {
      this.event++;
      this.create(node);
    }
  }

  protected create(node: number): State {
    const life = this.processes.life(node);
    this.node = node;
    this.observer?.started?.(node, this.now, life > 0 ? "restart" : this.joining.has(node) ? "join" : "start");
    const saved = this.storing ? copy(this.processes.storedBy(node)) : null;
    const state = this.protocol.init(this.setup.params, this.population.self(node, life), saved, this);
    this.states[node] = state;
    this.finish(node, state);
    return state;
  }

  /** Takes the first message off the queue and delivers it; an untouched node is created now. */
  protected deliver(): void {
    const { queue, now } = this;
    queue.pop();
    if (this.processes.troubled && this.isStopped()) return;
    if (this.accepts !== undefined && this.isRefused(this.accepts)) return;
    const { node, port, item } = queue;
    const state = this.states[node] ?? this.createFor(node);
    this.event++;
    if (state === null) return;
    this.tally.lastDelivery = now;
    this.node = node;
    this.observer?.delivered?.(queue.order, node, item, now);
    const inbound = this.open === null || port === SELF ? port : this.open.link(node, String(port));
    this.protocol.receive(state, inbound, item, this);
    this.finish(node, state);
    this.touched(node);
  }

  /** Creates the receiver of the message just taken off the queue; null if a fault inside its start prevents that. */
  private createFor(node: number): State {
    const { event } = this;
    const state = this.create(node);
    const stopped = this.processes.troubled && this.isStopped();
    this.event = event;
    return stopped ? null : state;
  }

  /** Whether the message just taken off the queue has a wrong shape. */
  private isRefused(accepts: (message: unknown) => boolean): boolean {
    const { order, node, port, item } = this.queue;
    if (port === SELF || accepts(item)) return false;
    this.event++;
    this.tally.refused++;
    this.observer?.lost?.(order, node, this.now, "refused", item);
    return true;
  }

  /** Whether the message just taken off the queue cannot be delivered now. */
  private isStopped(): boolean {
    const { queue, processes, now } = this;
    const { node, order, port } = queue;
    if (processes.wasDropped(order)) return true;
    const why = processes.misses(order, node, port);
    if (why !== null) {
      this.event++;
      this.observer?.lost?.(order, node, now, why, queue.item);
      return true;
    }
    const resumed = processes.resumes(node, now);
    if (resumed === now) return false;
    processes.wait(order, node);
    queue.push(resumed, order, node, port, queue.item);
    return true;
  }

  /** Takes the first timer and lets it expire, unless its node has crashed or is paused. */
  protected fire(timers: TimerQueue): void {
    timers.pop();
    const { node, timer } = timers;
    if (!this.alive(node)) return;
    const resumed = this.processes.resumes(node, this.now);
    if (resumed > this.now) {
      timers.postpone(resumed);
      return;
    }
    const state = this.states[node];
    if (timer === WAKE) {
      if (state === undefined) this.start(node);
      return;
    }
    this.event++;
    this.node = node;
    this.observer?.expired?.(node, timer, this.now);
    this.protocol.expire!(state, timer, this);
    this.finish(node, state);
    this.touched(node);
  }

  protected endRound(node: number): void {
    if (!this.alive(node)) return;
    this.event++;
    this.node = node;
    this.observer?.roundEnded?.(node, this.now);
    this.protocol.endRound!(this.states[node], this.now, this);
    this.finish(node, this.states[node]);
  }

  /** A process ends: stores what its last handler saved. The state changes only in handlers, so it can be read now. */
  protected store(node: number): void {
    const state = this.states[node];
    if (this.storing && state !== undefined) this.processes.store(node, copy(this.protocol.saved!(state)));
  }

  /** A handler has run: save, report, and only then let its effects leave. */
  protected finish(node: number, state: State): void {
    if (this.outbox !== null || this.observer !== undefined) this.settle(node, state);
  }

  private settle(node: number, state: State): void {
    const { observer, now, protocol } = this;
    if (observer?.saved !== undefined && protocol.saved !== undefined) {
      observer.saved(node, now, copy(protocol.saved(state)));
    }
    if (this.outbox === null) {
      observer?.settled?.(node, now, state);
      return;
    }
    observer?.reported?.(node, now, protocol.verdict(state), protocol.report?.(state));
    const effects = this.outbox;
    if (effects.length > 0) this.outbox = [];
    const strike = this.strikes.take(node, now);
    const left = this.releaseUpTo(strike?.sends ?? Infinity, effects);
    observer?.settled?.(node, now, state);
    if (strike !== null) this.struck(strike, left);
  }

  /** Releases effects until `sends` messages have left; returns the rest. */
  protected releaseUpTo(sends: number, effects: Effect[]): Effect[] {
    let sent = 0;
    for (let i = 0; i < effects.length; i++) {
      const effect = effects[i];
      if ((effect.do === "send" || effect.do === "multicast") && sent++ === sends) return effects.slice(i);
      this.release(effect);
    }
    return [];
  }

  /** Messages under way, in no order; only for runs that are stepped. */
  *flying(): Generator<{ flight: number; to: number; due: number; message: unknown }> {
    for (const { time, order, node, item } of (this.queue as EventHeap<unknown>).waiting()) {
      if (!this.processes.wasDropped(order)) yield { flight: order, to: node, due: time, message: item };
    }
  }

  override save(): Restore {
    const states = this.states.map(copy);
    const parts = [super.save(), this.processes.save(), this.strikes.save()];
    const restore = keep(this, ["event"], parts);
    return () => {
      restore();
      this.states = states.map(copy);
    };
  }
}
