/** A configuration of the whole network as a vector of small integers, and what one event does to it. */
import { SELF } from "../../protocol.ts";
import type { Problem } from "../problem.ts";
import { type ArmedTimer, ArmedTimers } from "./armed-timers.ts";
import { Draft } from "./draft.ts";
import { DOWN, type Link, PAUSED, UP, VectorLayout } from "./layout.ts";
import { LinkContents, type MessageInFlight } from "./link-contents.ts";
import { type Input, type NodeOutcome, NodeSteps, UNTOUCHED } from "./node-steps.ts";

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
  /** `drift`: the clock of a node is an instant behind (-1) or ahead (1) after it. */
  | { readonly do: "tick"; readonly by: number; readonly drift?: { readonly node: number; readonly by: -1 | 1 } };

/** One step of a schedule: what happened, and the configuration after it. */
export interface Step {
  readonly action: Action;
  readonly after: Int32Array;
  /** What the node that acted did; null where no handler ran. */
  readonly outcome: NodeOutcome | null;
}

/** Called for each step while the draft holds the configuration after it. Steps that differ in draws share their action. */
export type Visit = (action: Action, outcome: NodeOutcome | null) => void;

/** A small network as the explorer sees it: what a configuration says, and what each event changes. */
export class Configurations {
  readonly problem: Problem;
  readonly nodes: NodeSteps;
  readonly layout: VectorLayout;
  readonly contents: LinkContents;
  readonly armed: ArmedTimers;
  readonly everybody: readonly number[];
  /** The configuration whose steps are being visited, changed in place. */
  readonly draft: Draft;
  private readonly deliveries: Action[][] = [];

