/** The setting of a simulation as a question to theory. */
import { longest } from "../host/delays.ts";
import { resolveParameters } from "../protocols/parameters.ts";
import { findProtocol } from "../protocols/registry.ts";
import { adapted, checkNetwork } from "../simulation/network.ts";
import { type Request, resolve, type Settings } from "../simulation/settings.ts";
import type { Question } from "../theory/prediction.ts";

/** What can be simulated is checked as `simulate` does; above this n no table of the processes fits into memory. */
const SIMULATED = 2 ** 24;

/**
 * The setting of a simulation as a question to `predict`.
 *
 * @example
 * ```ts
 * const prediction = predict(questionOf({ protocol: "chang-roberts", n: 1000 }));
 * ```
 */
export function questionOf(request: Request): Question {
  return request.n !== null && request.n > SIMULATED ? beyondSimulation(request) : questionFrom(resolve(request));
}

export const questionFrom = ({ protocol, n, params, initiators, faults }: Settings): Question => ({
  protocol: protocol.name,
  n,
  params,
  initiators: initiators === "all" ? n : initiators,
  loss: faults.loss,
  multicastLoss: faults.multicastLoss,
  crash: faults.crash,
});

/** Theory draws no ranks, so a limit of n that comes from drawing them does not hold here. */
function beyondSimulation(request: Request): Question {
  const { protocol } = findProtocol(request.protocol);
  const network = checkNetwork(protocol, { ...request, seed: request.seed ?? 1 });
  const maxDelay = request.delay === undefined ? 1 : longest(request.delay);
  const { refuse: _, ...unrefused } = protocol;
  const params = resolveParameters(unrefused, request.params ?? {}, network.n, { maxDelay });
  const { initiators = protocol.initiators ?? "all", faults } = request;
  return {
    protocol: protocol.name,
    n: network.n,
    params: adapted(protocol, params, network),
    initiators: initiators === "all" ? network.n : initiators,
    loss: faults?.loss ?? 0,
    multicastLoss: faults?.multicastLoss ?? 0,
    crash: faults?.crash ?? 0,
  };
}
