/** A configuration of the whole network as a vector of small integers, and the steps that lead out of it. */
import { SELF } from "../protocol.ts";
import { type ArmedTimer, ArmedTimers } from "./armed-timers.ts";
import { faultSteps, lateStep, latest, resumeSteps } from "./faults.ts";
import { DOWN, Layout, type Link, PAUSED, UP } from "./layout.ts";
import { type Flight, LinkContents } from "./link-contents.ts";
import { type Input, type NodeOutcome, NodeSteps, UNTOUCHED } from "./node-steps.ts";
import type { Problem } from "./problem.ts";

/** `halfway`: the node crashes in the handler, when so many of its messages have left. */
export type Action =
  | { readonly do: "start"; readonly node: number; readonly halfway?: number }
  | { readonly do: "deliver"; readonly link: number; readonly index: number; readonly halfway?: number }
  | { readonly do: "drop" | "duplicate"; readonly link: number; readonly index: number }
  | { readonly do: "expire"; readonly node: number; readonly timer: string; readonly halfway?: number }
  | { readonly do: "end-round"; readonly node: number; readonly halfway?: number }
  | { readonly do: "restart"; readonly node: number; readonly halfway?: number }
  | { readonly do: "crash" | "pause" | "resume" | "late"; readonly node: number }
  /** A bit of `sides` for each node that is not on the side of node 0. */
  | { readonly do: "part"; readonly sides: number }
  | { readonly do: "heal" }
  | { readonly do: "tick"; readonly by: number };

/** One step of a schedule: what happened, and the configuration after it. */
export interface Step {
  readonly action: Action;
  readonly after: Int32Array;
  /** What the node that acted did; null where no handler ran. */
  readonly outcome: NodeOutcome | null;
}

/** A small network as the explorer sees it: configurations, and the steps between them. */
export class StateSpace {
  readonly problem: Problem;
  readonly nodes: NodeSteps;
  readonly layout: Layout;
  readonly contents: LinkContents;
  readonly armed: ArmedTimers;
  readonly everybody: readonly number[];

  constructor(problem: Problem) {
    this.problem = problem;
    this.nodes = new NodeSteps(problem);
    this.layout = new Layout(problem);
    this.contents = new LinkContents(problem.fifo);
    this.armed = new ArmedTimers(this.timed);
    this.everybody = Array.from({ length: this.layout.size }, (_, node) => node);
  }

  get links(): readonly Link[] {
    return this.layout.links;
  }

  get length(): number {
    return this.layout.length;
  }

  /** Whether steps take time. */
  get timed(): boolean {
    return this.problem.maxDelay !== null;
  }

  state(vector: Int32Array, node: number): number {
    return vector[this.layout.stateAt(node)];
  }

  crashed(vector: Int32Array, node: number): boolean {
    return vector[this.layout.statusAt(node)] === DOWN;
  }

  paused(vector: Int32Array, node: number): boolean {
    return vector[this.layout.statusAt(node)] >= PAUSED;
  }

  /** Starts on its own, but has not yet. */
  waits(vector: Int32Array, node: number): boolean {
    return vector[this.layout.statusAt(node)] < UP;
  }

  /** The messages on a link, first to arrive first. */
  onLink(vector: Int32Array, link: number): readonly Flight[] {
    return this.contents.flights(vector[this.layout.linkAt(link)]);
  }

  timersOf(vector: Int32Array, node: number): readonly ArmedTimer[] {
    return this.armed.of(vector[this.layout.timersAt(node)]);
  }

  /** Before anybody has started. */
  blank(): Int32Array {
    return this.layout.filled(this.problem.budget, UNTOUCHED, this.armed.none, this.contents.empty);
  }

  rotations(): Int32Array[] {
    return this.layout.rotations();
  }

  /** Who starts on its own. */
  starters(): readonly number[] {
    const { protocol, initiators } = this.problem;
    return protocol.assumes.start === "common" ? this.everybody : initiators;
  }

  /** Every way in which the node can start, or not start yet. */
  start(vector: Int32Array, node: number): Step[] {
    const ways = this.handlerSteps(vector, { do: "start", node }, node, { kind: "start" });
    return this.layout.left(vector, "late") > 0 ? [...ways, lateStep(this, vector, node)] : ways;
  }

  /** In timed runs in its turn, unless it must start now. */
  private startLate(vector: Int32Array, node: number, inTurn: boolean): Step[] {
    const taken = Int32Array.from(vector);
    if (inTurn) taken[this.layout.cursorAt] = node;
    return this.handlerSteps(taken, { do: "start", node }, node, { kind: "start" });
  }

  steps(vector: Int32Array): Step[] {
    return this.problem.maxDelay === null ? this.untimedSteps(vector) : this.timedSteps(vector, this.problem.maxDelay);
  }

