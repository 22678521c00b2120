/**
 * Random graphs with given degrees, by pairing half-links ("configuration-like"): half-links are shuffled and paired;
 * pairs that would make a loop or a double link are put back and paired again (as in Steger and Wormald, "Generating
 * random regular graphs quickly", 1999). That is uniform only for large n, so pairs of links then exchange partners at
 * random, a Markov chain whose limit is uniform.
 */
import type { Source } from "../../random/source.ts";
import { EdgeList } from "../csr.ts";

export interface Pairing {
  readonly edges: EdgeList;
  /** The pairs that are linked, as from·n + to with from < to. */
  readonly linked: Set<number>;
  /** Half-links for which no partner was left; none where the degrees came out exactly. */
  readonly unpaired: number;
}

/** Rounds of pairing without progress after which the rest is given up. */
const PATIENCE = 20;
/** Exchanges per link; in all no more than the second, for on large graphs the pairing is as good as uniform. */
const EXCHANGES_PER_LINK = 10;
const MOST_EXCHANGES = 500_000;

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
  return { edges, linked, unpaired: open.length };
}

/** (a, b) and (c, d) become (a, d) and (c, b), unless that makes a loop or a double link. */
export function exchangePartners(source: Source, { edges, linked }: Pairing, size: number): void {
  const { from, to, count } = edges;
  const key = (u: number, v: number) => Math.min(u, v) * size + Math.max(u, v);
  if (count < 2) return;
  for (let left = Math.min(EXCHANGES_PER_LINK * count, MOST_EXCHANGES); left > 0; left--) {
    const first = source.choose(count);
    const second = source.choose(count);
    const [a, b] = [from[first], to[first]];
    // Either end of the second link may come first; otherwise some graphs could not be reached.
    const turned = source.choose(2) === 1;
    const [c, d] = turned ? [to[second], from[second]] : [from[second], to[second]];
    if (a === d || c === b || first === second || linked.has(key(a, d)) || linked.has(key(c, b))) continue;
    linked.delete(key(a, b));
    linked.delete(key(c, d));
    linked.add(key(a, d));
    linked.add(key(c, b));
    to[first] = d;
    from[second] = c;
    to[second] = b;
  }
}

function shuffle(source: Source, values: Uint32Array): void {
  for (let i = values.length - 1; i > 0; i--) {
    const j = source.choose(i + 1);
    const value = values[i];
    values[i] = values[j];
    values[j] = value;
  }
}
