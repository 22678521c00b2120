/**
 * What the simulating hosts have in common: nodes and their states, draws, counters, messages and timers on their way,
 * faults, and the verdicts at the end. A host adds how time passes.
 */
import { type AnyProtocol, type Census, type Context, type Id, type Port, SELF } from "../protocol.ts";
import { HostStream, NodeStreams } from "../random/streams.ts";
import { bernoulliSubset, sample } from "../random/subsets.ts";
import type { Topology } from "../topology/topology.ts";
import { CongestCheck } from "./congest.ts";
import { FaultModel } from "./faults.ts";
import { EventFifo } from "./fifo.ts";
import { checkMulticast, givenPorts, refuseLinks } from "./granted.ts";
import { EventHeap } from "./heap.ts";
import type { Observer } from "./observer.ts";
import type { Result, Setup } from "./setup.ts";
import { TimerQueue } from "./timers.ts";
import { drawWakes } from "./wakes.ts";

/** The host's own timer of a node that is paused when it should start. */
const WAKE = "(wake)";

type Message = unknown;
type State = unknown;

export abstract class Stage implements Context<Message, string> {
  /** The present: a round, or virtual time. */
  protected now = 0;
  /** The node whose handler is running. */
  protected node = 0;
  protected readonly protocol: AnyProtocol;
  protected readonly faults: FaultModel;
  protected readonly timers = new TimerQueue();
  protected readonly deadlines = new TimerQueue();
  protected readonly states: State[];
  protected readonly queue: EventFifo<Message> | EventHeap<Message>;
  private lastDelivery = 0;
  private sent = 0;
  protected readonly observer: Observer | undefined;
  private readonly setup: Setup;
  private readonly topology: Topology;
  private readonly nodeDraws: NodeStreams;
  private readonly timerDraws: HostStream;
  private readonly chooses = (n: number) => this.choose(n);
  private candidates: Set<number> | null = null;
  private wakes: ((node: number) => number) | null = null;
  private readonly congest: CongestCheck | null;
  private hops = 0;
  private readonly initiators: Set<number> | null;
  private readonly highest: Id | null;
  private readonly election: number | null;
  private readonly crashDraws: HostStream;
  private entered = 0;
  private readonly population: number;
  private readonly reliable: boolean;
  private readonly counts: ((message: Message) => boolean) | undefined;
  private messages = 0;
  private bits = 0;
  private readonly measures: Record<string, number> = {};
  private readonly seriesByName: Record<string, number[]> = {};
  private readonly until: number;
  private cut = false;

  /** `ordered`: messages are posted in the order of their arrival. */
  constructor(setup: Setup, ordered: boolean) {
    const { protocol, topology, ids, seed, trial } = setup;
    this.setup = setup;
    this.observer = setup.observer;
    this.until = setup.until ?? Infinity;
    this.protocol = protocol;
    this.topology = topology;
    this.states = new Array(topology.size);
    this.nodeDraws = new NodeStreams(seed, trial);
    this.timerDraws = new HostStream(seed, trial, "timers");
    this.faults = new FaultModel(setup.faults, setup.crashed, new HostStream(seed, trial, "losses"));
    this.reliable = this.faults.reliable;
    this.counts = protocol.counts?.bind(protocol);
    this.congest = ordered && protocol.assumes.congest === true ? new CongestCheck(topology) : null;
    // A pause puts events back, out of order.
    this.queue = ordered && !this.faults.hasPauses ? new EventFifo() : new EventHeap();
    this.initiators = setup.initiators === null ? null : new Set(setup.initiators);
    // The overlay ring closes over processes that had crashed, so its size is what a ring protocol may know.
    this.population = topology.name === "ring" ? topology.size - setup.crashed.length : topology.size;
    this.highest =
      ids !== null && protocol.assumes.knows.includes("highest") ? ids.reduce((a, b) => Math.max(a, b)) : null;
    this.election = protocol.assumes.knows.includes("election")
      ? new HostStream(seed, trial, "election").choose(2 ** 53)
      : null;
    this.crashDraws = new HostStream(seed, trial, "crashes");
    for (const name of Object.keys(protocol.measures)) this.measures[name] = 0;
  }

  /** When a message that leaves `node` through `port` now will arrive. */
  protected abstract arrival(node: number, port: Port): number;

  /** The delay of a timer, drawn from a range. */
  protected abstract delay(draws: HostStream, min: number, max: number): number;

  /** The first instant of the host's time at or after `time`. */
  protected abstract instant(time: number): number;

  /** For the words of errors. */
  get where(): string {
    return `node ${this.node} at time ${this.now}`;
  }

  get degree(): number {
    return this.topology.degree(this.node);
  }

