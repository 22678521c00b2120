/**
 * One node of an election on a live network: the context over real time, secure draws and other processes. Handlers run
 * to completion. Then what must survive a crash is saved, what the node believes is reported, deadlines that have passed
 * meanwhile are looked at (a disk can take its time), and only then the effects leave.
 */
import { checkMulticast, givenPorts, isGiven, refuseLinks } from "../host/granted.ts";
import { type AnyProtocol, type Context, type Id, type Port, SELF, type Self, type Verdict } from "../protocol.ts";
import { tell } from "../protocols/told.ts";
import { sample } from "../random/subsets.ts";
import type { Topology } from "../topology/topology.ts";
import { Agenda } from "./agenda.ts";
import { type StallReport, StallWatch } from "./stalls.ts";
import type { Store } from "./store.ts";
import type { World } from "./world.ts";

export interface NodeSetup {
  readonly world: World;
  readonly protocol: AnyProtocol;
  /** Resolved, as the protocol's `init` expects them. */
  readonly params: unknown;
  readonly topology: Topology;
  /** This node's number in the topology, and the id of each node. */
  readonly node: number;
  readonly ids: readonly Id[];
  readonly initiator: boolean;
  /** The number of the election, the same at all members. */
  readonly election: number;
  /** Tells this start of the process from its earlier ones. */
  readonly life: number;
  /** Milliseconds to the protocol's unit of time. */
  readonly tau: number;
  /** Milliseconds of standstill that count as a pause. */
  readonly stallLimit: number;
  readonly store: Store;
}

/** The world, as far as a node reaches it. `arrival` is the port at which the receiver gets the message. */
export interface Outbox {
  unicast(to: number, arrival: Port, message: unknown): void;
  multicast(message: unknown): void;
  /** A handler has ended and its state is saved; its effects have not left. */
  reported(verdict: Verdict, report: unknown): void;
  /** They have. */
  released(): void;
  /** A handler has failed; the node has stopped. */
  failed(error: unknown): void;
}

export class LiveNode implements Context<unknown, string> {
  messages = 0;
  bits = 0;
  readonly measures: Record<string, number> = {};
  private readonly setup: NodeSetup;
  private readonly outbox: Outbox;
  private readonly agenda: Agenda;
  private readonly watch: StallWatch;
  private state: unknown;
  private started = false;
  private stopped = false;
  private running = false;
  /** Handlers whose effects have not left: more than one while a deadline comes between. */
  private unreleased = 0;
  private deliveries = 0;
  /** The time at which the present handler runs, for timers that it arms. */
  private moment = 0;
  private effects: (() => void)[] = [];

  constructor(setup: NodeSetup, outbox: Outbox) {
    this.setup = setup;
    this.outbox = outbox;
    for (const name of Object.keys(setup.protocol.measures)) this.measures[name] = 0;
    this.watch = new StallWatch(setup.world, setup.stallLimit);
    this.agenda = new Agenda({
      world: setup.world,
      expire: (timer, moment) => this.run(moment, () => setup.protocol.expire!(this.state, timer, this)),
      deliveries: () => this.deliveries,
      tolerance: setup.stallLimit,
    });
  }

  get hasStarted(): boolean {
    return this.started;
  }

  get stalls(): StallReport {
    return this.watch.report;
  }

  get verdict(): Verdict {
    if (!this.started) return { status: "undecided", leader: null, term: 0 };
    return this.setup.protocol.verdict(this.state);
  }

  /** What the protocol itself keeps for its node; null before the start. */
  get kept(): unknown {
    return this.started ? this.state : null;
  }

  /** Whoever comes first after a standstill calls this first. */
  look(): void {
    this.watch.look();
    this.agenda.fireDeadlines();
  }

  /** Creates the node's state; a node that has started already stays as it is. */
  start(): void {
    if (this.started || this.stopped) return;
    this.started = true;
    const { protocol, params, store, world } = this.setup;
    this.run(world.now(), () => {
      const saved = protocol.saved === undefined ? null : store.load();
      this.state = protocol.init(params, this.self(), saved, this);
    });
  }

  /** A message brings a node into being that had not started. */
  deliver(port: Port, message: unknown): void {
    if (this.stopped) return;
    this.deliveries++;
    this.look();
    this.start();
    this.run(this.setup.world.now(), () => this.setup.protocol.receive(this.state, port, message, this));
  }

