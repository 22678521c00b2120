/**
 * Partial-order reduction: steps of different nodes commute, so in most configurations the steps of a few nodes stand for all
 * (docs/decisions/reduction.md has the proof). A set of nodes will do if nothing that the others do can put a message for one of
 * them where none is, and if none of its steps changes what shows of a configuration.
 *
 * Which handlers send on which links is learned from the steps that are taken. What is chosen before something new is
 * learned may be too little: then the search begins anew (`outdated`).
 */

import { SELF } from "../../protocol.ts";
import type { Action } from "../space/configurations.ts";
import type { NodeOutcome } from "../space/node-steps.ts";
import type { StateSpace } from "../space/state-space.ts";
import type { Judge } from "./judge.ts";

export class Reduction {
  /** Something was learned after the first choice. */
  outdated = false;
  private chosen = false;
  private readonly network: StateSpace;
  private readonly judge: Judge;
  private readonly inLinks: readonly (readonly number[])[];
  /** What makes a node act: a message on a link, by the link's number, or after those the node alone: timers, a late start. */
  private readonly alone: number;
  /** By link, which of these have made its node send on it; by node, which have made it arm a timer. */
  private readonly feeders: number[][];
  private readonly armers: number[][];
  private readonly known = new Set<number>();
  private readonly symmetries: readonly Int32Array[];
  /** Of the choice that is being made: nodes that belong to it, sources that were looked at. */
  private readonly members: Int32Array;
  private readonly seen: Int32Array;
  private stamp = 0;
  private open: number[] = [];

  /** `symmetries`: what one node was seen to do, every node that may stand in its place can do. */
  constructor(network: StateSpace, judge: Judge, symmetries: readonly Int32Array[] = []) {
    this.network = network;
    this.judge = judge;
    this.symmetries = symmetries;
    const { size, links } = network.layout;
    this.alone = links.length;
    this.inLinks = network.layout.inLinks;
    this.feeders = links.map(() => []);
    this.armers = this.inLinks.map(() => []);
    this.members = new Int32Array(size);
    this.seen = new Int32Array(links.length + size);
  }

  /** From every step that is taken, in searches with reduction and without. */
  learn(action: Action, outcome: NodeOutcome | null): void {
    if (outcome === null) return;
    const { layout, links } = this.network;
    if (action.do !== "deliver" && action.do !== "expire" && action.do !== "start") return;
    const node = action.do === "deliver" ? links[action.link].to : action.node;
    const source = action.do === "deliver" ? action.link : this.alone + node;
    for (const { port } of outcome.sends) this.note(source, layout.link(node, port));
    if (outcome.timers.length > 0) this.note(source, this.alone + node);
  }

  /** `made`: the link on which something was sent, or after the links the node that armed a timer. */
  private note(source: number, made: number): void {
    const key = source * this.seen.length + made;
    if (this.known.has(key)) return;
    this.known.add(key);
    if (made < this.alone) this.feeders[made].push(source);
    else this.armers[made - this.alone].push(source);
    if (this.chosen) this.outdated = true;
    for (const symmetry of this.symmetries) this.note(this.moved(source, symmetry), this.moved(made, symmetry));
  }

  private moved(source: number, symmetry: Int32Array): number {
    const { layout } = this.network;
    if (source < this.alone) return symmetry[layout.linkAt(source)] - layout.linkAt(0);
    return this.alone + layout.whatIsAt(symmetry[layout.stateAt(source - this.alone)]).node!;
  }

  /** A new search with all that has been learned. */
  again(): void {
    this.chosen = false;
    this.outdated = false;
  }

  /** Nodes whose steps stand for all out of a configuration; null where only all do. */
  choose(cells: Int32Array): readonly number[] | null {
    this.chosen = true;
    if (this.network.entangled(cells)) return null;
    let best: number[] | null = null;
    let least = this.enabledSources(cells, this.network.everybody);
    for (let node = 0; node < this.network.layout.size && least > 1; node++) {
      if (!this.canAct(cells, node)) continue;
      const nodes = this.closure(cells, node);
      const cost = this.enabledSources(cells, nodes);
      if (cost >= least || !nodes.every((member) => isQuiet(this.network, this.judge, cells, member))) continue;
      best = nodes;
      least = cost;
    }
    return best;
  }

  private enabledSources(cells: Int32Array, nodes: readonly number[]): number {
    let sum = 0;
    for (const node of nodes) {
      for (const link of this.inLinks[node]) if (this.isOpen(cells, link)) sum++;
      if (this.actsAlone(cells, node)) sum++;
    }
    return sum;
  }

  private isOpen(cells: Int32Array, link: number): boolean {
    return cells[this.network.layout.linkAt(link)] !== this.network.contents.empty;
  }

  private actsAlone(cells: Int32Array, node: number): boolean {
    const { layout, armed } = this.network;
    return cells[layout.timersAt(node)] !== armed.none || this.network.waits(cells, node);
  }

  private canAct(cells: Int32Array, node: number): boolean {
    return this.actsAlone(cells, node) || this.inLinks[node].some((link) => this.isOpen(cells, link));
  }

  /** The node and all that could, as far as is known, add to its steps before one of the set is taken. */
  private closure(cells: Int32Array, first: number): number[] {
    this.stamp++;
    const nodes: number[] = [];
    this.open = [];
    this.include(first, nodes);
    for (let i = 0; i < nodes.length; i++) {
      for (const link of this.inLinks[nodes[i]]) {
        // On a FIFO link that is not empty nothing new can come before what is there.
        if (!this.network.problem.fifo || !this.isOpen(cells, link)) this.need(link);
      }
      for (let source = this.open.pop(); source !== undefined; source = this.open.pop()) {
        const node = source >= this.alone ? source - this.alone : this.network.links[source].to;
        if (source >= this.alone) {
          if (this.actsAlone(cells, node)) this.include(node, nodes);
          else for (const armer of this.armers[node]) this.look(armer);
        } else if (this.isOpen(cells, source)) this.include(node, nodes);
        else this.need(source);
      }
    }
    return nodes;
  }

  private include(node: number, nodes: number[]): void {
    if (this.members[node] === this.stamp) return;
    this.members[node] = this.stamp;
    nodes.push(node);
  }

  /** Whatever can put something on a link. */
  private need(link: number): void {
    for (const source of this.feeders[link]) this.look(source);
  }

  private look(source: number): void {
    if (this.seen[source] === this.stamp) return;
    this.seen[source] = this.stamp;
    this.open.push(source);
  }
}

/** No step of the node changes its verdict or its report, nor leads beyond a limit. Untimed, and nothing can go wrong. */
function isQuiet(network: StateSpace, judge: Judge, cells: Int32Array, node: number): boolean {
  const { layout, links, nodes } = network;
  const state = network.state(cells, node);
  const face = judge.face(node, state);
  const quiet = (outcomes: readonly NodeOutcome[]) =>
    outcomes.every((outcome) => !outcome.beyond && judge.face(node, outcome.state) === face);
  if (network.waits(cells, node) && !quiet(nodes.outcomes(node, state, { kind: "start" }))) return false;
  for (const { timer } of network.timersOf(cells, node)) {
    if (!quiet(nodes.outcomes(node, state, { kind: "expire", timer }))) return false;
  }
  return layout.inLinks[node].every((link) =>
    network.deliverable(cells, link).every((index) => {
      const { message } = network.onLink(cells, link)[index];
      const { inbound } = links[link];
      return (inbound !== SELF && !nodes.accepts(message)) || quiet(nodes.received(node, state, inbound, message));
    }),
  );
}
