/**
 * The context of an election's child. Its neighbours are members by name, so that a member whose address changes is still
 * reached, and newcomers are added at the end. It counts time in tau, the group in milliseconds. Made for one handler.
 */
import { type Context, type Id, type Port, SELF } from "../../protocol.ts";
import { memberNamed, memberOfLife } from "../../protocols/membership/parent.ts";
import { sample } from "../../random/subsets.ts";
import { paceOf } from "../setting.ts";
import type { Election, Office, Turn } from "../state.ts";
import { say } from "../talk/speaking.ts";
import type { Child } from "./children.ts";
import { RING_PORTS, ringLife, ringOf } from "./lists.ts";

/** What the timers of a child begin with; the generation of its election follows. */
export const ELECTION_TIMER = "election";

/** The most waits of one kind that extend an election: phases of a protocol with one timer. */
const MOST_WAITS = 8;

export class ChildContext implements Context<unknown, string> {
  private readonly turn: Turn;
  private readonly office: Office;
  private readonly election: Election;
  private readonly child: Child;
  /** While the child begins, it sends its own request. Everything that it sends later is an answer. */
  private readonly begins: boolean;

  constructor(turn: Turn, office: Office, election: Election, child: Child, begins: boolean) {
    this.turn = turn;
    this.office = office;
    this.election = election;
    this.child = child;
    this.begins = begins;
  }

  get degree(): number {
    return this.child.listed ? RING_PORTS : this.election.names.length;
  }

  ports(): readonly Port[] {
    return Array.from({ length: this.degree }, (_, port) => port);
  }

  linked(port: Port): boolean {
    return port >= SELF && port < this.degree;
  }

  send(port: Port, message: unknown): void {
    const { turn, office, election, child } = this;
    if (!this.linked(port)) throw new Error(`${child.bare.name} has no port ${port}: it has ${this.degree}`);
    const { term, id, setting } = election;
    const { state, ctx } = turn;
    const onRing = child.listed && port !== SELF;
    const word = {
      kind: "child" as const,
      office: office.name,
      term,
      id,
      setting,
      message,
      ...(onRing ? { port: ringOf(election).arrival(0, port) } : {}),
    };
    const to = port === SELF ? state.life : onRing ? ringLife(election, state.life, port) : null;
    if (to === state.life) {
      ctx.send(SELF, { ...word, from: state.life, to });
      return;
    }
    if (!this.begins) election.answered = true;
    if (child.protocol.counts?.(message) ?? true) ctx.measure("electionMessages", 1);
    const { members } = state;
    const member = to === null ? memberNamed(members, election.names[port]) : memberOfLife(members, to);
    // A member that has gone gets no message. One that has restarted takes no part in this term.
    if (member !== undefined) say(turn, member, word);
  }

  multicast(message: unknown): void {
    for (let port = 0; port < this.degree; port++) this.send(port, message);
  }

  arm(timer: string, min: number, max = min): void {
    const { tau } = this;
    this.note(timer, max * tau);
    this.turn.ctx.arm(this.named(timer), min * tau, max * tau);
  }

  deadline(timer: string, after: number): void {
    const { tau } = this;
    this.note(timer, after * tau);
    this.turn.ctx.deadline(this.named(timer), after * tau);
  }

  disarm(timer: string): void {
    this.turn.ctx.disarm(this.named(timer));
  }

  choose(n: number): number {
    return this.turn.ctx.choose(n);
  }

  coin(p: number): boolean {
    return this.turn.ctx.coin(p);
  }

  /** If a setting asks for more members than a shrunken group has, all are asked. */
  sample(k: number, including?: typeof SELF): Port[] {
    const { degree } = this;
    const urn = degree + (including === undefined ? 0 : 1);
    return this.subset(Math.min(k, urn), urn).map((port) => (port === degree ? SELF : port));
  }

  subset(k: number, of: number): number[] {
    return this.turn.ctx.subset?.(k, of) ?? sample((n) => this.choose(n), k, of);
  }

  peer(port: Port): Id | null {
    if (this.child.bare.assumes.identity === "anonymous") return null;
    return port === SELF ? this.election.ownId : this.election.ids[port];
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

  /** No oracle: everybody acts as if it were the first. */
  enter(): boolean {
    return true;
  }

  /** Measures of children are for studies of single elections. */
  measure(): void {}

  series(): void {}

  private note(timer: string, wait: number): void {
    const { waits } = this.election;
    // Numbered timers ("try 1", "try 2") are one kind, of which MOST_WAITS count. Otherwise they could put the end off for ever.
    const kind = timer.replace(/\d+/g, "#");
    const { sum, count } = waits[kind] ?? { sum: 0, count: 0 };
    if (count < MOST_WAITS) waits[kind] = { sum: sum + wait, count: count + 1 };
  }

  /** Milliseconds. */
  private get tau(): number {
    return this.turn.times.tau * paceOf(this.election.setting);
  }

  private named(timer: string): string {
    return `${ELECTION_TIMER}#${this.election.generation}/${timer}`;
  }

  private refuseLinks(): never {
    throw new Error(`${this.child.bare.name} handles links by address, but its neighbours are the members of a group`);
  }
}
