/**
 * The context of handlers in the simulated world, and how their effects leave. Effects leave at once, or wait until the handler has run if
 * anything can come between: stepping, a watched report, or a planned crash between saving and sending. Other runs do not pay for that. The
 * draws are the same.
 */
import { InputError } from "../errors.ts";
import { type Address, type AnyProtocol, type Context, type Id, type Port, SELF } from "../protocol.ts";
import { HostStream, NodeStreams } from "../random/streams.ts";
import { bernoulliSubset, sample } from "../random/subsets.ts";
import type { Topology } from "../topology/topology.ts";
import { CongestCheck } from "./congest.ts";
import type { FaultPlan } from "./faults/faults.ts";
import type { MessageFaults } from "./faults/message-faults.ts";
import { checkMulticast, givenPorts, isGiven, refuseLinks } from "./granted.ts";
import type { Observer } from "./observer.ts";
import { NOBODY, OpenLinks } from "./open-links.ts";
import { EventQueue } from "./queues/agenda.ts";
import { EventFifo } from "./queues/fifo.ts";
import { EventHeap } from "./queues/heap.ts";
import { EventLadder } from "./queues/ladder.ts";
import { LookAhead } from "./queues/look-ahead.ts";
import { TimerQueue } from "./queues/timers.ts";
import { defaultMostMessages, type Setup } from "./setup.ts";
import { keep, type Restore } from "./stepping/frames.ts";
import { RunTally } from "./tally.ts";

type Message = unknown;

/** An effect of a handler that has not left yet. */
export type Effect =
  | { readonly do: "send"; readonly port: Port; readonly to: number; readonly message: Message }
  | {
      readonly do: "multicast";
      readonly ports: readonly Port[];
      readonly to: readonly number[];
      readonly message: Message;
    }
  | { readonly do: "arm"; readonly timer: string; readonly min: number; readonly max: number }
  | { readonly do: "deadline"; readonly timer: string; readonly after: number }
  | { readonly do: "disarm"; readonly timer: string };

export abstract class SimulatedContext implements Context<Message, string> {
  /** The present: a round, or virtual time. */
  protected now = 0;
  /** The node whose handler is running. */
  protected node = 0;
  /** Flights so far: messages that were put on their way. */
  protected flights = 0;
  /** The effects of the running handler; null if effects leave at once. */
  protected outbox: Effect[] | null = null;
  /** States by node; an untouched node has none. */
  protected states: unknown[];
  protected readonly setup: Setup;
  protected readonly protocol: AnyProtocol;
  protected readonly observer: Observer | undefined;
  protected readonly topology: Topology;
  protected readonly open: OpenLinks | null;
  protected readonly faults: MessageFaults;
  protected readonly queue: EventFifo<Message> | EventLadder<Message> | EventHeap<Message>;
  protected readonly ahead: LookAhead | null;
  protected readonly timers = new TimerQueue();
  protected readonly deadlines = new TimerQueue();
  protected readonly agenda = new EventQueue();
  protected readonly tally: RunTally;
  private readonly rates: Float64Array | null;
  private readonly nodeDraws: NodeStreams;
  private readonly timerDraws: HostStream;
  private readonly crashDraws: HostStream;
  private readonly chooses = (n: number) => this.choose(n);
  private readonly counts: ((message: Message) => boolean) | undefined;
  private readonly congest: CongestCheck | null;
  /** Whether messages are neither watched nor repeated, and cross one link each: the common case, which stays fast. */
  private readonly plain: boolean;
  private readonly mostFlights: number;
  private entered = 0;

  /** `monotone`: messages are posted in the order of their arrival, and none is put back. */
  constructor(setup: Setup, faults: MessageFaults, monotone: boolean, lockstep: boolean, steps: boolean) {
    const { protocol, topology, seed, trial } = setup;
    this.setup = setup;
    this.protocol = protocol;
    this.observer = setup.observer;
    this.topology = topology;
    this.states = new Array(topology.size);
    this.mostFlights = setup.mostMessages ?? defaultMostMessages(topology.size);
    this.faults = faults;
    this.open = protocol.assumes.topology === "open" ? new OpenLinks(topology.size) : null;
    const ahead = LookAhead.over(this.states);
    this.ahead = ahead;
    this.queue = steps ? new EventHeap() : monotone ? new EventFifo(ahead) : new EventLadder(ahead);
    this.tally = new RunTally(protocol.measures);
    this.plain =
      this.open === null && topology.hops === undefined && this.observer === undefined && !faults.duplicating;
    this.rates = clockRates(setup.faults, topology.size, seed, trial);
    this.nodeDraws = new NodeStreams(seed, trial, topology.size);
    this.timerDraws = new HostStream(seed, trial, "timers");
    this.crashDraws = new HostStream(seed, trial, "crashes");
    this.counts = protocol.counts?.bind(protocol);
    this.congest = lockstep && protocol.assumes.congest === true ? new CongestCheck(topology) : null;
  }

