/** Exact kernels of the synchronous protocols of Ramanathan et al.: the tournament, and the quorum alone. */
import { isFaultless } from "../host/faults.ts";
import type { FirstPhaseParams, QuorumParams } from "../protocols/complete/parameters.ts";
import { type QuorumProtocolParams, quorum } from "../protocols/complete/quorum.ts";
import { tournament } from "../protocols/complete/tournament.ts";
import { Exchanges } from "./exchanges.ts";
import type { Kernel, KernelSettings } from "./kernel.ts";
import { LARGEST_N } from "./requests.ts";

/** Half a gigabyte of requests. */
const MOST_REQUESTS = 2 ** 27;

export const tournamentKernel: Kernel = {
  name: tournament.name,
  protocol: tournament,

  refuses(settings) {
    const { mediators } = settings.params as unknown as FirstPhaseParams;
    if (mediators !== "fresh") return "the tournament kernel knows mediators=fresh only";
    return refusesExchanges(settings);
  },

  memory: ({ n, faults }) => n * (faults.loss > 0 ? 30 : 11),

  run(settings, trial) {
    const params = settings.params as unknown as FirstPhaseParams;
    const election = new Exchanges(settings, trial);
    election.firstPhase(params);
    election.quorum(params, params.J + 1);
    return election.result();
  },
};

export const quorumKernel: Kernel = {
  name: `${quorum.name}, sync`,
  protocol: quorum,

  refuses(settings) {
    const params = settings.params as unknown as QuorumProtocolParams;
    if (params.timing !== "sync") return "the quorum kernel knows timing=sync only";
    if (keptRequests(settings) > MOST_REQUESTS) {
      return `under loss or gamma the quorum kernel keeps all requests, and ${keptRequests(settings)} do not fit into memory`;
    }
    return refusesExchanges(settings);
  },

  memory: (settings) => 14 * settings.n + 8 * keptRequests(settings),

  run(settings, trial) {
    const election = new Exchanges(settings, trial);
    election.quorum(settings.params as unknown as QuorumParams, 1);
    return election.result();
  },
};

/** Requests that have to be remembered until all are drawn. */
function keptRequests({ n, initiators, faults, params }: KernelSettings): number {
  const { ask, gamma } = params as unknown as QuorumParams;
  if (faults.loss === 0 && gamma === 0) return 0;
  return Math.min(ask, n) * (initiators === "all" ? n : initiators);
}

function refusesExchanges({ n, topology, faults, protocol }: KernelSettings): string | null {
  if (topology !== "complete") return `the ${protocol.name} kernel knows complete graphs only`;
  if (!isFaultless(faults, ["loss", "multicastLoss", "crash", "crashes"]) || faults.crashes.some(({ at }) => at > 0)) {
    return `the ${protocol.name} kernel knows no faults but lost messages and crashes before the start`;
  }
  return n > LARGEST_N ? `the ${protocol.name} kernel knows n up to ${LARGEST_N}` : null;
}
