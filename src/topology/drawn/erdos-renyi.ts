/** Erdős and Rényi's (Gilbert's) G(n, p): every pair of nodes is linked with probability p, independently. */
import { InputError } from "../../errors.ts";
import { ln } from "../../random/ln.ts";
import type { Source } from "../../random/source.ts";
import { EdgeList, type Graph, graphOf } from "../csr.ts";

/** Jumps from link to link by geometric gaps (Batagelj and Brandes 2005): the cost is the number of links. */
export function erdosRenyi(source: Source, n: number, p: number): Graph {
  if (!(p >= 0 && p <= 1)) throw new InputError(`er:P needs a probability from 0 to 1, not ${p}`);
  const edges = new EdgeList();
  if (p === 0) return graphOf("er", n, edges);
  // ln(1-p) loses the digits of a tiny p; the series is exact to the last bit there.
  const logMiss = p === 1 ? 0 : p < 1e-6 ? -p - (p * p) / 2 : ln(1 - p);
  let row = 1;
  let column = -1;
  for (;;) {
    column += 1 + (p === 1 ? 0 : Math.floor(ln(1 - source.uniform()) / logMiss));
    while (column >= row && row < n) column -= row++;
    if (row >= n) return graphOf("er", n, edges);
    edges.add(row, column);
  }
}
