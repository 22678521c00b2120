/**
 * A configuration of the whole network as a vector of small integers, and the steps that lead out of it.
 *
 * Layout: for each node its state, its timers and whether it has crashed; for each directed link what is on its way; then
 * the budget left of drops, crashes and restarts; in timed runs the round and how far the present instant has come.
 */
import { SELF } from "../protocol.ts";
import { isSynchronous } from "../protocols/parameters.ts";
import { Interner } from "./interner.ts";
import { type Flight, LinkContents } from "./link-contents.ts";
import { type Input, type NodeOutcome, NodeSteps, UNTOUCHED } from "./node-steps.ts";
import type { Problem } from "./problem.ts";

export type Action =
  | { readonly do: "start"; readonly node: number }
  | { readonly do: "deliver"; readonly link: number; readonly index: number }
  | { readonly do: "drop"; readonly link: number; readonly index: number }
  | { readonly do: "expire"; readonly node: number; readonly timer: string }
  | { readonly do: "end-round"; readonly node: number }
  | { readonly do: "crash"; readonly node: number }
  | { readonly do: "restart"; readonly node: number }
  | { readonly do: "tick"; readonly by: number };

export interface Step {
  readonly action: Action;
  readonly after: Int32Array;
  /** What the node that acted did; null where no handler ran. */
  readonly outcome: NodeOutcome | null;
}

export interface Link {
  readonly from: number;
  readonly port: number;
  readonly to: number;
  readonly inbound: number;
}

interface ArmedTimer {
  readonly timer: string;
  readonly left: number;
  readonly deadline: boolean;
}

const ROUNDING = 1e-6;
const PER_NODE = 3;
const NODE_STATE = 0;
const NODE_TIMERS = 1;
const NODE_CRASHED = 2;

export class Network {
  readonly nodes: NodeSteps;
  readonly links: readonly Link[];
  readonly length: number;
  private readonly problem: Problem;
  private readonly size: number;
  private readonly linkOf: readonly ReadonlyMap<number, number>[];
  private readonly contents: LinkContents;
  private readonly armed = new Interner<readonly ArmedTimer[]>();
  private readonly noTimers: number;
  private readonly firstLink: number;
  private readonly budgetAt: number;
  /** Timed runs: the round, the node up to which messages of this instant have come, and nodes whose round must end. */
  private readonly roundAt: number;
  private readonly cursorAt: number;
  private readonly firstTouched: number;
  private readonly ends: boolean;

  constructor(problem: Problem) {
    this.problem = problem;
    this.nodes = new NodeSteps(problem);
    const { topology } = problem;
    this.size = topology.size;
    const links: Link[] = [];
    this.linkOf = Array.from({ length: this.size }, (_, from) => {
      const mine = new Map<number, number>();
      for (let port = SELF; port < topology.degree(from); port++) {
        mine.set(port, links.length);
        const to = port === SELF ? from : topology.neighbour(from, port);
        links.push({ from, port, to, inbound: port === SELF ? SELF : topology.arrival(from, port) });
      }
      return mine;
    });
    this.links = links;
    this.contents = new LinkContents(problem.fifo);
    this.noTimers = this.armed.number([]);
    this.firstLink = PER_NODE * this.size;
    this.budgetAt = this.firstLink + links.length;
    this.roundAt = this.budgetAt + 3;
    this.cursorAt = this.roundAt + 1;
    this.firstTouched = this.cursorAt + 1;
    this.ends = problem.protocol.endRound !== undefined && isSynchronous(problem.protocol, problem.params);
    this.length = this.firstTouched + (this.ends ? this.size : 0);
  }

  /** Whether steps take time. */
  get timed(): boolean {
    return this.problem.maxDelay !== null;
  }

  state(vector: Int32Array, node: number): number {
    return vector[PER_NODE * node + NODE_STATE];
  }

  crashed(vector: Int32Array, node: number): boolean {
    return vector[PER_NODE * node + NODE_CRASHED] === 1;
  }

  /** The messages on a link, first to arrive first. */
  onLink(vector: Int32Array, link: number): readonly Flight[] {
    return this.contents.flights(vector[this.firstLink + link]);
  }

  /** Before anybody has started. */
  blank(): Int32Array {
    const vector = new Int32Array(this.length);
    for (let node = 0; node < this.size; node++) {
      vector[PER_NODE * node + NODE_STATE] = UNTOUCHED;
      vector[PER_NODE * node + NODE_TIMERS] = this.noTimers;
    }
    vector.fill(this.contents.empty, this.firstLink, this.budgetAt);
    const { drops, crashes, restarts } = this.problem.budget;
    vector.set([drops, crashes, restarts], this.budgetAt);
    return vector;
  }

  /** Who starts on its own. */
  starters(): readonly number[] {
    const { protocol, initiators } = this.problem;
    return protocol.assumes.start === "common" ? Array.from({ length: this.size }, (_, node) => node) : initiators;
  }

