/**
 * Where things stand in the vector of a configuration: for each node its state, its timers and its status; for each
 * directed link what is on its way; then what is left of the budgets of faults that there are, and which side each node is
 * on; in timed runs the round and how far the present instant has come.
 */
import { type Port, SELF } from "../../protocol.ts";
import { isSynchronous } from "../../protocols/parameters.ts";
import type { Budget, Problem } from "../problem.ts";
import { BUDGETS } from "../settings.ts";
import type { Draft } from "./draft.ts";

export interface Link {
  readonly from: number;
  readonly port: Port;
  readonly to: number;
  readonly inbound: Port;
}

/**
 * A node's status; in timed runs a paused one has PAUSED and the instants that its pause may still last. One that is still to
 * start has -1, in timed runs less the instants that it may still wait.
 */
export const UP = 0;
export const DOWN = 1;
export const PAUSED = 2;

const PER_NODE = 3;

/** Faults that concern one node and the links to it. */
const OWN: readonly (keyof Budget)[] = ["drops", "duplicates", "crashes", "halfway", "late"];

export class VectorLayout {
  readonly size: number;
  readonly links: readonly Link[];
  /** By node, the links that lead to it. */
  readonly inLinks: readonly (readonly number[])[];
  readonly everyLink: readonly number[];
  readonly length: number;
  /** Timed runs: the round, and the node up to which messages of this instant have come. */
  readonly roundAt: number;
  readonly cursorAt: number;
  /** Whether nodes are told that a round has ended. */
  readonly ends: boolean;
  /** Only where the network can fall apart: a bit for each node that is not on the side of node 0. */
  readonly sidesAt: number | null;
  private readonly firstLink: number;
  private readonly firstTouched: number;
  private readonly budgets = new Map<keyof Budget, number>();
  /** By node, the number of its first link, that to itself. */
  private readonly firstOf: Int32Array;

  constructor({ topology, protocol, params, budget }: Problem) {
    this.size = topology.size;
    const links: Link[] = [];
    this.firstOf = Int32Array.from({ length: this.size }, (_, from) => {
      const first = links.length;
      for (let port = SELF; port < topology.degree(from); port++) {
        const to = port === SELF ? from : topology.neighbour(from, port);
        links.push({ from, port, to, inbound: port === SELF ? SELF : topology.arrival(from, port) });
      }
      return first;
    });
    this.links = links;
    this.everyLink = links.map((_, link) => link);
    const inLinks: number[][] = Array.from({ length: this.size }, () => []);
    for (const [link, { to }] of links.entries()) inLinks[to].push(link);
    this.inLinks = inLinks;
    this.firstLink = PER_NODE * this.size;
    const given = (Object.keys(BUDGETS) as (keyof Budget)[]).filter((kind) => (budget[kind] ?? 0) > 0);
    for (const [i, kind] of given.entries()) this.budgets.set(kind, this.firstLink + links.length + i);
    this.sidesAt = given.includes("partitions") ? this.firstLink + links.length + given.length : null;
    this.roundAt = this.firstLink + links.length + given.length + (this.sidesAt === null ? 0 : 1);
    this.cursorAt = this.roundAt + 1;
    this.firstTouched = this.cursorAt + 1;
    this.ends = protocol.endRound !== undefined && isSynchronous(protocol, params);
    this.length = this.firstTouched + (this.ends ? this.size : 0);
  }

  stateAt(node: number): number {
    return PER_NODE * node;
  }

  timersAt(node: number): number {
    return PER_NODE * node + 1;
  }

  statusAt(node: number): number {
    return PER_NODE * node + 2;
  }

  /** The link whose content, or the node of which something, stands there. */
  whatIsAt(place: number): { readonly link: number | null; readonly node: number | null } {
    if (place < this.firstLink) return { link: null, node: Math.floor(place / PER_NODE) };
    const link = place - this.firstLink;
    return { link: link < this.links.length ? link : null, node: null };
  }