  /** When a message that leaves now will arrive; a duplicate draws its delay from another stream. */
  protected abstract arrival(from: number, port: Port, to: number, copy: boolean): number;

  /** The delay of a timer, drawn from a range. */
  protected abstract delay(draws: HostStream, min: number, max: number): number;

  /** The first instant of the host's time at or after `time`. */
  protected abstract instant(time: number): number;

  /** Handlers of custom protocols are checked more closely in simulations than in live use. */
  readonly virtual = "simulated";

  /** For error messages. */
  get where(): string {
    return `node ${this.node} at time ${this.now}`;
  }

  get degree(): number {
    return this.open === null ? this.topology.degree(this.node) : this.open.degree(this.node);
  }

  ports(): readonly Port[] {
    return this.open === null ? givenPorts(this.degree) : this.open.ports(this.node);
  }

  linked(port: Port): boolean {
    return this.open === null ? isGiven(port, this.degree) : this.open.has(this.node, port);
  }

  link(address: Address): Port {
    return this.open === null ? refuseLinks(this.protocol) : this.open.link(this.node, address);
  }

  unlink(port: Port): void {
    if (this.open === null) refuseLinks(this.protocol);
    else this.open.unlink(this.node, port);
  }

  address(port: Port): Address {
    return this.open === null ? refuseLinks(this.protocol) : this.open.address(this.node, port);
  }

  send(port: Port, message: Message): void {
    const to = this.behind(port);
    if (this.outbox === null) this.post(port, to, message);
    else this.outbox.push({ do: "send", port, to, message });
  }

  multicast(message: Message): void {
    checkMulticast(this.protocol);
    if (this.outbox !== null) {
      const ports = this.ports();
      this.outbox.push({ do: "multicast", ports, to: ports.map((port) => this.behind(port)), message });
      return;
    }
    this.count(message);
    if (this.open !== null) for (const port of this.ports()) this.carry(port, this.behind(port), message, true);
    else for (let port = 0; port < this.degree; port++) this.carry(port, this.behind(port), message, true);
  }

  arm(timer: string, min: number, max = min): void {
    if (this.outbox === null) this.setTimer(timer, min, max);
    else this.outbox.push({ do: "arm", timer, min, max });
  }

  deadline(timer: string, after: number): void {
    if (this.outbox === null) this.setDeadline(timer, after);
    else this.outbox.push({ do: "deadline", timer, after });
  }

  disarm(timer: string): void {
    if (this.outbox === null) this.unset(timer);
    else this.outbox.push({ do: "disarm", timer });
  }

  choose(n: number): number {
    this.nodeDraws.node = this.node;
    return this.nodeDraws.choose(n);
  }

  coin(p: number): boolean {
    this.nodeDraws.node = this.node;
    return this.nodeDraws.coin(p);
  }

  sample(k: number, including?: typeof SELF): Port[] {
    const degree = this.degree;
    const urn = including === undefined ? degree : degree + 1;
    const drawn = this.topology.sample?.(this.node, k, including !== undefined, this.chooses);
    const indices = drawn ?? sample(this.chooses, k, urn);
    if (this.open === null && urn === degree) return indices;
    const labels = this.open?.ports(this.node);
    return indices.map((index) => (index === degree ? SELF : (labels?.[index] ?? index)));
  }

  peer(port: Port): Id | null {
    const to = this.behind(port);
    return to === NOBODY ? null : (this.setup.ids?.[to] ?? null);
  }

  enter(round: number, after: number): boolean {
    if (round <= this.entered) return false;
    this.entered = round;
    if (this.protocol.crash === "round") {
      const failed = bernoulliSubset(this.crashDraws, this.topology.size, this.setup.faults.crash);
      for (const node of failed) this.agenda.add(this.instant(this.now + after), { do: "crash", node });
    }
    return true;
  }

  measure(name: string, value: number): void {
    this.tally.measure(name, value);
  }

  series(name: string, round: number, value: number): void {
    this.tally.addToSeries(name, round, value);
  }

  /** Releases an effect of the present node. */
  protected release(effect: Effect): void {
    switch (effect.do) {
      case "send":
        this.post(effect.port, effect.to, effect.message);
        break;
      case "multicast":
        this.count(effect.message);
        for (const [i, port] of effect.ports.entries()) this.carry(port, effect.to[i], effect.message, true);
        break;
      case "arm":
        this.setTimer(effect.timer, effect.min, effect.max);
        break;
      case "deadline":
        this.setDeadline(effect.timer, effect.after);
        break;
      case "disarm":
        this.unset(effect.timer);
    }
  }

