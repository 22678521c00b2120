/** The model of a run in words: which way messages can go, and what can go wrong by the settings. */
import type { FaultPlan } from "../../src/host/faults/faults.ts";
import type { AnyProtocol } from "../../src/protocol.ts";
import type { Topology } from "../../src/topology/topology.ts";
import type { Facts } from "../run/types.ts";

/** Of a network that is built. */
export function waysOf(topology: Topology, protocol: AnyProtocol): string {
  const { topology: assumed } = protocol.assumes;
  if (assumed === "star") return waysIn("star", protocol);
  if (assumed === "open") return waysIn("open", protocol);
  if (topology.name === "complete" || topology.hops !== undefined) return waysIn("complete", protocol);
  return waysIn(assumed === "ring" || topology.name === "ring" ? "ring" : "graph", protocol);
}

export function waysIn(network: Facts["network"], { assumes }: AnyProtocol): string {
  switch (network) {
    case "ring":
      return assumes.topology === "ring" && assumes.direction !== "bidirectional"
        ? "links lead one way, clockwise"
        : "links lead both ways";
    case "complete":
      return "each process has a link to every other";
    case "star":
      return "the centre multicasts, hosts answer the centre";
    case "graph":
      return "links lead both ways";
    case "open":
      return "each process reaches those whose address it knows";
  }
}

const share = (rate: number): string => `${Number((100 * rate).toPrecision(3))}%`;
const planned = (list: readonly unknown[], noun: string): string =>
  `${list.length} planned ${list.length === 1 ? noun : `${noun}s`}`;

/** Every kind of fault; a setting that this table does not know does not compile. */
const WORDS: { readonly [K in keyof Required<FaultPlan>]: (value: NonNullable<FaultPlan[K]>) => string } = {
  loss: (rate) => `each message is lost with probability ${share(rate)}`,
  multicastLoss: (rate) => `each copy of a multicast is lost with probability ${share(rate)}`,
  crash: (rate) => `each process is crashed with probability ${share(rate)}`,
  losses: (list) => planned(list, "loss rule"),
  crashes: (list) => planned(list, "crash").replace("crashs", "crashes"),
  pauses: (list) => planned(list, "pause"),
  partitions: (list) => planned(list, "partition"),
  restarts: (list) => planned(list, "restart"),
  joins: (list) => planned(list, "join"),
  leaves: (list) => planned(list, "leave"),
  commands: (list) => planned(list, "command"),
  duplicate: (rate) => `each message arrives twice with probability ${share(rate)}`,
  duplicates: (list) => planned(list, "duplication rule"),
  reorder: (rate) => `each message is held back with probability ${share(rate)}`,
  spikes: (list) => planned(list, "delay rule"),
  clocks: (list) => planned(list, "clock rate"),
  drift: (rate) => `clocks drift by up to ${share(rate)}`,
};

/** Nothing where nothing can go wrong. */
export function faultsIn(plan: FaultPlan): string[] {
  return Object.entries(plan).flatMap(([name, value]) => {
    if (value === undefined || value === 0 || (Array.isArray(value) && value.length === 0)) return [];
    return [WORDS[name as keyof FaultPlan](value as never)];
  });
}