  private untimedSteps(vector: Int32Array): Step[] {
    const overdue = this.due(vector, true, -1);
    if (overdue !== null) return this.expire(vector, overdue.node, overdue.timer);
    const steps: Step[] = [];
    for (const [link, { to }] of this.links.entries()) {
      if (this.paused(vector, to)) continue;
      for (const index of this.deliverable(vector, link)) steps.push(...this.deliver(vector, link, index));
    }
    for (const node of this.everybody) {
      if (this.waits(vector, node)) steps.push(...this.startLate(vector, node, false));
      if (this.paused(vector, node)) continue;
      for (const { timer } of this.timersOf(vector, node)) steps.push(...this.expire(vector, node, timer));
    }
    steps.push(...resumeSteps(this, vector), ...faultSteps(this, vector));
    return steps;
  }

  /**
   * One instant: overdue deadlines; then messages old enough, node by node (handlers of different nodes commute within an
   * instant, so ascending order stands for all); then timers; then the ends of rounds; then the next instant. With `ties`
   * messages and timers of all nodes come in any order.
   */
  private timedSteps(vector: Int32Array, maxDelay: number): Step[] {
    const { size, cursorAt } = this.layout;
    const cursor = vector[cursorAt];
    const closed = cursor >= size;
    if (!closed) {
      // A pause that has lasted as long as it may ends before anything else happens.
      const ending = this.everybody.find((node) => vector[this.layout.statusAt(node)] === PAUSED);
      if (ending !== undefined) return resumeSteps(this, vector, [ending]);
      const last = this.everybody.find((node) => vector[this.layout.statusAt(node)] === UP - 1);
      if (last !== undefined) return this.startLate(vector, last, false);
      const overdue = this.due(vector, true);
      if (overdue !== null) return this.expire(vector, overdue.node, overdue.timer);
    }
    const steps: Step[] = [];
    // Nobody after the first node that something must reach now may have its turn before: it would be too late then.
    const first = this.links.reduce(
      (least, { to }, link) =>
        !this.paused(vector, to) && this.onLink(vector, link).some(({ age }) => age >= maxDelay)
          ? Math.min(least, to)
          : least,
      Infinity,
    );
    const ties = this.problem.ties === true;
    const inTurn = (node: number) => !closed && (ties || (node >= cursor && node <= first));
    for (const [link, { to }] of this.links.entries()) {
      if (!inTurn(to) || this.paused(vector, to)) continue;
      for (const index of this.deliverable(vector, link)) {
        if (this.onLink(vector, link)[index].age >= 1) steps.push(...this.deliver(vector, link, index));
      }
    }
    for (const node of this.everybody) {
      if (!inTurn(node)) continue;
      const status = vector[this.layout.statusAt(node)];
      if (status < UP && status > latest(this)) steps.push(...this.startLate(vector, node, !ties));
      if (!ties || this.paused(vector, node)) continue;
      for (const { timer, left, deadline } of this.timersOf(vector, node)) {
        if (left <= 0 && !deadline) steps.push(...this.expire(vector, node, timer));
      }
    }
    if (!closed) {
      // Whoever the turn has passed in this instant goes on in the next.
      const ahead = this.everybody.filter((node) => node >= cursor);
      steps.push(...resumeSteps(this, vector, ahead), ...faultSteps(this, vector, ahead));
    }
    const open = ties && !closed && this.due(vector, false) !== null;
    if (closed || (first === Infinity && !open)) steps.push(...this.closing(vector));
    return steps;
  }

  private closing(vector: Int32Array): Step[] {
    const { layout } = this;
    const closed = Int32Array.from(vector);
    closed[layout.cursorAt] = layout.size;
    const due = this.due(vector, false);
    if (due !== null) return this.expire(closed, due.node, due.timer);
    if (layout.ends) {
      for (const node of this.everybody) {
        if (vector[layout.touchedAt(node)] === 0) continue;
        closed[layout.touchedAt(node)] = 0;
        const input = { kind: "end-round", round: vector[layout.roundAt] } as const;
        return this.handlerSteps(closed, { do: "end-round", node }, node, input, false);
      }
    }
    return this.tick(closed);
  }

  private tick(closed: Int32Array): Step[] {
    const { layout } = this;
    const nodes = this.everybody;
    const waiting =
      this.links.some((_, link) => this.onLink(closed, link).length > 0) ||
      nodes.some((node) => this.paused(closed, node) || this.waits(closed, node));
    const timers = nodes.flatMap((node) => this.timersOf(closed, node));
    const by = waiting ? 1 : timers.reduce((least, { left }) => Math.min(least, left), Infinity);
    if (by === Infinity) return [];
    const after = Int32Array.from(closed);
    after[layout.cursorAt] = 0;
    // Rounds that nobody can tell apart are not told apart.
    if (layout.ends) after[layout.roundAt] += by;
    for (const node of nodes) {
      after[layout.timersAt(node)] = this.armed.later(closed[layout.timersAt(node)], by);
      if (this.paused(closed, node)) after[layout.statusAt(node)]--;
      if (this.waits(closed, node)) after[layout.statusAt(node)]++;
    }
    for (let link = 0; link < this.links.length; link++) {
      after[layout.linkAt(link)] = this.contents.aged(closed[layout.linkAt(link)]);
    }
    return [{ action: { do: "tick", by }, after, outcome: null }];
  }

