/** What is to be explored: a protocol on the network that it assumes, or on a small graph where it takes any. */

import { InputError } from "../errors.ts";
import type { AnyProtocol, Id } from "../protocol.ts";
import type { Values } from "../setting.ts";
import { complete } from "../topology/complete.ts";
import { star } from "../topology/lattices.ts";
import { ring } from "../topology/ring.ts";
import { buildNetwork } from "../topology/spec.ts";
import type { Topology } from "../topology/topology.ts";
import type { BUDGETS } from "./settings.ts";

/** How many faults of each kind may come, at any moment. */
export type Budget = Partial<Values<typeof BUDGETS>>;

/** One exploration in full: protocol, network, who starts, and which faults may come. */
export interface Problem {
  readonly protocol: AnyProtocol;
  readonly params: unknown;
  readonly topology: Topology;
  readonly ids: readonly Id[] | null;
  /** Nodes that start on their own, all at once; the spread of a protocol interleaves their starts. */
  readonly initiators: readonly number[];
  /** Who wakes first, where the adversary wakes one and the rest later. */
  readonly wakesFirst?: number | undefined;
  /** The number of the election, where the protocol knows it; 1 where missing. */
  readonly election?: number | undefined;
  /** What each node plays; the first of the protocol's roles where missing. */
  readonly roles?: readonly string[] | undefined;
  readonly fifo: boolean;
  /**
   * null: untimed, anything on its way may happen next. D: messages take 1 .. D instants and timers fire at theirs; with
   * D = 1, the rounds of a synchronous protocol.
   */
  readonly maxDelay: number | null;
  readonly budget: Budget;
  /** Timed: how many instants a pause lasts at most. */
  readonly longestPause?: number;
  /** Timed: how many instants late a start is at most. */
  readonly latestStart?: number;
  /** Timed: messages and timers of one instant come in any order, where they would come node by node, messages first. */
  readonly ties?: boolean;
  /** Fields whose numbers are kept by order (`Machine.ordered`); missing: by value. */
  readonly ordered?: readonly string[] | undefined;
  /** At most this many messages are on a link; what is sent beyond is lost. */
  readonly capacity?: number | undefined;
  /** Every outcome has its probability: all values of a draw, or the order where only that matters. */
  readonly exact?: true;
  /** At most this many values are tried of a draw. */
  readonly choices: number;
  /** Random walks: what is drawn, instead of every value. */
  readonly draw?: (n: number) => number;
  /** Steps that report more than this of a measure are not taken: {phases: 2} explores two phases. */
  readonly limits: Readonly<Record<string, number>>;
}

/** Random graphs are those that a simulation with seed 1 draws. */
const SEED = 1;

export function networkFor({ name, assumes }: AnyProtocol, n: number, spec: string | undefined): Topology {
  const needed = assumes.topology;
  if (needed === "open") {
    throw new InputError(
      `${name} makes its links by address, and the explorer has given links only: explore a protocol that it embeds, or simulate it`,
    );
  }
  if (needed !== "connected" && spec !== undefined && spec !== needed) {
    throw new InputError((field) => `${name} is explored on a ${needed} topology: leave ${field("topology")} out`);
  }
  if (needed === "ring") return ring(n);
  if (needed === "star") return star(n);
  if (needed === "complete" || spec === undefined || spec === "complete") return complete(n);
  const { topology } = buildNetwork({ spec, n, seed: SEED, largestComponent: false });
  if (topology.size === n) return topology;
  throw new InputError((field) => `${spec} has ${topology.size} nodes: set ${field("n")} to ${topology.size}`);
}

/** Whether the network looks the same from each node, ports included: turned by one place, it is itself. */
export function isRound({ assumes }: AnyProtocol, topology: Topology): boolean {
  if (assumes.topology === "ring" || assumes.topology === "complete") return true;
  const { size } = topology;
  for (let node = 0; node < size; node++) {
    const next = (node + 1) % size;
    if (topology.degree(node) !== topology.degree(next)) return false;
    for (let port = 0; port < topology.degree(node); port++) {
      if (topology.neighbour(next, port) !== (topology.neighbour(node, port) + 1) % size) return false;
      if (topology.arrival(next, port) !== topology.arrival(node, port)) return false;
    }
  }
  return true;
}
