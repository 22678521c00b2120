/** What a host is given to run, and what it gives back. */
import type { Address, AnyProtocol, Census } from "../protocol.ts";
import type { Topology } from "../topology/topology.ts";
import type { Delay } from "./delays.ts";
import type { FaultPlan } from "./faults/faults.ts";
import type { Observer } from "./observer.ts";

/** One run in full: protocol, network, ids, who starts, faults and seed. */
export interface Setup {
  readonly protocol: AnyProtocol;
  /** Resolved parameters, as the protocol's `init` expects them. */
  readonly params: unknown;
  readonly topology: Topology;
  /** The id of each node; null in anonymous models. */
  readonly ids: Int32Array | Float64Array | null;
  /** Nodes that start on their own, ascending; null means all. */
  readonly initiators: readonly number[] | null;
  /** Nodes that had crashed before the run began. */
  readonly crashed: readonly number[];
  readonly faults: FaultPlan;
  /** The role of each node, where the protocol has several; "member" where it is not said. */
  readonly roles?: readonly string[] | undefined;
  /** Open networks: addresses that everybody knows at its start. */
  readonly seeds?: readonly Address[] | undefined;
  readonly seed: number;
  readonly trial: number;
  /** The horizon, in the host's time: what would happen after it does not. Without one the run ends when nothing is left to happen. */
  readonly until?: number | undefined;
  /** If a run sends more messages, it throws. `defaultMostMessages` if missing. Each copy of a multicast counts. */
  readonly mostMessages?: number | undefined;
  readonly observer?: Observer | undefined;
}

/** More than any protocol here sends among n processes; "sortition simulate --help" shows the same formula. */
export const defaultMostMessages = (n: number): number => 1e8 + 20 * n ** 2;

/** What the events host needs besides: delays, and whether links keep the order of messages. */
export interface EventsSetup extends Setup {
  readonly delay: Delay;
  readonly fifo: boolean;
}

/** What a finished run cost, and what its nodes believe. */
export interface Result {
  /** Every unicast sent, lost ones included; a multicast counts once. */
  readonly messages: number;
  readonly bits: number;
  /** When the last delivery happened, in rounds or in units of the maximum (exponential: mean) delay. */
  readonly time: number;
  readonly census: Census;
  readonly measures: Readonly<Record<string, number>>;
  readonly series: Readonly<Record<string, readonly number[]>>;
  /** True where the horizon came before the run had ended by itself. */
  readonly cut?: true;
}
