/** Which network a campaign runs on, and what follows from it. */
import { InputError } from "../errors.ts";
import type { AnyProtocol, GraphFacts } from "../protocol.ts";
import type { Params } from "../protocols/parameters.ts";
import type { Values } from "../setting.ts";
import { type NETWORK, SETTINGS } from "../settings/simulation.ts";
import type { Walk } from "../topology/chain.ts";
import { complete } from "../topology/complete.ts";
import { factsOf } from "../topology/facts.ts";
import { star } from "../topology/lattices.ts";
import { overlay } from "../topology/overlay.ts";
import { ring } from "../topology/ring.ts";
import { type NetworkRequest, networkOf } from "../topology/spec.ts";
import type { Topology } from "../topology/topology.ts";
import { open } from "../topology/topology.ts";
import { readAs } from "../values.ts";

export interface NetworkChoice {
  readonly n: number;
  /** The spec, as in topology/spec.ts. */
  readonly topology: string;
  readonly network: NetworkRequest;
  /** How random processes are found where the protocol wants any of them and the network is not complete. */
  readonly sampling: { readonly walk: Walk; readonly steps: number } | null;
}

type Wanted = Pick<Values<typeof SETTINGS>, "seed"> &
  Partial<Omit<Values<typeof NETWORK>, "n">> & { readonly n: number | null };

export function checkNetwork(protocol: AnyProtocol, wanted: Wanted): NetworkChoice {
  const needed = protocol.assumes.topology;
  const spec = wanted.topology ?? (needed === "connected" ? "complete" : needed);
  if ((needed === "ring" || needed === "star" || needed === "open") && spec !== needed) {
    throw new InputError(`${protocol.name} runs on a ${needed} topology, not on "${spec}"`);
  }
  const { n, seed, largestComponent = false } = wanted;
  const network = { spec, n, seed, largestComponent };
  if (spec === needed || spec === "complete") {
    return { n: checkSize(n), topology: spec, network, sampling: null };
  }
  if (n !== null) checkSize(n);
  const { topology } = networkOf(network);
  return {
    n: topology.size,
    topology: spec,
    network,
    sampling: needed === "complete" ? samplingOn(topology, wanted.walk) : null,
  };
}

const checkSize = (n: number | null): number => readAs(SETTINGS.n, n, "n");

function samplingOn(topology: Topology, given: number | undefined): { walk: Walk; steps: number } {
  const walk = factsOf(topology).uniformWalk();
  const steps = given ?? factsOf(topology).uniformMixing();
  if (steps === null) {
    throw new InputError(
      (name) => `the mixing time of this network cannot be computed: say how long walks are to be with ${name("walk")}`,
    );
  }
  return { walk, steps };
}

/** Parameters that follow from the network, filled in. */
export function adapted(protocol: AnyProtocol, params: Params, choice: NetworkChoice): Params {
  if (protocol.adapt === undefined) return params;
  const result = protocol.adapt(params, factsOf(wholeOf(choice)));
  if (typeof result === "string") throw new InputError(`${protocol.name}: ${result}`);
  return result;
}

/** What theory may ask of the network, where a protocol runs on any. */
export const graphFactsFor = (protocol: AnyProtocol, choice: NetworkChoice): GraphFacts | null =>
  protocol.assumes.topology === "connected" ? factsOf(wholeOf(choice)) : null;

/** Even a single process is a complete network. */
const wholeOf = ({ topology, n, network }: NetworkChoice): Topology =>
  topology === "complete" ? complete(n) : networkOf(network).topology;

/** The network of one trial; rings close over processes that had crashed before it. */
export function trialTopology(needed: string, choice: NetworkChoice, crashed: readonly number[]): Topology {
  if (needed === "ring") return ring(choice.n, crashed);
  if (needed === "star") return star(choice.n);
  if (needed === "open") return open(choice.n);
  const topology = wholeOf(choice);
  return choice.sampling === null ? topology : overlay(topology, choice.sampling.walk, choice.sampling.steps);
}