  deliverable(vector: Int32Array, link: number): readonly number[] {
    return this.contents.deliverable(vector[this.layout.linkAt(link)]);
  }

  private deliver(vector: Int32Array, link: number, index: number): Step[] {
    const { to, inbound } = this.links[link];
    const { message } = this.onLink(vector, link)[index];
    const taken = this.without(vector, link, index);
    if (this.timed && this.problem.ties !== true) taken[this.layout.cursorAt] = to;
    const action = { do: "deliver", link, index } as const;
    if (inbound !== SELF && !this.nodes.accepts(message)) return [{ action, after: taken, outcome: null }];
    return this.handlerSteps(taken, action, to, { kind: "receive", port: inbound, message });
  }

  private expire(vector: Int32Array, node: number, timer: string): Step[] {
    const taken = Int32Array.from(vector);
    taken[this.layout.timersAt(node)] = this.armed.without(vector[this.layout.timersAt(node)], timer);
    return this.handlerSteps(taken, { do: "expire", node, timer }, node, { kind: "expire", timer });
  }

  /** Every outcome of a handler, with its effects on links and timers; then those that a crash keeps from leaving. */
  handlerSteps(before: Int32Array, action: Action, node: number, input: Input, touches = true): Step[] {
    const { layout } = this;
    const outcomes = this.nodes.outcomes(node, this.state(before, node), input);
    const steps: Step[] = outcomes.flatMap((outcome) => {
      const after = Int32Array.from(before);
      after[layout.stateAt(node)] = outcome.state;
      after[layout.statusAt(node)] = UP;
      if (layout.ends && touches) after[layout.touchedAt(node)] = input.kind === "start" ? 0 : 1;
      for (const { port, message } of outcome.sends) this.post(after, layout.link(node, port), message);
      if (outcome.timers.length === 0) return [{ action, after, outcome }];
      return this.armed.after(after[layout.timersAt(node)], outcome.timers).map((timers) => {
        const armed = Int32Array.from(after);
        armed[layout.timersAt(node)] = timers;
        return { action, after: armed, outcome };
      });
    });
    if (layout.left(before, "halfway") === 0) return steps;
    const most = Math.max(1, ...outcomes.map(({ sends }) => sends.length));
    for (let halfway = 0; halfway < most; halfway++) steps.push(...this.cuts(before, action, node, outcomes, halfway));
    return steps;
  }

  /** The outcomes of a handler in which the node crashes when so many messages have left, and others have not. */
  private cuts(
    before: Int32Array,
    action: Action,
    node: number,
    outcomes: readonly NodeOutcome[],
    halfway: number,
  ): Step[] {
    const { layout } = this;
    const cut = { ...action, halfway } as Action;
    return outcomes
      .filter(({ sends }) => halfway === 0 || halfway < sends.length)
      .map((outcome) => {
        const after = this.fallen(before, node);
        after[layout.stateAt(node)] = outcome.state;
        layout.spend(after, "halfway");
        const sends = outcome.sends.slice(0, halfway);
        for (const { port, message } of sends) this.post(after, layout.link(node, port), message);
        const messages = sends.filter(({ counted }) => counted).length;
        return { action: cut, after, outcome: { ...outcome, sends, messages, timers: [] } };
      });
  }

  /** Its timers end with a process, and so does whatever is on its way to it. */
  fallen(vector: Int32Array, node: number): Int32Array {
    const { layout } = this;
    const after = Int32Array.from(vector);
    after[layout.statusAt(node)] = DOWN;
    after[layout.timersAt(node)] = this.armed.none;
    for (const [link, { to }] of this.links.entries())
      if (to === node) after[layout.linkAt(link)] = this.contents.empty;
    return after;
  }

  /** The ends of a link are on different sides. */
  separated(vector: Int32Array, link: number): boolean {
    if (this.layout.sidesAt === null) return false;
    const { from, to } = this.links[link];
    const sides = vector[this.layout.sidesAt];
    return ((sides >> from) & 1) !== ((sides >> to) & 1);
  }

  private post(vector: Int32Array, link: number, message: number): void {
    if (this.crashed(vector, this.links[link].to) || this.separated(vector, link)) return;
    const at = this.layout.linkAt(link);
    vector[at] = this.contents.add(vector[at], message);
  }

  /** The first timer or deadline that must fire now. */
  private due(vector: Int32Array, deadlines: boolean, within = 0): { node: number; timer: string } | null {
    for (const node of this.everybody) {
      if (this.paused(vector, node)) continue;
      const due = this.timersOf(vector, node).find(({ left, deadline }) => left <= within && deadline === deadlines);
      if (due !== undefined) return { node, timer: due.timer };
    }
    return null;
  }

  without(vector: Int32Array, link: number, index: number): Int32Array {
    const after = Int32Array.from(vector);
    const at = this.layout.linkAt(link);
    after[at] = this.contents.remove(vector[at], index);
    return after;
  }
}
