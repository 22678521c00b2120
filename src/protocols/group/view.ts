/** What a member knows of the group: a partial view that no one stores, and sets of ports as bits, 32 to a word. */
import type { Context, Id, Port } from "../../protocol.ts";
import { better, type Choice } from "./choice.ts";
import { filterValue, viewValue } from "./hash.ts";

export type PortSet = number[];

export const portSet = (size: number): PortSet => new Array(Math.ceil(size / 32)).fill(0);

export const has = (set: PortSet, port: Port): boolean => ((set[port >>> 5] >>> (port & 31)) & 1) === 1;

export function addPort(set: PortSet, port: Port): void {
  set[port >>> 5] |= 1 << (port & 31);
}

/** Ascending. */
export function forEachPort(set: PortSet, act: (port: Port) => void): void {
  for (let word = 0; word < set.length; word++) {
    for (let bits = set[word]; bits !== 0; bits &= bits - 1) act(32 * word + 31 - Math.clz32(bits & -bits));
  }
}

/** A member that looks at the group. It is part of its own view, although no port leads to it. */
export interface Viewer {
  readonly id: Id;
  readonly election: number;
  /** The probability of knowing any other member. */
  readonly view: number;
  /** Members that have made themselves known; empty while there are none. */
  readonly acquired: PortSet;
}

type Ports = Pick<Context<never>, "degree" | "peer">;

/** Whether the view contains the member behind a port. */
export function sees(viewer: Viewer, port: Port, member: Id): boolean {
  if (viewer.acquired.length > 0 && has(viewer.acquired, port)) return true;
  return viewer.view >= 1 || viewValue(viewer.election, viewer.id, member) < viewer.view;
}

export function viewSize(viewer: Viewer, ports: Ports): number {
  let size = 1;
  for (let port = 0; port < ports.degree; port++) if (sees(viewer, port, ports.peer(port)!)) size++;
  return size;
}

/** The members of the view, other than the viewer, whose filter value for a round is below `share`: {M_j}. */
export function relaysInView(viewer: Viewer, round: number, share: number, ports: Ports): PortSet {
  const { degree } = ports;
  const relays = portSet(degree);
  for (let port = 0; port < degree; port++) {
    const member = ports.peer(port)!;
    // The filter admits few, so it is asked first.
    if (share < 1 && filterValue(viewer.election, round, member) >= share) continue;
    if (sees(viewer, port, member)) addPort(relays, port);
  }
  return relays;
}

/** The best member of the view. Only a member better than the best so far is worth a look into the view. */
export function preferred(viewer: Viewer, choice: Choice, ports: Ports): Id {
  const { degree } = ports;
  let best = viewer.id;
  for (let port = 0; port < degree; port++) {
    const member = ports.peer(port)!;
    if (better(choice, member, best) && sees(viewer, port, member)) best = member;
  }
  return best;
}