  ports(): readonly Port[] {
    return givenPorts(this.degree);
  }

  link(): Port {
    return refuseLinks(this.protocol);
  }

  unlink(): void {
    refuseLinks(this.protocol);
  }

  address(): string {
    return refuseLinks(this.protocol);
  }

  send(port: Port, message: Message): void {
    const bits = this.count(message);
    this.congest?.sent(this.node, port, this.now, bits);
    this.carry(port, message, false);
  }

  multicast(message: Message): void {
    checkMulticast(this.protocol);
    this.count(message);
    for (let port = 0; port < this.degree; port++) this.carry(port, message, true);
  }

  private count(message: Message): number {
    if (this.counts === undefined || this.counts(message)) this.messages++;
    const bits = this.protocol.bits(message);
    this.bits += bits;
    return bits;
  }

  private carry(port: Port, message: Message, multicast: boolean): void {
    const from = this.node;
    const to = port === SELF ? from : this.topology.neighbour(from, port);
    if (this.topology.hops !== undefined) this.hops += this.topology.hops(from, to);
    if (!this.reliable && this.faults.loses(from, to, multicast, this.now)) {
      this.observer?.sent(null, from, to, message, this.now);
      this.observer?.lost(null, to, this.now, "loss");
      return;
    }
    const inbound = port === SELF ? SELF : this.topology.arrival(from, port);
    this.observer?.sent(this.sent, from, to, message, this.now);
    this.queue.push(this.arrival(from, port), this.sent++, to, inbound, message);
  }

  arm(timer: string, min: number, max = min): void {
    this.disarm(timer);
    this.timers.arm(this.node, timer, this.now + this.delay(this.timerDraws, min, max));
  }

  deadline(timer: string, after: number): void {
    this.disarm(timer);
    this.deadlines.arm(this.node, timer, this.instant(this.now + after));
  }

  disarm(timer: string): void {
    this.timers.disarm(this.node, timer);
    this.deadlines.disarm(this.node, timer);
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
    if (this.topology.sample !== undefined) {
      const ports = this.topology.sample(this.node, k, including !== undefined, this.chooses);
      return ports.map((port) => (port === degree ? SELF : port));
    }
    if (including === undefined) return sample(this.chooses, k, degree);
    return sample(this.chooses, k, degree + 1).map((port) => (port === degree ? SELF : port));
  }

  peer(port: Port): Id | null {
    if (this.setup.ids === null) return null;
    return this.setup.ids[port === SELF ? this.node : this.topology.neighbour(this.node, port)];
  }

  enter(round: number, after: number): boolean {
    if (round <= this.entered) return false;
    this.entered = round;
    if (this.protocol.crash === "round") {
      const failed = bernoulliSubset(this.crashDraws, this.topology.size, this.setup.faults.crash);
      for (const node of failed) {
        this.faults.crash(node, this.now + after);
        this.observer?.failing?.(node, this.now + after);
      }
    }
    return true;
  }

  measure(name: string, value: number): void {
    if (this.protocol.measures[name] === "max") this.measures[name] = Math.max(this.measures[name], value);
    else this.measures[name] += value;
  }

  series(name: string, round: number, value: number): void {
    this.seriesByName[name] ??= [];
    const sums = this.seriesByName[name];
    while (sums.length < round) sums.push(0);
    sums[round - 1] += value;
  }

  /** Creates the nodes that start on their own, in the order of their numbers. */
  protected begin(): void {
    const { protocol, topology, setup } = this;
    if (protocol.candidacy !== undefined) {
      const p = protocol.candidacy(setup.params, topology.size);
      const drawn = bernoulliSubset(new HostStream(setup.seed, setup.trial, "candidates"), topology.size, p);
      this.candidates = new Set(drawn.filter((node) => this.initiators === null || this.initiators.has(node)));
    }
    const schedule = protocol.wakes?.(setup.params) ?? null;
    if (schedule !== null) {
      const source = new HostStream(setup.seed, setup.trial, "wakes");
      this.wakes = drawWakes(schedule, this.candidates, topology.size, source);
    }
    const starters =
      protocol.assumes.start === "common" ? null : this.candidates !== null ? [...this.candidates] : setup.initiators;
    if (starters !== null) for (const node of starters) this.start(node);
    else for (let node = 0; node < topology.size; node++) this.start(node);
  }

  private start(node: number): void {
    if (this.faults.dead(node, 0)) return;
    const resumed = this.faults.resumes(node, 0);
    if (resumed > 0) this.timers.arm(node, WAKE, this.instant(resumed));
    else this.create(node);
  }

