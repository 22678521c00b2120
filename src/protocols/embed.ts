/**
 * A child protocol inside a parent: `embed` gives the context in which the child's handlers run. The child cannot tell it
 * from a host's, and the parent's own context carries everything it does: messages wrapped, timers and measures under
 * the child's name, links in a numbering of its own. A child can be a parent in its turn.
 */
import type { Address, Assumptions, Context, Id, Port } from "../protocol.ts";
import { SELF } from "../protocol.ts";
import { sample } from "../random/subsets.ts";

/** How a child's requests leave through its parent. */
export interface Embedding<M, Outer> {
  /** Names the child within its parent; stands before its timers and measures: "child/tick". */
  readonly name: string;
  /**
   * Tells a child from those that had its name before. It stands in the names of timers ("term#7/tick"), so that the parent
   * can refuse what a child that has ended left behind; messages need it in what the parent wraps them in.
   */
  readonly generation?: number;
  /** Makes one of the parent's messages out of one of the child's... */
  wrap?(message: M): Outer;
  /** ...or sends it in a way of the parent's own, through that port of the parent; a multicast is then sent to each neighbour. */
  send?(port: Port, message: M): void;
  /**
   * The only links that the child sees, for as long as it lives: its port i is the parent's ports[i]. Its multicasts go to
   * these, one by one, and it makes and ends no links; what it sends over one that its parent has ended is lost. Where
   * missing, it sees the parent's links as they are.
   */
  readonly ports?: readonly Port[];
  /** With `ports`: the ids behind them, where the child's are not the parent's. */
  readonly ids?: readonly (Id | null)[];
  /** Told of a link that the child has ended. */
  unlinked?(port: Port): void;
  /** `own`: measures and series keep their names, as those of a wrapper's only child may. */
  readonly measures?: "own";
  /** For a parent that keeps its child's time. */
  readonly timers?: Timers;
}

type Timers = Pick<Context<never, string>, "arm" | "deadline" | "disarm">;

interface Asking {
  readonly name: string;
  readonly assumes: Pick<Assumptions, "multicast">;
}

/** The context for a child's handlers, during one handler of its parent. */
export function embed<M, T extends string, Outer>(
  child: Asking,
  ctx: Context<Outer, string>,
  embedding: Embedding<M, Outer>,
): Context<M, T> {
  return new Embedded(child, ctx, embedding);
}

/** The child's own name of a timer that has expired; null where it is not that child's, or not that generation's. */
export function childTimer<T extends string>(timer: string, name: string, generation?: number): T | null {
  if (!timer.startsWith(name)) return null;
  const prefix = timerPrefix(name, generation);
  return timer.startsWith(prefix) ? (timer.slice(prefix.length) as T) : null;
}

/** The child's own label of a port of its parent, where it sees only `ports`; null where that is none of them. */
export function childPort(port: Port, ports: readonly Port[]): Port | null {
  const label = port === SELF ? SELF : ports.indexOf(port);
  return label < 0 && port !== SELF ? null : label;
}

/** A child's measures as its parent has to declare them. */
export function childMeasures<How>(name: string, measures: Readonly<Record<string, How>>): Record<string, How> {
  return Object.fromEntries(Object.entries(measures).map(([measure, how]) => [`${name}/${measure}`, how]));
}

const timerPrefix = (name: string, generation?: number) =>
  generation === undefined ? `${name}/` : `${name}#${generation}/`;

class Embedded<M, Outer> implements Context<M, string> {
  private readonly child: Asking;
  private readonly outer: Context<Outer, string>;
  private readonly embedding: Embedding<M, Outer>;

  constructor(child: Asking, outer: Context<Outer, string>, embedding: Embedding<M, Outer>) {
    this.child = child;
    this.outer = outer;
    this.embedding = embedding;
  }

  /** For the words of errors. */
  get where(): string | undefined {
    return (this.outer as { readonly where?: string }).where;
  }

  get degree(): number {
    return this.embedding.ports?.length ?? this.outer.degree;
  }

  linked(port: Port): boolean {
    const { ports } = this.embedding;
    return ports === undefined || port === SELF ? this.outer.linked(port) : port in ports;
  }

  ports(): readonly Port[] {
    return this.embedding.ports?.map((_, port) => port) ?? this.outer.ports();
  }

  send(port: Port, message: M): void {
    this.carry(this.outside(port), message);
  }

  multicast(message: M): void {
    const { ports, wrap, send } = this.embedding;
    if (!this.child.assumes.multicast) {
      throw new Error(`${this.child.name} multicasts, but does not assume that it can: set assumes.multicast`);
    }
    if (ports === undefined && send === undefined) this.outer.multicast(wrap!(message));
    else for (const port of ports ?? this.outer.ports()) this.carry(port, message);
  }

  arm(timer: string, min: number, max?: number): void {
    this.timers.arm(this.named(timer), min, max);
  }

  deadline(timer: string, after: number): void {
    this.timers.deadline(this.named(timer), after);
  }

  disarm(timer: string): void {
    this.timers.disarm(this.named(timer));
  }

  choose(n: number, order?: string): number {
    return this.outer.choose(n, order);
  }

  coin(p: number): boolean {
    return this.outer.coin(p);
  }

  /** Of a view: as a host draws on a graph of that degree. */
  sample(k: number, including?: typeof SELF): Port[] {
    const { ports } = this.embedding;
    if (ports === undefined) return this.outer.sample(k, including);
    const urn = ports.length + (including === undefined ? 0 : 1);
    return this.subset(k, urn).map((port) => (port === ports.length ? SELF : port));
  }

  subset(k: number, of: number): number[] {
    return this.outer.subset?.(k, of) ?? sample((n) => this.outer.choose(n), k, of);
  }

  peer(port: Port): Id | null {
    const { ids } = this.embedding;
    const outside = this.outside(port);
    return ids === undefined || port === SELF ? this.outer.peer(outside) : ids[port];
  }

  link(address: Address): Port {
    return this.links().link(address);
  }

  unlink(port: Port): void {
    this.links().unlink(port);
    this.embedding.unlinked?.(port);
  }

  address(port: Port): Address {
    return this.links().address(port);
  }

  enter(round: number, after: number): boolean {
    return this.outer.enter(round, after);
  }

  measure(name: string, value: number): void {
    this.outer.measure(this.measured(name), value);
  }

  series(name: string, round: number, value: number): void {
    this.outer.series(this.measured(name), round, value);
  }

  private carry(port: Port, message: M): void {
    const { ports, wrap, send } = this.embedding;
    if (ports !== undefined && !this.outer.linked(port)) return;
    if (send !== undefined) send(port, message);
    else this.outer.send(port, wrap!(message));
  }

  /** The parent's port. */
  private outside(port: Port): Port {
    const { ports } = this.embedding;
    if (ports === undefined || port === SELF) return port;
    if (port in ports) return ports[port];
    throw new Error(`${this.child.name} has no port ${port}: it has ${ports.length}`);
  }

  private get timers(): Timers {
    return this.embedding.timers ?? this.outer;
  }

  private named(timer: string): string {
    const { timers, name, generation } = this.embedding;
    return timers === undefined ? timerPrefix(name, generation) + timer : timer;
  }

  private measured(name: string): string {
    return this.embedding.measures === "own" ? name : `${this.embedding.name}/${name}`;
  }

  private links(): Context<Outer, string> {
    if (this.embedding.ports === undefined) return this.outer;
    throw new Error(`${this.child.name} handles links by address, but it runs on a fixed view of its parent's links`);
  }
}
