/** Regular structures: torus, hypercube and star. The last two are implicit and cost no memory. */
import { InputError } from "../errors.ts";
import { EdgeList, type Graph, graphOf } from "./csr.ts";
import type { Topology } from "./topology.ts";

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

/** Node 0 in the middle, everybody else linked to it alone. */
export function starGraph(n: number): Topology {
  if (n < 2) throw new InputError(`a star needs at least 2 nodes, not ${n}`);
  return {
    name: "star",
    size: n,
    degree: (node) => (node === 0 ? n - 1 : 1),
    neighbour: (node, port) => (node === 0 ? port + 1 : 0),
    arrival: (node) => (node === 0 ? 0 : node - 1),
    links: 2 * (n - 1),
    link: (node, port) => (node === 0 ? port : n - 2 + node),
  };
}