  private create(node: number): State {
    const { ids } = this.setup;
    const { knows } = this.protocol.assumes;
    this.node = node;
    this.observer?.started(node, this.now);
    const state = this.protocol.init(
      this.setup.params,
      {
        id: ids === null ? null : small(ids[node]),
        initiator: this.initiators === null || this.initiators.has(node),
        candidate: this.candidates?.has(node) ?? false,
        ...(this.wakes === null ? {} : { wake: this.wakes(node) }),
        n: knows.includes("n") ? this.population : null,
        highest: this.highest,
        election: this.election,
        life: 0,
        role: "member",
        seeds: [],
      },
      null,
      this,
    );
    this.states[node] = state;
    this.observer?.settled(node, this.now, state);
    return state;
  }

  /** Takes the first message off the queue and hands it over; a node that nothing has touched comes into being now. */
  protected deliver(): void {
    const { queue, faults, now } = this;
    queue.pop();
    const { node } = queue;
    if (faults.hasCrashes && faults.dead(node, now)) {
      this.observer?.lost(queue.order, node, now, "crash");
      return;
    }
    if (faults.hasPauses) {
      const resumed = faults.resumes(node, now);
      if (resumed > now) {
        queue.push(this.instant(resumed), queue.order, node, queue.port, queue.item);
        return;
      }
    }
    this.lastDelivery = now;
    const state = this.states[node] ?? this.create(node);
    this.node = node;
    this.observer?.delivered(queue.order, node, queue.item, now);
    this.protocol.receive(state, queue.port, queue.item, this);
    this.observer?.settled(node, now, state);
    this.touched(node);
  }

  /** Takes the first timer and lets it expire, unless its node has crashed or is paused. */
  protected fire(timers: TimerQueue): void {
    timers.pop();
    const { node } = timers;
    if (this.faults.dead(node, this.now)) return;
    const resumed = this.faults.hasPauses ? this.faults.resumes(node, this.now) : this.now;
    if (resumed > this.now) {
      timers.postpone(this.instant(resumed));
      return;
    }
    if (timers.timer === WAKE) {
      if (this.states[node] === undefined) this.create(node);
      return;
    }
    this.node = node;
    this.observer?.expired(node, timers.timer, this.now);
    this.protocol.expire!(this.states[node], timers.timer, this);
    this.observer?.settled(node, this.now, this.states[node]);
    this.touched(node);
  }

  /** Moves the clock to the first thing that is left to happen; false where nothing is, or only after the horizon. */
  protected goOn(next: number): boolean {
    if (next === Infinity) return false;
    this.cut = next > this.until;
    this.now = Math.min(next, this.until);
    return !this.cut;
  }

  /** Told of each node that had a message or a timer. */
  protected touched(_node: number): void {}

  /** Reads every live node's verdict. `unit` turns the host's time into the result's. */
  result(unit: number): Result {
    const census = this.census();
    return {
      messages: this.messages,
      bits: this.bits,
      time: inUnits(this.lastDelivery, unit),
      census,
      measures: this.topology.hops === undefined ? this.measures : { ...this.measures, hops: this.hops },
      series: this.seriesByName,
      ...(this.cut ? { cut: true } : {}),
    };
  }

  private census(): Census {
    const { faults, setup, topology } = this;
    const count = { elected: 0, "not-elected": 0, undecided: 0 };
    const leaders: (Id | null)[] = [];
    const beliefs = new Map<Id | null, number>();
    // Most name the same leader as the one before them: counted together, they cost the map nothing.
    let believed: Id | null = null;
    let alike = 0;
    for (let node = 0; node < topology.size; node++) {
      if (faults.hasCrashes && faults.dead(node, this.now)) continue;
      const { status, leader } = this.protocol.verdict(this.states[node] ?? this.create(node));
      count[status]++;
      if (leader !== believed) {
        if (alike > 0) beliefs.set(believed, (beliefs.get(believed) ?? 0) + alike);
        believed = leader;
        alike = 0;
      }
      alike++;
      if (status === "elected") leaders.push(setup.ids === null ? null : setup.ids[node]);
    }
    if (alike > 0) beliefs.set(believed, (beliefs.get(believed) ?? 0) + alike);
    return {
      alive: count.elected + count["not-elected"] + count.undecided,
      elected: count.elected,
      notElected: count["not-elected"],
      undecided: count.undecided,
      beliefs,
      leaders,
    };
  }
}

/** Delays such as 0.1 add up with rounding errors: a whole number of steps is given as one. */
function inUnits(time: number, unit: number): number {
  const steps = time / unit;
  return Math.abs(steps - Math.round(steps)) < 1e-9 * steps ? Math.round(steps) : steps;
}

/** The same number, held by V8 as a small integer where it is one: a boxed double would be one more cache miss a message. */
function small(value: number): number {
  const integer = value | 0;
  return integer === value ? integer : value;
}