  linkAt(link: number): number {
    return this.firstLink + link;
  }

  /** Only where rounds end: whether a node had something to do in this one. */
  touchedAt(node: number): number {
    return this.firstTouched + node;
  }

  link(node: number, port: Port): number {
    return this.firstOf[node] + port - SELF;
  }

  /** Whether there were any faults to come at the beginning. */
  get faulty(): boolean {
    return this.budgets.size > 0;
  }

  /** How many more faults of that kind may come. */
  left(vector: Int32Array, kind: keyof Budget): number {
    const at = this.budgets.get(kind);
    return at === undefined ? 0 : vector[at];
  }

  /** Whether a fault may come now or later: one that needs a crash only where a node is down. */
  disturbed(vector: Int32Array): boolean {
    for (const [kind, at] of this.budgets) {
      if (vector[at] === 0 || kind === "late") continue;
      if (kind !== "restarts") return true;
      for (let node = 0; node < this.size; node++) if (vector[this.statusAt(node)] === DOWN) return true;
    }
    return this.sidesAt !== null && vector[this.sidesAt] !== 0;
  }

  /** As `disturbed`, but loss, duplicates and crashes are each node's own, as long as none can start again. */
  entangled(vector: Int32Array): boolean {
    const fells = this.left(vector, "crashes") + this.left(vector, "halfway") > 0;
    for (const [kind, at] of this.budgets) {
      if (vector[at] === 0 || OWN.includes(kind)) continue;
      if (kind !== "restarts" || fells) return true;
      for (let node = 0; node < this.size; node++) if (vector[this.statusAt(node)] === DOWN) return true;
    }
    return this.sidesAt !== null && vector[this.sidesAt] !== 0;
  }

  spend(draft: Draft, kind: keyof Budget): void {
    const at = this.budgets.get(kind)!;
    draft.set(at, draft.cells[at] - 1);
  }

  /** A vector with these contents, and all budgets whole. */
  filled(budget: Budget, state: number, timers: number, content: number): Int32Array {
    const vector = new Int32Array(this.length);
    for (let node = 0; node < this.size; node++) {
      vector[this.stateAt(node)] = state;
      vector[this.timersAt(node)] = timers;
    }
    vector.fill(content, this.firstLink, this.firstLink + this.links.length);
    for (const [kind, at] of this.budgets) vector[at] = budget[kind]!;
    return vector;
  }

  /** For each rotation of a ring, where each entry of the vector goes. */
  rotations(): Int32Array[] {
    return Array.from({ length: this.size }, (_, by) => {
      const turned = (node: number) => (node + by) % this.size;
      return this.moved(turned, ({ from, port }) => this.link(turned(from), port));
    });
  }

  /** The same for each permutation of the nodes of a complete network. */
  permutations(): Int32Array[] {
    const between = new Map(this.links.map(({ from, to }, link) => [from * this.size + to, link]));
    return permutationsOf(this.size).map((places) =>
      this.moved(
        (node) => places[node],
        ({ from, to }) => between.get(places[from] * this.size + places[to])!,
      ),
    );
  }

  private moved(place: (node: number) => number, linkOf: (link: Link) => number): Int32Array {
    const to = Int32Array.from({ length: this.length }, (_, i) => i);
    for (let node = 0; node < this.size; node++) {
      for (let part = 0; part < PER_NODE; part++) to[PER_NODE * node + part] = PER_NODE * place(node) + part;
      if (this.ends) to[this.touchedAt(node)] = this.touchedAt(place(node));
    }
    for (const [number, link] of this.links.entries()) to[this.linkAt(number)] = this.linkAt(linkOf(link));
    return to;
  }
}

function permutationsOf(size: number): readonly (readonly number[])[] {
  if (size === 0) return [[]];
  return permutationsOf(size - 1).flatMap((rest) =>
    Array.from({ length: size }, (_, at) => [...rest.slice(0, at), size - 1, ...rest.slice(at)]),
  );
}
