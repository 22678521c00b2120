import type { Topology } from "./topology.ts";

/** Whether the nodes of a network (any number of components) can be coloured with two colours. */
export function isBipartite(topology: Topology): boolean {
  const { name, size } = topology;
  if (name === "complete") return size <= 2;
  if (name === "hypercube" || name === "star") return true;
  const colour = new Uint8Array(size);
  const queue = new Uint32Array(size);
  for (let root = 0; root < size; root++) {
    if (colour[root] !== 0) continue;
    let tail = 0;
    queue[tail++] = root;
    colour[root] = 1;
    for (let head = 0; head < tail; head++) {
      const node = queue[head];
      const degree = topology.degree(node);
      for (let port = 0; port < degree; port++) {
        const next = topology.neighbour(node, port);
        if (colour[next] === colour[node]) return false;
        if (colour[next] !== 0) continue;
        colour[next] = 3 - colour[node];
        queue[tail++] = next;
      }
    }
  }
  return true;
}
