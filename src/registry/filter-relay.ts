/** Gupta et al.: elections by a filter and relays, and the multicast below them. */
import { filterRelayKernel } from "../kernels/filter-relay/filter-relay.ts";
import { epidemicMulticast } from "../protocols/group/epidemic-multicast.ts";
import { filterRelay } from "../protocols/group/filter-relay.ts";
import { narrateEpidemicMulticast, narrateFilterRelay } from "../protocols/narration/group.ts";
import { filterRelayHolds } from "../protocols/narration/holding.ts";
import type { Params } from "../protocols/parameters.ts";
import { predictEpidemic } from "../theory/gupta/epidemic.ts";
import { predictElection, predictFilterRelay } from "../theory/gupta/filter-relay-election.ts";
import type { Entry } from "./entry.ts";
import type { Tries } from "./planning.ts";

export const filterRelayEntry: Entry = {
  protocol: filterRelay,
  predict: predictFilterRelay,
  kernels: [filterRelayKernel],
  narrate: narrateFilterRelay,
  memory: ({ n }) => 600 * n,
  planning: {
    predict: predictElection,
    ways: () => [search],
    traffic: ({ messages, factors }) => ({
      unicasts: messages! - factors!.multicasts,
      multicasts: factors!.multicasts,
    }),
    time(question, tail, { factors }) {
      const { params, n } = question;
      const last = Number(params.rounds);
      let time = 0;
      for (let round = 1; round <= last; round++) {
        const relays = round === last ? n : Math.min(n, Number(params.K) * Number(params.factor) ** (round - 1));
        time += (round === 1 ? 0 : slots(params, n)) + roundTime(relays);
        if ((factors![`beyond${round}`] ?? 0) <= tail) break;
      }
      return time;
    },
    lengthen: (delays, multicast) => delays * multicast,
    shortfall: ({ crash }) =>
      crash > 0
        ? `nobody notices if the chosen leader crashes in the round (${Number((100 * crash).toPrecision(4))}%)`
        : null,
  },
  delays(rounds, params, n) {
    const first = roundTime(Number(params.K));
    return first + (rounds - 1) * (slots(params, n) + Number(params.factor) * first);
  },
  // It spreads re-initiations over 10 slots a member, and waits for them all: nobody should have to watch that.
  demonstration: { window: 30 },
  page: { name: "Filter and relay", holds: filterRelayHolds, phase: "round" },
};

/** Initiation, 3K/2 unicasts one after the other and a final multicast. */
const roundTime = (relays: number): number => 1.5 * relays + 3;

/** Before another round, the slots for telling. */
const slots = (params: Params, n: number): number => Number(params.window ?? 10 * n);

const MOST_RARE = 0.01;

/** K grows by a seventh from try to try: what lies between costs hardly less. */
function search(tries: Tries): void {
  const { n } = tries.setting;
  for (let k = 1; k < 8 * n; k = Math.max(k + 1, Math.round((k * 8) / 7))) {
    const K = Math.min(k, n);
    const tried = tries.attempt({ K });
    // A mean that hangs on one election in ten thousand, or in a million, is nothing to plan with.
    if (tried !== null && tried.rare < MOST_RARE) tries.add(tried);
    if (K === n) break;
    // Unicasts grow with the square of K.
    const { found } = tries;
    if (found !== null && K > 4 * Number(found.chosen.K)) break;
  }
}

export const epidemicMulticastEntry: Entry = {
  protocol: epidemicMulticast,
  predict: predictEpidemic,
  narrate: narrateEpidemicMulticast,
  planning: "it delivers a message to everybody; it elects nobody",
};
