/** Processes of a complete graph ask others, and leave marks on them. */
import type { StreamKey } from "../../random/bulk.ts";
import type { NodeStream } from "../../random/streams.ts";
import type { BitSet } from "../bit-set.ts";

export interface AskingSizes {
  readonly n: number;
  /** Of the nodes' streams. */
  readonly key: StreamKey;
  /** Ports 0 .. urn-1 are asked, k of them at a time. */
  readonly urn: number;
  readonly k: number;
  /** So many lists of those that were asked are kept. */
  readonly lists: number;
}

/** Two bits for each of so many processes stay in a cache; for more of them there is one. */
export const MOST_NEAR = 2 ** 24;

export const marksMemory = (n: number): number => n / (n <= MOST_NEAR ? 4 : 8);

/** In the place of one that is asked: the request is lost. */
export const LOST_REQUEST = 2 ** 32 - 1;

export interface AskingMarks {
  /** Those that were asked, list after list. */
  readonly asked: Uint32Array;
  /** What `markFirst` has found. */
  readonly firsts: Uint32Array;
  /** A node asks, with the next draws of its stream, which is left where it is; it draws no more. */
  ask(list: number, node: number, draws: NodeStream): void;
  /** The same, and marks those that are asked; how many had no mark. */
  askAndMark(list: number, node: number, draws: NodeStream): number;
  /** Marks those of a list, and finds the ones that had no mark; how many. */
  markFirst(list: number): number;
  /** Takes the marks of those of a list; how many had one. */
  takeMarks(list: number): number;
  markAll(nodes: BitSet): void;
  unmarkAll(nodes: BitSet): void;
  unmark(node: number): void;
}