  constructor(problem: Problem) {
    this.problem = problem;
    this.nodes = new NodeSteps(problem);
    this.layout = new VectorLayout(problem);
    this.contents = new LinkContents(problem.fifo);
    this.armed = new ArmedTimers(this.timed);
    this.everybody = Array.from({ length: this.layout.size }, (_, node) => node);
    this.draft = new Draft(this.blank());
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

  /** Whether a node can act: it lives, is not paused, and has no overdue deadline, which would come before all else. */
  awake(vector: Int32Array, node: number): boolean {
    if (vector[this.layout.statusAt(node)] !== UP) return false;
    return !this.armed.isOverdue(vector[this.layout.timersAt(node)]);
  }

  /** Starts on its own, but has not yet. */
  waits(vector: Int32Array, node: number): boolean {
    return vector[this.layout.statusAt(node)] < UP;
  }

  /** The messages on a link, first to arrive first. */
  onLink(vector: Int32Array, link: number): readonly MessageInFlight[] {
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

  permutations(): Int32Array[] {
    return this.layout.permutations();
  }

  /** Who starts on its own. */
  starters(): readonly number[] {
    const { protocol, initiators } = this.problem;
    return protocol.assumes.start === "common" ? this.everybody : initiators;
  }

  protected startNow(node: number, visit: Visit): void {
    this.handle({ do: "start", node }, node, { kind: "start" }, visit);
  }

  /** In timed runs in its turn, unless it must start now. */
  startLate(node: number, inTurn: boolean, visit: Visit): void {
    const { mark } = this.draft;
    if (inTurn) this.draft.set(this.layout.cursorAt, node);
    this.startNow(node, visit);
    this.draft.back(mark);
  }

  /** Untimed: whether a fault may still come, a node is paused or a deadline is overdue: then one step can forbid others. */
  disturbed(cells: Int32Array): boolean {
    const { layout } = this;
    if (!layout.faulty) return false;
    return (
      layout.disturbed(cells) || this.everybody.some((node) => this.paused(cells, node)) || this.due(true, -1) !== null
    );
  }

  /** Untimed: whether a step of one node can forbid or change one of another, as far as faults are concerned (docs/decisions/reduction.md). */
  entangled(cells: Int32Array): boolean {
    const { layout } = this;
    if (!layout.faulty) return false;
    return (
      layout.entangled(cells) || this.everybody.some((node) => this.paused(cells, node)) || this.due(true, -1) !== null
    );
  }

  /** Untimed: whatever can arrive on a link next. */
  deliverAll(link: number, visit: Visit): void {
    const { cells } = this.draft;
    if (this.paused(cells, this.links[link].to)) return;
    for (const index of this.deliverable(cells, link)) this.deliver(link, index, visit);
  }

  /** Untimed: what a node can do without a message, a late start or whatever it has armed. */
  actAlone(node: number, visit: Visit): void {
    const { cells } = this.draft;
    if (this.waits(cells, node)) this.startLate(node, false, visit);
    if (cells[this.layout.timersAt(node)] === this.armed.none || this.paused(cells, node)) return;
    for (const { timer } of this.timersOf(cells, node)) this.expire(node, timer, visit);
  }

  deliverable(vector: Int32Array, link: number): readonly number[] {
    return this.contents.deliverable(vector[this.layout.linkAt(link)]);
  }

  deliver(link: number, index: number, visit: Visit): void {
    const { draft } = this;
    const { to, inbound } = this.links[link];
    const { message } = this.onLink(draft.cells, link)[index];
    this.deliveries[link] ??= [];
    this.deliveries[link][index] ??= { do: "deliver", link, index };
    const action = this.deliveries[link][index];
    const { mark } = draft;
    this.take(link, index);
    if (this.timed && this.problem.ties !== true) draft.set(this.layout.cursorAt, to);
    if (inbound !== SELF && !this.nodes.accepts(message)) visit(action, null);
    else this.apply(action, to, this.nodes.received(to, this.state(draft.cells, to), inbound, message), true, visit);
    draft.back(mark);
  }

  expire(node: number, timer: string, visit: Visit): void {
    const { draft, layout } = this;
    const { mark } = draft;
    draft.set(layout.timersAt(node), this.armed.without(draft.cells[layout.timersAt(node)], timer));
    this.handle({ do: "expire", node, timer }, node, { kind: "expire", timer }, visit);
    draft.back(mark);
  }

  /** Every outcome of a handler, with its effects on links and timers; then those that a crash keeps from leaving. */
  handle(action: Action, node: number, input: Input, visit: Visit, touches = true): void {
    const outcomes = this.nodes.outcomes(node, this.state(this.draft.cells, node), input);
    this.apply(action, node, outcomes, touches, visit, input.kind === "start");
  }

  private apply(
    action: Action,
    node: number,
    outcomes: readonly NodeOutcome[],
    touches: boolean,
    visit: Visit,
    starts = false,
  ): void {
    const { layout, draft } = this;
    const { cells, mark } = draft;
    for (let i = 0; i < outcomes.length; i++) {
      const outcome = outcomes[i];
      draft.set(layout.stateAt(node), outcome.state);
      draft.set(layout.statusAt(node), UP);
      if (layout.ends && touches) draft.set(layout.touchedAt(node), starts ? 0 : 1);
      for (let s = 0; s < outcome.sends.length; s++) {
        const { port, message } = outcome.sends[s];
        this.post(layout.link(node, port), message);
      }
      if (outcome.timers.length === 0) visit(action, outcome);
      else {
        const at = layout.timersAt(node);
        for (const timers of this.armed.after(cells[at], outcome.number, outcome.timers)) {
          const unarmed = draft.mark;
          draft.set(at, timers);
          visit(action, outcome);
          draft.back(unarmed);
        }
      }
      draft.back(mark);
    }
    if (layout.left(cells, "halfway") === 0) return;
    const most = Math.max(1, ...outcomes.map(({ sends }) => sends.length));
    for (let halfway = 0; halfway < most; halfway++) this.cutShort(action, node, outcomes, halfway, visit);
  }

  /** The outcomes of a handler in which the node crashes when so many messages have left, and others have not. */
  private cutShort(
    action: Action,
    node: number,
    outcomes: readonly NodeOutcome[],
    halfway: number,
    visit: Visit,
  ): void {
    const { layout, draft } = this;
    const { mark } = draft;
    const cut = { ...action, halfway } as Action;
    for (const outcome of outcomes) {
      if (halfway > 0 && halfway >= outcome.sends.length) continue;
      this.fell(node);
      draft.set(layout.stateAt(node), outcome.state);
      layout.spend(draft, "halfway");
      const sends = outcome.sends.slice(0, halfway);
      for (const { port, message } of sends) this.post(layout.link(node, port), message);
      const messages = sends.filter(({ counted }) => counted).length;
      visit(cut, { ...outcome, sends, messages, timers: [] });
      draft.back(mark);
    }
  }

  /** Its timers end with a process, and so does whatever is on its way to it. */
  fell(node: number): void {
    const { layout, draft } = this;
    draft.set(layout.statusAt(node), DOWN);
    draft.set(layout.timersAt(node), this.armed.none);
    for (const link of layout.inLinks[node]) draft.set(layout.linkAt(link), this.contents.empty);
  }

  /** The ends of a link are on different sides. */
  separated(vector: Int32Array, link: number): boolean {
    if (this.layout.sidesAt === null) return false;
    const { from, to } = this.links[link];
    const sides = vector[this.layout.sidesAt];
    return ((sides >> from) & 1) !== ((sides >> to) & 1);
  }

  private post(link: number, message: number): void {
    const { draft } = this;
    if (this.crashed(draft.cells, this.links[link].to) || this.separated(draft.cells, link)) return;
    const at = this.layout.linkAt(link);
    const { capacity } = this.problem;
    if (capacity !== undefined && this.links[link].port !== SELF) {
      if (this.contents.flights(draft.cells[at]).length >= capacity) return;
    }
    draft.set(at, this.contents.add(draft.cells[at], message));
  }

  /** The first timer or deadline that must fire now. */
  due(deadlines: boolean, within = 0): { node: number; timer: string } | null {
    const { cells } = this.draft;
    for (let node = 0; node < this.layout.size; node++) {
      if (cells[this.layout.timersAt(node)] === this.armed.none || this.paused(cells, node)) continue;
      const due = this.timersOf(cells, node).find(({ left, deadline }) => left <= within && deadline === deadlines);
      if (due !== undefined) return { node, timer: due.timer };
    }
    return null;
  }

  /** Takes a message off its link. */
  take(link: number, index: number): void {
    const at = this.layout.linkAt(link);
    this.draft.set(at, this.contents.remove(this.draft.cells[at], index));
  }
}
