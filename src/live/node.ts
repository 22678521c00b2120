/**
 * One node of a machine on a live network: the context over real time, secure random numbers and other processes. A handler runs to
 * completion. Then the state that must survive a crash is saved, the report is passed on, deadlines that have passed meanwhile are
 * handled (a disk may be slow), and only then the effects leave.
 */
import { checkMulticast } from "../host/granted.ts";
import {
  type Address,
  type Context,
  type Experiment,
  type Id,
  type Machine,
  type Port,
  SELF,
  type Self,
  type Verdict,
} from "../protocol.ts";
import { sample } from "../random/subsets.ts";
import { Agenda } from "./agenda.ts";
import type { Store } from "./store.ts";
import type { World } from "./world.ts";

/** What a live node can run: a protocol, or a machine alone. */
// biome-ignore lint/suspicious/noExplicitAny: the existential type "some P, S, M, T" has no other spelling in TypeScript
export type Runnable = Machine<any, any, any, any, any, any> &
  // biome-ignore lint/suspicious/noExplicitAny: as above
  Partial<Pick<Experiment<any, any>, "measures" | "candidacy">>;

export interface NodeSetup {
  readonly world: World;
  readonly protocol: Runnable;
  /** Resolved, as the protocol's `init` expects them. */
  readonly params: unknown;
  /** The facts that the node is told when it starts. */
  self(): Self;
  /** The node's owner, for error messages. */
  readonly where: string;
  readonly links: NodeLinks;
  /** Milliseconds to the protocol's unit of time. */
  readonly tau: number;
  /** Timers that are at most this many milliseconds late count as punctual. */
  readonly tolerance: number;
  readonly store: Store;
}

/** The links of a node: what its context says of them, and how messages leave through them. */
export interface NodeLinks extends Pick<Context<unknown>, "degree" | "ports" | "linked" | "unlink" | "address"> {
  link(address: Address): Port;
  peer(port: Port): Id | null;
  /** The label of the i-th link there is. */
  label(index: number): Port;
  /** Calling the result sends, to the peer that was behind the port when this was asked. */
  sending(port: Port, message: unknown): () => void;
  multicasting(message: unknown): () => void;
}

/** What a node tells its owner. */
export interface Outbox {
  /** A handler has ended and its state is saved; its effects have not left. */
  reported(report: unknown): void;
  /** The effects have left. */
  released(): void;
  /** A handler has failed; the node has stopped. */
  failed(error: unknown): void;
}

export class LiveNode implements Context<unknown, string> {
  readonly measures: Record<string, number> = {};
  private readonly setup: NodeSetup;
  private readonly outbox: Outbox;
  private readonly agenda: Agenda;
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
    for (const name of Object.keys(setup.protocol.measures ?? {})) this.measures[name] = 0;
    this.agenda = new Agenda({
      world: setup.world,
      expire: (timer, moment) => this.run(moment, () => setup.protocol.expire!(this.state, timer, this)),
      deliveries: () => this.deliveries,
      tolerance: setup.tolerance,
    });
  }

  /** The protocol's state; null before the start. */
  get kept(): unknown {
    return this.started ? this.state : null;
  }

  /** The verdict of the present state; there is none before the start. */
  get verdict(): Verdict {
    return this.setup.protocol.verdict(this.state);
  }

  /** Milliseconds until a timer of the protocol is due, as the clocks say now (see `Agenda.left`). */
  left(timer: string): number | null {
    return this.agenda.left(timer);
  }

  /** The first caller after a pause calls this first. */
  look(): void {
    this.agenda.fireDeadlines();
  }

  /** Creates the node's state, unless it has started already. */
  start(): void {
    if (this.started || this.stopped) return;
    this.started = true;
    const { protocol, params, self, store, world } = this.setup;
    this.run(world.now(), () => {
      const saved = protocol.saved === undefined ? null : store.load();
      this.state = protocol.init(params, self(), saved, this);
    });
  }

  /** Delivers a message; starts the node if it has not started. */
  deliver(port: Port, message: unknown): void {
    if (this.stopped) return;
    this.deliveries++;
    this.look();
    this.start();
    this.run(this.setup.world.now(), () => this.setup.protocol.receive(this.state, port, message, this));
  }

  /** Leaves gracefully, if the protocol can. */
  leave(): void {
    const { protocol, world } = this.setup;
    this.look();
    if (this.started && protocol.leave !== undefined) {
      this.run(world.now(), () => protocol.leave!(this.state, this));
    }
    this.stop();
  }

  stop(): void {
    this.stopped = true;
    this.agenda.stop();
  }

  private run(moment: number, handler: () => void): void {
    if (this.stopped) return;
    if (this.running) throw new Error("a handler was called from within another");
    const { protocol, store } = this.setup;
    this.unreleased++;
    try {
      this.running = true;
      this.moment = moment;
      handler();
      if (protocol.saved !== undefined) store.save(protocol.saved(this.state));
      this.running = false;
      this.outbox.reported(protocol.report?.(this.state) ?? null);
      this.agenda.fireDeadlines();
      if (--this.unreleased > 0 || this.stopped) return;
      this.release();
      this.outbox.released();
    } catch (error) {
      this.stop();
      this.outbox.failed(error);
    }
  }

  /** Most handlers send nothing. */
  private release(): void {
    const { effects } = this;
    if (effects.length === 0) return;
    this.effects = [];
    for (const effect of effects) effect();
  }

  /** For error messages. */
  get where(): string {
    return this.setup.where;
  }

  get degree(): number {
    return this.setup.links.degree;
  }

  ports(): readonly Port[] {
    return this.setup.links.ports();
  }

  linked(port: Port): boolean {
    return this.setup.links.linked(port);
  }

  link(address: Address): Port {
    return this.setup.links.link(address);
  }

  unlink(port: Port): void {
    this.setup.links.unlink(port);
  }

  address(port: Port): Address {
    return this.setup.links.address(port);
  }

  send(port: Port, message: unknown): void {
    const { links, world } = this.setup;
    this.effects.push(
      port === SELF ? () => world.soon(() => this.deliver(SELF, message)) : links.sending(port, message),
    );
  }

  multicast(message: unknown): void {
    checkMulticast(this.setup.protocol);
    this.effects.push(this.setup.links.multicasting(message));
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
    const { links, world } = this.setup;
    const { degree } = links;
    const urn = including === undefined ? degree : degree + 1;
    return sample((n) => world.draws.choose(n), k, urn).map((i) => (i === degree ? SELF : links.label(i)));
  }

  peer(port: Port): Id | null {
    const { protocol, links } = this.setup;
    return protocol.assumes.identity === "anonymous" ? null : links.peer(port);
  }

  /** No node can know whether it is the first of a group, so each acts as if it were. */
  enter(): boolean {
    return true;
  }

  measure(name: string, value: number): void {
    if (this.setup.protocol.measures?.[name] === "max") this.measures[name] = Math.max(this.measures[name], value);
    else this.measures[name] += value;
  }

  /** Not counted: one process cannot sum over a group. */
  series(): void {}
}
