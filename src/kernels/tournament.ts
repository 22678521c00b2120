/** Exact kernels of the protocols of Ramanathan et al.: the tournament, and the quorum alone. */
import { isFaultless } from "../host/faults.ts";
import type { FirstPhaseParams, QuorumParams } from "../protocols/complete/parameters.ts";
import { type QuorumProtocolParams, quorum } from "../protocols/complete/quorum.ts";
import { tournament } from "../protocols/complete/tournament.ts";
import { Exchanges } from "./exchanges.ts";
import { delayOf, type Kernel, type KernelSettings } from "./kernel.ts";
import { LARGEST_N } from "./requests.ts";
import { TimedQuorum } from "./timed-quorum.ts";

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

export const quorumAsyncKernel: Kernel = {
  name: `${quorum.name}, async`,
  protocol: quorum,

  refuses(settings) {
    const { timing, tau, spread } = settings.params as unknown as QuorumProtocolParams;
    const { host, delay, faults } = settings;
    if (timing !== "async") return "this quorum kernel knows timing=async only";
    if (spread > 0) return "the quorum kernel lets all contenders start at once: spread=0";
    if (host === "events" && delay.kind !== "fixed") return "the quorum kernel knows fixed delays only";
    if (!Number.isInteger(delayOf(settings)) || !Number.isInteger(tau / delayOf(settings))) {
      return "the quorum kernel knows whole delays only, and a tau that is a multiple of them";
    }
    const requests = allRequests(settings);
    if (requests > (faults.loss > 0 ? MOST_REQUESTS / 8 : MOST_REQUESTS)) {
      return `the quorum kernel keeps all requests, and ${requests} do not fit into memory`;
    }
    return refusesExchanges(settings);
  },

  memory: (settings) => 20 * settings.n + (settings.faults.loss > 0 ? 44 : 4) * allRequests(settings),

  run: (settings, trial) => new TimedQuorum(settings, trial).run(),
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
function keptRequests(settings: KernelSettings): number {
  const { gamma } = settings.params as unknown as QuorumParams;
  return settings.faults.loss === 0 && gamma === 0 ? 0 : allRequests(settings);
}

function allRequests({ n, initiators, params }: KernelSettings): number {
  return Math.min(Number(params.ask), n) * (initiators === "all" ? n : initiators);
}

function refusesExchanges({ n, topology, faults, protocol }: KernelSettings): string | null {
  if (topology !== "complete") return `the ${protocol.name} kernel knows complete graphs only`;
  if (!isFaultless(faults, ["loss", "multicastLoss", "crash", "crashes"]) || faults.crashes.some(({ at }) => at > 0)) {
    return `the ${protocol.name} kernel knows no faults but lost messages and crashes before the start`;
  }
  return n > LARGEST_N ? `the ${protocol.name} kernel knows n up to ${LARGEST_N}` : null;
}
