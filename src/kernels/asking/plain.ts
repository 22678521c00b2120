/** Where there is no WebAssembly. */
import type { NodeStream } from "../../random/streams.ts";
import { BitSet } from "../bit-set.ts";
import { Sampler } from "../sampler.ts";
import { type AskingMarks, type AskingSizes, LOST_REQUEST } from "./asking.ts";

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