  /** Every way in which the node can start. */
  start(vector: Int32Array, node: number): Step[] {
    return this.handlerSteps(vector, { do: "start", node }, node, { kind: "start" });
  }

  steps(vector: Int32Array): Step[] {
    return this.problem.maxDelay === null ? this.untimedSteps(vector) : this.timedSteps(vector, this.problem.maxDelay);
  }

  private untimedSteps(vector: Int32Array): Step[] {
    const steps: Step[] = [];
    for (let link = 0; link < this.links.length; link++) {
      for (const index of this.deliverable(vector, link)) steps.push(...this.deliver(vector, link, index));
    }
    for (let node = 0; node < this.size; node++) {
      for (const { timer } of this.timersOf(vector, node)) steps.push(...this.expire(vector, node, timer));
    }
    steps.push(...this.faultSteps(vector));
    return steps;
  }

  /**
   * One instant: overdue deadlines; then messages old enough, node by node (handlers of different nodes commute within an
   * instant, so ascending order stands for all); then timers; then the ends of rounds; then the next instant.
   */
  private timedSteps(vector: Int32Array, maxDelay: number): Step[] {
    const cursor = vector[this.cursorAt];
    const closed = cursor >= this.size;
    if (!closed) {
      const overdue = this.due(vector, true);
      if (overdue !== null) return this.expire(vector, overdue.node, overdue.timer);
    }
    const steps: Step[] = [];
    // Nobody after the first node that something must reach now may have its turn before: it would be too late then.
    const first = this.links.reduce(
      (least, { to }, link) =>
        this.onLink(vector, link).some(({ age }) => age >= maxDelay) ? Math.min(least, to) : least,
      Infinity,
    );
    for (let link = 0; link < this.links.length; link++) {
      const { to } = this.links[link];
      if (closed || to < cursor || to > first) continue;
      for (const index of this.deliverable(vector, link)) {
        if (this.onLink(vector, link)[index].age >= 1) steps.push(...this.deliver(vector, link, index));
      }
    }
    if (!closed) steps.push(...this.faultSteps(vector));
    if (first === Infinity || closed) steps.push(...this.closing(vector));
    return steps;
  }

  private closing(vector: Int32Array): Step[] {
    const closed = Int32Array.from(vector);
    closed[this.cursorAt] = this.size;
    const due = this.due(vector, false);
    if (due !== null) return this.expire(closed, due.node, due.timer);
    if (this.ends) {
      for (let node = 0; node < this.size; node++) {
        if (vector[this.firstTouched + node] === 0) continue;
        closed[this.firstTouched + node] = 0;
        const input = { kind: "end-round", round: vector[this.roundAt] } as const;
        return this.handlerSteps(closed, { do: "end-round", node }, node, input, false);
      }
    }
    return this.tick(closed);
  }

  private tick(closed: Int32Array): Step[] {
    const waiting = this.links.some((_, link) => this.onLink(closed, link).length > 0);
    let by = waiting ? 1 : Infinity;
    for (let node = 0; node < this.size; node++) {
      if (!waiting) for (const { left } of this.timersOf(closed, node)) by = Math.min(by, left);
    }
    if (by === Infinity) return [];
    const after = Int32Array.from(closed);
    after[this.cursorAt] = 0;
    // Rounds that nobody can tell apart are not told apart.
    if (this.ends) after[this.roundAt] += by;
    for (let node = 0; node < this.size; node++) {
      const timers = this.timersOf(closed, node).map((timer) => ({ ...timer, left: timer.left - by }));
      after[PER_NODE * node + NODE_TIMERS] = this.armed.number(timers);
    }
    for (let link = 0; link < this.links.length; link++) {
      after[this.firstLink + link] = this.contents.aged(closed[this.firstLink + link]);
    }
    return [{ action: { do: "tick", by }, after, outcome: null }];
  }

  private deliverable(vector: Int32Array, link: number): readonly number[] {
    return this.contents.deliverable(vector[this.firstLink + link]);
  }

  private deliver(vector: Int32Array, link: number, index: number): Step[] {
    const { to, inbound } = this.links[link];
    const { message } = this.onLink(vector, link)[index];
    const taken = this.without(vector, link, index);
    if (this.problem.maxDelay !== null) taken[this.cursorAt] = to;
    return this.handlerSteps(taken, { do: "deliver", link, index }, to, { kind: "receive", port: inbound, message });
  }

  private expire(vector: Int32Array, node: number, timer: string): Step[] {
    const taken = Int32Array.from(vector);
    const left = this.timersOf(vector, node).filter((armed) => armed.timer !== timer);
    taken[PER_NODE * node + NODE_TIMERS] = this.armed.number(left);
    return this.handlerSteps(taken, { do: "expire", node, timer }, node, { kind: "expire", timer });
  }

