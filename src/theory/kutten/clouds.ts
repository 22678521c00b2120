/** Kutten et al., section 4: influence clouds, of a small algorithm with every outcome counted, and of random messages. */
import { HostStream } from "../../random/streams.ts";

const NODES = [0, 1, 2, 3];
/** A node is silent with weight 2, or sends through one of its three ports with weight 1 each. */
const OPTIONS = [2, 1, 1, 1];

export interface CloudOutcome {
  readonly weight: number;
  /** By initiator: the states of its cloud after the first and after the second round, as text. */
  readonly clouds: ReadonlyMap<number, string>;
  /** Who sent in the first round: these lead. */
  readonly leaders: readonly number[];
}

/** The ways in which some nodes act, as the port of each (0: silent), with their weights. */
function* actions(
  acting: readonly number[],
): Generator<{ readonly ports: ReadonlyMap<number, number>; weight: number }> {
  for (let code = 0; code < OPTIONS.length ** acting.length; code++) {
    const ports = new Map(acting.map((node, i) => [node, Math.floor(code / OPTIONS.length ** i) % OPTIONS.length]));
    yield { ports, weight: [...ports.values()].reduce((product, port) => product * OPTIONS[port], 1) };
  }
}

const edgesOf = (ports: ReadonlyMap<number, number>) =>
  [...ports].filter(([, port]) => port > 0).map(([from, port]) => [from, (from + port) % NODES.length] as const);

function cloudOf(start: number, edges: readonly (readonly [number, number])[]): number[] {
  const cloud = [start];
  for (const node of cloud) {
    for (const [from, to] of edges) if (from === node && !cloud.includes(to)) cloud.push(to);
  }
  return cloud;
}

/**
 * Two rounds among four nodes: every node may send in the first, and a node that was silent and has heard something in the second. Only
 * the outcomes with disjoint clouds: the event N.
 */
export function disjointOutcomes(): CloudOutcome[] {
  const found: CloudOutcome[] = [];
  for (const first of actions(NODES)) {
    const early = edgesOf(first.ports);
    const heard = new Set(early.map(([, to]) => to));
    const senders = early.map(([from]) => from);
    for (const second of actions(NODES.filter((node) => heard.has(node) && !senders.includes(node)))) {
      const edges = [...early, ...edgesOf(second.ports)];
      const reached = new Set(edges.map(([, to]) => to));
      const initiators = NODES.filter((node) => senders.includes(node) || !reached.has(node));
      const clouds = initiators.map((node) => [early, edges].map((some) => cloudOf(node, some)));
      const members = clouds.flatMap(([, last]) => last);
      if (new Set(members).size < members.length) continue;
      const state = (node: number, some: typeof edges) =>
        `${some.filter(([from]) => from === node).length}/${some.filter(([, to]) => to === node).length}`;
      const text = ([one, two]: number[][]) =>
        [one.map((node) => state(node, early)), two.map((node) => state(node, edges))].join(" then ");
      found.push({
        weight: first.weight * second.weight,
        clouds: new Map(initiators.map((node, i) => [node, text(clouds[i])])),
        leaders: senders,
      });
    }
  }
  return found;
}

/** How often the clouds of `f` messages, sent by initiators through random ports, stay disjoint: Lemma 2. */
export function disjointClouds(n: number, f: number, initiators: number, trials: number): number {
  let apart = 0;
  for (let trial = 0; trial < trials; trial++) {
    const source = new HostStream(1, trial, "topology");
    const cloud = new Map<number, number>();
    while (cloud.size < initiators) cloud.set(source.choose(n), cloud.size);
    // In each of many rounds one member of each cloud, in turn, sends through a random port.
    const clouds = [...cloud.keys()].map((node) => [node]);
    let met = false;
    for (let sent = 0; sent < f && !met; sent++) {
      const mine = sent % initiators;
      const target = source.choose(n);
      const other = cloud.get(target);
      if (other === undefined) {
        cloud.set(target, mine);
        clouds[mine].push(target);
      } else met = other !== mine;
    }
    if (!met) apart++;
  }
  return apart;
}
