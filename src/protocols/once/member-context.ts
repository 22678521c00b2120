/**
 * The context of the protocol inside a one-shot election: ports of the given topology over links by address, time in tau,
 * messages that name election and roster. Made for one handler.
 */
import { type AnyProtocol, type Context, type Id, type Port, SELF } from "../../protocol.ts";
import { sample } from "../../random/subsets.ts";
import { rumourTargets } from "../../theory/gupta/rumour.ts";
import type { Agreement, ElectionMessage, OnceContext, OnceState, OnceTurn } from "./state.ts";

/** What the timers of the protocol begin with. */
export const CHILD_TIMER = "child/";

export class MemberContext implements Context<unknown, string> {
  /** Whether a message of the protocol has left. */
  hasSpoken = false;
  private readonly agreed: Agreement;
  private readonly child: AnyProtocol;
  private readonly state: OnceState;
  private readonly ctx: OnceContext;

  constructor({ setup, state, ctx }: OnceTurn) {
    this.agreed = setup.agreed;
    this.child = setup.protocol;
    this.state = state;
    this.ctx = ctx;
  }

  /** For the words of errors. */
  get where(): string | undefined {
    return (this.ctx as { readonly where?: string }).where;
  }

  get degree(): number {
    return this.agreed.topology.degree(this.state.node);
  }

  ports(): readonly Port[] {
    return Array.from({ length: this.degree }, (_, port) => port);
  }

  linked(port: Port): boolean {
    return Number.isInteger(port) && port >= SELF && port < this.degree;
  }

  send(port: Port, message: unknown): void {
    if (!this.linked(port)) throw new Error(`${this.child.name} has no port ${port}: it has ${this.degree}`);
    this.count(message);
    this.carry(port, message);
  }

  multicast(message: unknown): void {
    const { child, degree, state } = this;
    if (!child.assumes.multicast) {
      throw new Error(`${child.name} multicasts, but does not assume that it can: set assumes.multicast`);
    }
    this.count(message);
    if (this.agreed.epidemic) this.spread(state.node, state.life, state.multicasts++, message);
    else for (let port = 0; port < degree; port++) this.carry(port, message);
  }

  /** Tells a few members of a multicast. How many: theory/gupta/rumour.ts. */
  spread(origin: number, life: number, number: number, message: unknown): void {
    const { state, agreed } = this;
    const size = agreed.ids.length;
    for (const drawn of this.subset(rumourTargets(size), size - 1)) {
      const node = drawn < state.node ? drawn : drawn + 1;
      this.post(node, { ...this.named(), kind: "gossip", origin, life, number, message });
    }
  }

  arm(timer: string, min: number, max = min): void {
    const { tau } = this.agreed;
    this.ctx.arm(CHILD_TIMER + timer, min * tau, max * tau);
  }

  deadline(timer: string, after: number): void {
    this.ctx.deadline(CHILD_TIMER + timer, after * this.agreed.tau);
  }

  disarm(timer: string): void {
    this.ctx.disarm(CHILD_TIMER + timer);
  }

  choose(n: number, order?: string): number {
    return this.ctx.choose(n, order);
  }

  coin(p: number): boolean {
    return this.ctx.coin(p);
  }

  sample(k: number, including?: typeof SELF): Port[] {
    const { degree } = this;
    const urn = including === undefined ? degree : degree + 1;
    return this.subset(k, urn).map((port) => (port === degree ? SELF : port));
  }

  subset(k: number, of: number): number[] {
    return this.ctx.subset?.(k, of) ?? sample((n) => this.ctx.choose(n), k, of);
  }

  peer(port: Port): Id | null {
    const { topology, ids } = this.agreed;
    const { node } = this.state;
    if (this.child.assumes.identity === "anonymous") return null;
    return ids[port === SELF ? node : topology.neighbour(node, port)];
  }

  link(): Port {
    return this.refuseLinks();
  }

  unlink(): void {
    this.refuseLinks();
  }

  address(): string {
    return this.refuseLinks();
  }

  /** No oracle here: no member can know whether it is the first of a group, so each acts as if it were. */
  enter(): boolean {
    return true;
  }

  measure(name: string, value: number): void {
    this.ctx.measure(name, value);
  }

  /** Sums over a group cannot be made here: one process sees only its own part. */
  series(): void {}

  private carry(port: Port, message: unknown): void {
    const { topology } = this.agreed;
    const { node } = this.state;
    const to = port === SELF ? node : topology.neighbour(node, port);
    const arrival = port === SELF ? SELF : topology.arrival(node, port);
    if (to === node) this.ctx.send(SELF, { kind: "own", port: arrival, message });
    else this.post(to, { ...this.named(), kind: "message", port: arrival, message });
  }

  private post(node: number, message: ElectionMessage): void {
    this.ctx.send(this.ctx.link(this.agreed.addresses[node]), message);
  }

  private named() {
    return { election: this.agreed.election, roster: this.state.roster! };
  }

  /** As in simulation: a multicast counts once, and what is sent again does not. */
  private count(message: unknown): void {
    const { child, ctx } = this;
    ctx.measure("bits", child.bits(message));
    if (!(child.counts?.(message) ?? true)) return;
    ctx.measure("messages", 1);
    this.hasSpoken = true;
  }

  private refuseLinks(): never {
    throw new Error(`${this.child.name} handles links by address, but its links are given`);
  }
}
