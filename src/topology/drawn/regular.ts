/** Random d-regular graphs: simple and connected, so expanders with high probability from d = 3 on. */
import { InputError } from "../../errors.ts";
import type { Source } from "../../random/source.ts";
import { permutation } from "../../random/subsets.ts";
import { componentsOf } from "../components.ts";
import { EdgeList, type Graph, graphOf } from "../csr.ts";
import { exchangePartners, pairHalfLinks } from "./configuration.ts";

const ATTEMPTS = 1000;

export function regular(source: Source, n: number, degree: number): Graph {
  const trivial = n === 1 ? degree === 0 : degree === 1 && n === 2;
  if (!trivial && (!Number.isInteger(degree) || degree < 2 || degree >= n || (n * degree) % 2 === 1)) {
    throw new InputError(
      `no connected graph of ${n} nodes has degree ${degree} everywhere: take a degree from 2 to n-1, and n·degree even`,
    );
  }
  if (degree === 2) return cycle(source, n);
  // A dense graph is what a sparse one leaves out, and with degrees of at least n/2 it is connected.
  if (degree > (n - 1) / 2) return complement(pairRegular(source, n, n - 1 - degree, false));
  return pairRegular(source, n, degree, true);
}

function pairRegular(source: Source, n: number, degree: number, connected: boolean): Graph {
  const degrees = new Uint32Array(n).fill(degree);
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const pairing = pairHalfLinks(source, degrees);
    if (pairing.unpaired > 0) continue;
    exchangePartners(source, pairing, n);
    const graph = graphOf("regular", n, pairing.edges);
    if (!connected || componentsOf(graph).count === 1) return graph;
  }
  throw new InputError(`no simple, connected graph of ${n} nodes with degree ${degree} was found: change n or degree`);
}

/** The only connected 2-regular graphs are cycles; pairing would hardly ever make one of them. */
function cycle(source: Source, n: number): Graph {
  const order = permutation(source, n);
  const edges = new EdgeList();
  for (let i = 0; i < n; i++) edges.add(order[i] - 1, order[(i + 1) % n] - 1);
  return graphOf("regular", n, edges);
}

function complement(graph: Graph): Graph {
  const edges = new EdgeList();
  for (let v = 0; v < graph.size; v++) {
    const neighbours = new Set(graph.targets.subarray(graph.offsets[v], graph.offsets[v + 1]));
    for (let u = v + 1; u < graph.size; u++) if (!neighbours.has(u)) edges.add(v, u);
  }
  return graphOf(graph.name, graph.size, edges);
}
