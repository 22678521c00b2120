/** Processes of a complete graph ask others, and leave marks on them: in WebAssembly (assembly/asking.ts), or in JavaScript. */
import type { StreamKey } from "../random/bulk.ts";
import type { NodeStream } from "../random/streams.ts";
import { BitSet } from "./bit-set.ts";
import { LinearMemory } from "./linear-memory.ts";
import { Sampler } from "./sampler.ts";

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

/** Two bits for each of this many processes stay in a cache; for more of them there is one. */
const MOST_NEAR = 2 ** 24;

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

/** What assembly/asking.ts exports, and the key of its draws. */
interface Functions {
  key(...key: StreamKey): void;
  askNear(
    ...of: [node: number, place: number, n: number, urn: number, k: number, list: number, marks: number, bits: bigint]
  ): number;
  forget(list: number, k: number, marks: number): void;
  askFar(
    ...of: [
      node: number,
      place: number,
      n: number,
      urn: number,
      k: number,
      list: number,
      marks: number,
      bit: number,
      table: number,
      shift: number,
    ]
  ): number;
  markFirst(list: number, k: number, marks: number, width: number, out: number): number;
  takeMarks(list: number, k: number, marks: number, width: number): number;
}

/** The layout: words for marks, for the table of the own sample, and how many bits of a hash are dropped. */
function layoutOf({ n, k }: AskingSizes) {
  const words = Math.ceil(n / 32);
  if (n <= MOST_NEAR) return { marks: 2 * words, slots: 0, shift: 0 };
  const bits = Math.max(4, 33 - Math.clz32(k));
  return { marks: words, slots: 2 ** bits, shift: 32 - bits };
}

/** In WebAssembly; null if there is none. */
export function assembledAsking(sizes: AskingSizes): AskingMarks | null {
  const { n, key, urn, k, lists } = sizes;
  const layout = layoutOf(sizes);
  const memory = LinearMemory.open<Functions>(4 * (layout.marks + layout.slots + k * (lists + 1) + 16));
  if (memory === null) return null;
  const { run } = memory;
  const isNear = layout.slots === 0;
  const width = isNear ? 3 : 2;
  const marksAt = memory.place(layout.marks);
  const tableAt = memory.place(layout.slots);
  const firstsAt = memory.place(k);
  const askedAt = memory.place(k * lists);
  const listAt = (list: number) => askedAt + 4 * k * list;
  const marks = memory.at(marksAt, layout.marks);
  const table = memory.at(tableAt, layout.slots);
  if (!memory.isFresh) marks.fill(0);
  run.key(...key);

  const ask = (list: number, node: number, { place }: NodeStream, bit: 0 | 1): number => {
    const at = listAt(list);
    if (isNear) {
      const found = run.askNear(node, place, n, urn, k, at, marksAt, bit === 1 ? MARKED : OWN);
      run.forget(at, k, marksAt);
      return found;
    }
    table.fill(0);
    return run.askFar(node, place, n, urn, k, at, marksAt, bit, tableAt, layout.shift);
  };

  return {
    asked: memory.at(askedAt, k * lists),
    firsts: memory.at(firstsAt, k),
    ask: (list, node, draws) => void ask(list, node, draws, 0),
    askAndMark: (list, node, draws) => ask(list, node, draws, 1),
    markFirst: (list) => run.markFirst(listAt(list), k, marksAt, width, firstsAt),
    takeMarks: (list) => run.takeMarks(listAt(list), k, marksAt, width),

    markAll({ words }) {
      for (let i = 0; i < words.length; i++) marks[i * (width - 1)] |= words[i];
    },

    unmarkAll({ words }) {
      for (let i = 0; i < words.length; i++) marks[i * (width - 1)] &= ~words[i];
    },

    unmark(node) {
      marks[(node >>> 5) * (width - 1)] &= ~(1 << (node & 31));
    },
  };
}

/** In the own sample; and marked as well. */
const OWN = 2n ** 32n;
const MARKED = OWN + 1n;

/** In JavaScript. */
export function plainAsking({ n, urn, k, lists }: AskingSizes): AskingMarks {
  const asked = new Uint32Array(k * lists);
  const firsts = new Uint32Array(k);
  const marks = new BitSet(n);
  const sampler = new Sampler(urn);

  const ask = (list: number, node: number, draws: NodeStream) => {
    const first = k * list;
    sampler.draw(draws, k, asked, first);
    // Port p leads p+1 places further on, as in topology/complete.ts.
    for (let i = first; i < first + k; i++) {
      const to = asked[i] + node + 1;
      asked[i] = to < n ? to : to - n;
    }
  };

  const markFirst = (list: number): number => {
    let found = 0;
    for (let i = k * list; i < k * (list + 1); i++) {
      const to = asked[i];
      if (to === LOST_REQUEST || marks.has(to)) continue;
      marks.add(to);
      firsts[found++] = to;
    }
    return found;
  };

  return {
    asked,
    firsts,
    ask,
    markFirst,

    askAndMark(list, node, draws) {
      ask(list, node, draws);
      return markFirst(list);
    },

    takeMarks(list) {
      let found = 0;
      for (let i = k * list; i < k * (list + 1); i++) {
        const to = asked[i];
        if (to === LOST_REQUEST || !marks.has(to)) continue;
        marks.delete(to);
        found++;
      }
      return found;
    },

    markAll: (nodes) => marks.addAll(nodes),
    unmarkAll: (nodes) => marks.deleteAll(nodes),
    unmark: (node) => marks.delete(node),
  };
}

/** In WebAssembly where there is any, and otherwise in JavaScript, with the same draws and the same marks. */
export const openAsking = (sizes: AskingSizes): AskingMarks => assembledAsking(sizes) ?? plainAsking(sizes);
