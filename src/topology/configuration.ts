/**
 * Random graphs with given degrees, by pairing half-links ("configuration-like"): half-links are shuffled and paired;
 * pairs that would make a loop or a double link are put back and paired again (as in Steger and Wormald, "Generating
 * random regular graphs quickly", 1999, whose result is asymptotically uniform for small degrees).
 */
import type { Source } from "../random/source.ts";
import { EdgeList } from "./csr.ts";

export interface Pairing {
  readonly edges: EdgeList;
  /** Half-links for which no partner was left; none where the degrees came out exactly. */
  readonly unpaired: number;
}

/** Rounds of pairing without progress after which the rest is given up. */
const PATIENCE = 20;

export function pairHalfLinks(source: Source, degrees: ArrayLike<number>): Pairing {
  let total = 0;
  for (let v = 0; v < degrees.length; v++) total += degrees[v];
  let open = new Uint32Array(total);
  let at = 0;
  for (let v = 0; v < degrees.length; v++) for (let i = 0; i < degrees[v]; i++) open[at++] = v;
  const edges = new EdgeList();
  const linked = new Set<number>();
  const { length: size } = degrees;
  for (let idle = 0; open.length > 1 && idle < PATIENCE; ) {
    shuffle(source, open);
    let left = open.length & 1;
    for (let i = open.length & 1; i < open.length; i += 2) {
      const u = Math.min(open[i], open[i + 1]);
      const v = Math.max(open[i], open[i + 1]);
      const key = u * size + v;
      if (u === v || linked.has(key)) {
        open[left++] = u;
        open[left++] = v;
      } else {
        linked.add(key);
        edges.add(u, v);
      }
    }
    idle = left < open.length ? 0 : idle + 1;
    open = open.slice(0, left);
  }
  return { edges, unpaired: open.length };
}

function shuffle(source: Source, values: Uint32Array): void {
  for (let i = values.length - 1; i > 0; i--) {
    const j = source.choose(i + 1);
    const value = values[i];
    values[i] = values[j];
    values[j] = value;
  }
}
