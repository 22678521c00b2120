/**
 * The lumped kernel of filter-relay: most members only hear multicasts, and how many have heard which is all that matters of
 * them. Time and memory follow the messages, whatever n is.
 */
import { filterRelay } from "../../protocols/group/filter-relay.ts";
import { type FilterRelayParams, relaysExpected, strategyOf } from "../../protocols/group/filter-relay-parameters.ts";
import { areLossesAndEarlyCrashes, type Kernel } from "../kernel.ts";
import { FilterRelayElection } from "./election.ts";

/** Numbers of members and of slots stay exact under the arithmetic of the draws. */
const LARGEST_N = 2 ** 48;
/** Each hears of all others. */
const MOST_INITIATORS = 1000;

export const filterRelayKernel: Kernel = {
  name: `${filterRelay.name}, lumped`,
  protocol: filterRelay,
  lumped: true,

  refuses({ n, topology, host, delay, ids, initiators, faults, params }) {
    const { choice, reading, reinitiate, window, "n-spread": spread } = params as unknown as FilterRelayParams;
    if (topology !== "complete") return "the filter-relay kernel knows complete graphs only";
    if (host === "events" && !(delay.kind === "fixed" && delay.value > 0)) {
      return "the filter-relay kernel knows one fixed delay above 0 only, with which all hear a multicast at once";
    }
    if (!areLossesAndEarlyCrashes(faults)) {
      return "the filter-relay kernel knows no faults but lost messages, crashes before the start and those of each round";
    }
    if (n > LARGEST_N) return `the filter-relay kernel knows n up to ${LARGEST_N}`;
    if (typeof ids !== "string") return "the filter-relay kernel knows the ids 1 to n only";
    if (choice !== "lowest-id" && choice !== "highest-id") {
      return "the filter-relay kernel knows choice=lowest-id and choice=highest-id only: others take a look at all members";
    }
    if (reading !== "repaired")
      return "the filter-relay kernel knows reading=repaired only: view sizes tell members apart";
    if (spread !== 1 && reinitiate === "filtered") {
      return "the filter-relay kernel knows reinitiate=filtered with n-spread=1 only: each member's N would have to be kept";
    }
    if (reinitiate === "any" && n > MOST_INITIATORS * window) {
      return "so few slots let too many re-initiate at once for the filter-relay kernel: raise window";
    }
    return (initiators === "all" ? n : initiators) > MOST_INITIATORS
      ? `the filter-relay kernel knows up to ${MOST_INITIATORS} initiators`
      : null;
  },

  memory({ n, initiators, params }) {
    const { view, ...strategy } = params as unknown as FilterRelayParams;
    if (initiators === 0 || (strategy.rounds === 1 && view >= 1)) return 0;
    // Half of those that the first round is expected to have: each has its state, and a bit for each of the others.
    const relays = relaysExpected(strategyOf({ view, ...strategy }), 1, n) / 2;
    return relays * (500 + relays / 8);
  },

  run: (settings, trial) => new FilterRelayElection(settings, trial).run(),
};