  /** Leaves in good order, where the protocol has a way to. */
  leave(): void {
    const { protocol, world } = this.setup;
    if (this.started && protocol.leave !== undefined) {
      this.run(world.now(), () => protocol.leave!(this.state, this));
    }
    this.stop();
  }

  stop(): void {
    this.stopped = true;
    this.agenda.stop();
    this.watch.stop();
  }

  private run(moment: number, handler: () => void): void {
    if (this.running) throw new Error("a handler was called from within another");
    if (this.stopped) return;
    const { protocol, store } = this.setup;
    this.unreleased++;
    try {
      this.running = true;
      this.moment = moment;
      handler();
      if (protocol.saved !== undefined) store.save(protocol.saved(this.state));
      this.running = false;
      this.outbox.reported(protocol.verdict(this.state), protocol.report?.(this.state) ?? null);
      this.agenda.fireDeadlines();
      if (--this.unreleased > 0 || this.stopped) return;
      for (const effect of this.effects.splice(0)) effect();
      this.outbox.released();
    } catch (error) {
      this.stop();
      this.outbox.failed(error);
    }
  }

  private self(): Self {
    const { protocol, params, topology, ids, node, initiator, election, life, world } = this.setup;
    const highest = ids.reduce((a, b) => Math.max(a, b));
    const facts = { id: ids[node], initiator, n: topology.size, highest, election, life, seeds: [] };
    return tell(protocol, params, facts, (p) => world.draws.coin(p));
  }

  /** For the words of errors. */
  get where(): string {
    return `member ${this.setup.ids[this.setup.node]}`;
  }

  get degree(): number {
    return this.setup.topology.degree(this.setup.node);
  }

  ports(): readonly Port[] {
    return givenPorts(this.degree);
  }

  linked(port: Port): boolean {
    return isGiven(port, this.degree);
  }

  link(): Port {
    return refuseLinks(this.setup.protocol);
  }

  unlink(): void {
    refuseLinks(this.setup.protocol);
  }

  address(): string {
    return refuseLinks(this.setup.protocol);
  }

  send(port: Port, message: unknown): void {
    this.count(message);
    const { topology, node } = this.setup;
    if (port === SELF || topology.neighbour(node, port) === node) {
      const arrival = port === SELF ? SELF : topology.arrival(node, port);
      this.effects.push(() => this.setup.world.soon(() => this.deliver(arrival, message)));
    } else {
      this.effects.push(() =>
        this.outbox.unicast(topology.neighbour(node, port), topology.arrival(node, port), message),
      );
    }
  }

  multicast(message: unknown): void {
    checkMulticast(this.setup.protocol);
    this.count(message);
    this.effects.push(() => this.outbox.multicast(message));
  }

  private count(message: unknown): void {
    const { protocol } = this.setup;
    if (protocol.counts?.(message) ?? true) this.messages++;
    this.bits += protocol.bits(message);
  }

  arm(timer: string, min: number, max = min): void {
    const delay = max > min ? min + (max - min) * this.setup.world.draws.uniform() : min;
    this.agenda.set(timer, this.moment + delay * this.setup.tau, false);
  }

  deadline(timer: string, after: number): void {
    this.agenda.set(timer, this.moment + after * this.setup.tau, true);
  }

  disarm(timer: string): void {
    this.agenda.clear(timer);
  }

  choose(n: number): number {
    return this.setup.world.draws.choose(n);
  }

  coin(p: number): boolean {
    return this.setup.world.draws.coin(p);
  }

  sample(k: number, including?: typeof SELF): Port[] {
    const { degree } = this;
    const chooses = (n: number) => this.setup.world.draws.choose(n);
    if (including === undefined) return sample(chooses, k, degree);
    return sample(chooses, k, degree + 1).map((port) => (port === degree ? SELF : port));
  }

  peer(port: Port): Id | null {
    const { protocol, topology, node, ids } = this.setup;
    if (protocol.assumes.identity === "anonymous") return null;
    return ids[port === SELF ? node : topology.neighbour(node, port)];
  }

  /** No oracle here: nobody can know whether it is the first of a group, so everybody acts as if it were. */
  enter(): boolean {
    return true;
  }

  measure(name: string, value: number): void {
    if (this.setup.protocol.measures[name] === "max") this.measures[name] = Math.max(this.measures[name], value);
    else this.measures[name] += value;
  }

  /** Sums over a group cannot be made here: one process sees only its own part. */
  series(): void {}
}
