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
