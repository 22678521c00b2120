/** By assembly/asking.ts. */
import type { StreamKey } from "../../random/bulk.ts";
import type { NodeStream } from "../../random/streams.ts";
import { LinearMemory } from "../linear-memory.ts";
import { type AskingMarks, type AskingSizes, MOST_NEAR } from "./asking.ts";

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

/** Null where there is no WebAssembly. */
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
