/** Regular networks: star, torus and hypercube. Star and hypercube are computed and cost no memory. */
import { InputError } from "../errors.ts";
import { EdgeList, type Graph, graphOf } from "./csr.ts";
import type { Topology } from "./topology.ts";

/** The centre's node number; hosts are 1 .. n. */
export const CENTRE = 0;

/** The only port of a host. */
export const TO_CENTRE = 0;

/** A centre and n hosts that know nobody else: n+1 nodes, no memory. Port p of the centre leads to host p+1. */
export function star(n: number): Topology {
  return {
    name: "star",
    size: n + 1,
    degree: (node) => (node === CENTRE ? n : 1),
    neighbour: (node, port) => (node === CENTRE ? port + 1 : CENTRE),
    arrival: (node, _port) => (node === CENTRE ? TO_CENTRE : node - 1),
    links: 2 * n,
    link: (node, port) => (node === CENTRE ? port : n + node - 1),
  };
}

/** A grid of rows by columns that wraps around; with two rows or columns the double links are single ones. */
export function torus(rows: number, columns: number): Graph {
  if (rows < 2 || columns < 2) throw new InputError(`a torus needs at least 2 by 2 nodes, not ${rows}x${columns}`);
  const edges = new EdgeList();
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const node = row * columns + column;
      edges.add(node, row * columns + ((column + 1) % columns));
      edges.add(node, ((row + 1) % rows) * columns + column);
    }
  }
  return { ...graphOf("torus", rows * columns, edges), dropped: { duplicates: 0, loops: 0 } };
}

/** The sides of the most nearly square torus of n nodes. */
export function torusSides(n: number): [number, number] {
  for (let rows = Math.floor(Math.sqrt(n)); rows >= 2; rows--) if (n % rows === 0) return [rows, n / rows];
  throw new InputError(`a torus needs n = A·B with A and B at least 2, and ${n} has no such factors: change n`);
}

/** Nodes are neighbours when their numbers differ in one bit; port p flips bit p. */
export function hypercube(n: number): Topology {
  const dimension = Math.log2(n);
  if (!Number.isInteger(dimension) || dimension < 1 || dimension > 30) {
    throw new InputError(`a hypercube needs n = 2, 4, 8, ... (a power of two), not ${n}`);
  }
  return {
    name: "hypercube",
    size: n,
    degree: () => dimension,
    neighbour: (node, port) => node ^ (1 << port),
    arrival: (_node, port) => port,
    links: n * dimension,
    link: (node, port) => node * dimension + port,
  };
}

/** The star as a network of n nodes: the centre is one of them. */
export function starGraph(n: number): Topology {
  if (n < 2) throw new InputError(`a star needs at least 2 nodes, not ${n}`);
  return star(n - 1);
}