  private faultSteps(vector: Int32Array): Step[] {
    const [drops, crashes, restarts] = vector.subarray(this.budgetAt, this.budgetAt + 3);
    const steps: Step[] = [];
    for (let link = 0; drops > 0 && link < this.links.length; link++) {
      for (const index of this.deliverable(vector, link)) {
        const after = this.without(vector, link, index);
        after[this.budgetAt]--;
        steps.push({ action: { do: "drop", link, index }, after, outcome: null });
      }
    }
    for (let node = 0; node < this.size; node++) {
      if (crashes > 0 && !this.crashed(vector, node)) steps.push(this.crash(vector, node));
      if (restarts > 0 && this.crashed(vector, node)) {
        const up = Int32Array.from(vector);
        up[PER_NODE * node + NODE_CRASHED] = 0;
        up[this.budgetAt + 2]--;
        steps.push(...this.handlerSteps(up, { do: "restart", node }, node, { kind: "restart" }));
      }
    }
    return steps;
  }

  /** Its timers end with a process, and so does whatever is on its way to it. */
  private crash(vector: Int32Array, node: number): Step {
    const after = Int32Array.from(vector);
    after[PER_NODE * node + NODE_CRASHED] = 1;
    after[PER_NODE * node + NODE_TIMERS] = this.noTimers;
    after[this.budgetAt + 1]--;
    for (const [link, { to }] of this.links.entries())
      if (to === node) after[this.firstLink + link] = this.contents.empty;
    return { action: { do: "crash", node }, after, outcome: null };
  }

  /** Every outcome of a handler, with its effects on links and timers. */
  private handlerSteps(before: Int32Array, action: Action, node: number, input: Input, touches = true): Step[] {
    return this.nodes.outcomes(node, this.state(before, node), input).flatMap((outcome) => {
      const after = Int32Array.from(before);
      after[PER_NODE * node + NODE_STATE] = outcome.state;
      if (this.ends && touches) after[this.firstTouched + node] = input.kind === "start" ? 0 : 1;
      for (const { port, message } of outcome.sends) this.post(after, this.linkOf[node].get(port)!, message);
      return this.withTimers(after, node, outcome).map((armed) => ({ action, after: armed, outcome }));
    });
  }

  private post(vector: Int32Array, link: number, message: number): void {
    if (this.crashed(vector, this.links[link].to)) return;
    vector[this.firstLink + link] = this.contents.add(vector[this.firstLink + link], message);
  }

  /** Applies what a handler did to its timers; a delay drawn from a range can be any whole number in it. */
  private withTimers(vector: Int32Array, node: number, { timers }: NodeOutcome): Int32Array[] {
    if (timers.length === 0) return [vector];
    let variants: (readonly ArmedTimer[])[] = [this.timersOf(vector, node)];
    for (const effect of timers) {
      variants = variants.flatMap((armed) => {
        const others = armed.filter(({ timer }) => timer !== effect.timer);
        if (effect.op === "disarm") return [others];
        const { timer, deadline } = effect;
        if (this.problem.maxDelay === null) return [sorted([...others, { timer, left: 0, deadline }])];
        // Instants are whole: what a protocol adds against rounding errors of real time is no instant.
        const least = Math.ceil(effect.min - ROUNDING);
        const delays = Array.from({ length: Math.max(1, Math.floor(effect.max) - least + 1) }, (_, i) => least + i);
        return delays.map((left) => [...others, { timer, left, deadline }]);
      });
    }
    return variants.map((armed) => {
      const after = Int32Array.from(vector);
      after[PER_NODE * node + NODE_TIMERS] = this.armed.number(armed);
      return after;
    });
  }

  private timersOf(vector: Int32Array, node: number): readonly ArmedTimer[] {
    return this.armed.value(vector[PER_NODE * node + NODE_TIMERS]);
  }

  /** The first timer or deadline that must fire now. */
  private due(vector: Int32Array, deadlines: boolean): { node: number; timer: string } | null {
    for (let node = 0; node < this.size; node++) {
      const due = this.timersOf(vector, node).find(({ left, deadline }) => left <= 0 && deadline === deadlines);
      if (due !== undefined) return { node, timer: due.timer };
    }
    return null;
  }

  private without(vector: Int32Array, link: number, index: number): Int32Array {
    const after = Int32Array.from(vector);
    after[this.firstLink + link] = this.contents.remove(vector[this.firstLink + link], index);
    return after;
  }

  /** For each rotation of a ring, where each entry of the vector goes. */
  rotations(): Int32Array[] {
    return Array.from({ length: this.size }, (_, by) => {
      const to = Int32Array.from({ length: this.length }, (_, i) => i);
      const turned = (node: number) => (node + by) % this.size;
      for (let node = 0; node < this.size; node++) {
        for (let part = 0; part < PER_NODE; part++) to[PER_NODE * node + part] = PER_NODE * turned(node) + part;
        if (this.ends) to[this.firstTouched + node] = this.firstTouched + turned(node);
      }
      for (const [link, { from, port }] of this.links.entries()) {
        to[this.firstLink + link] = this.firstLink + this.linkOf[turned(from)].get(port)!;
      }
      return to;
    });
  }
}

const sorted = (timers: ArmedTimer[]) => timers.sort((a, b) => (a.timer < b.timer ? -1 : 1));