  save(): Restore {
    return keep(
      this,
      ["now", "node", "flights", "outbox", "entered"],
      [
        this.open,
        this.faults,
        this.queue as EventHeap<Message>,
        this.timers,
        this.deadlines,
        this.agenda,
        this.tally,
        this.nodeDraws,
        this.timerDraws,
        this.crashDraws,
        this.congest,
      ].flatMap((part) => part?.save() ?? []),
    );
  }

  /** The node behind a port of the present node; NOBODY if an address belongs to no node. */
  private behind(port: Port): number {
    if (port === SELF) return this.node;
    return this.open === null ? this.topology.neighbour(this.node, port) : this.open.neighbour(this.node, port);
  }

  private post(port: Port, to: number, message: Message): void {
    const bits = this.count(message);
    this.congest?.sent(this.node, port, this.now, bits);
    this.carry(port, to, message, false);
  }

  private count(message: Message): number {
    if (this.counts === undefined || this.counts(message)) this.tally.messages++;
    const bits = this.protocol.bits(message);
    this.tally.bits += bits;
    return bits;
  }

  private carry(port: Port, to: number, message: Message, multicast: boolean): void {
    if (!this.plain || !this.faults.reliable) this.carryWatched(port, to, message, multicast);
    else this.fly(port, to, message, false);
  }

  private carryWatched(port: Port, to: number, message: Message, multicast: boolean): void {
    const { node: from, faults, topology, now } = this;
    if (topology.hops !== undefined) this.tally.hops += topology.hops(from, to);
    if (to === NOBODY || (!faults.reliable && faults.loses(from, to, multicast, now))) {
      this.observer?.sent?.(null, from, to, message, now, multicast);
      this.observer?.lost?.(null, to, now, to === NOBODY ? "nobody" : "loss", message);
      return;
    }
    this.observer?.sent?.(this.flights, from, to, message, now, multicast);
    this.fly(port, to, message, false);
    // What a node sends to itself does not cross the network.
    if (faults.duplicating && port !== SELF && faults.duplicates(from, to, multicast, now)) {
      this.observer?.duplicated?.(this.flights, this.flights - 1, to, now);
      this.fly(port, to, message, true);
    }
  }

  private fly(port: Port, to: number, message: Message, copy: boolean): void {
    const from = this.node;
    if (this.flights >= this.mostFlights) throw this.endless();
    // On an open network the receiver finds out on arrival which of its ports that is.
    const inbound = port === SELF ? SELF : this.open !== null ? from : this.topology.arrival(from, port);
    this.queue.push(this.arrival(from, port, to, copy), this.flights++, to, inbound, message);
  }

  /** The error at the limit of events: without it, duplicates of duplicates or an endless protocol would fill the memory. */
  private endless(): InputError {
    const { protocol, mostFlights, now } = this;
    const { seed, trial } = this.setup;
    const at = Number(now.toPrecision(6));
    return new InputError(
      (name) =>
        `trial ${trial} of ${protocol.name} with seed ${seed} has sent ${mostFlights} messages by time ${at} and has not ended: set ${name("until")}, or raise ${name("mostMessages")}`,
    );
  }

  private setTimer(timer: string, min: number, max: number): void {
    this.deadlines.disarm(this.node, timer);
    const delay = this.delay(this.timerDraws, min, max);
    this.timers.arm(this.node, timer, this.now + (this.rates === null ? delay : delay / this.rates[this.node]));
  }

  private setDeadline(timer: string, after: number): void {
    this.timers.disarm(this.node, timer);
    const delay = this.rates === null ? after : after / this.rates[this.node];
    this.deadlines.arm(this.node, timer, this.instant(this.now + delay));
  }

  private unset(timer: string): void {
    this.timers.disarm(this.node, timer);
    this.deadlines.disarm(this.node, timer);
  }
}

// How fast the clock of each node runs.

/** The rate of each node's clock; null if all run alike. */
function clockRates(plan: FaultPlan, size: number, seed: number, trial: number): Float64Array | null {
  const { clocks = [], drift = 0 } = plan;
  if (clocks.length === 0 && drift === 0) return null;
  const draws = new HostStream(seed, trial, "clocks");
  const rates = Float64Array.from({ length: size }, () => 1 + drift * (2 * draws.uniform() - 1));
  for (const { node, rate } of clocks) rates[node] = rate;
  return rates;
}
