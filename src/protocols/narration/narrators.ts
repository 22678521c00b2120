/** The narrator of each protocol of the catalogue; a user's protocol brings its own (`narrate`), or is told in general words. */
import type { AnyNarrate } from "../../narrator.ts";
import type { AnyProtocol } from "../../protocol.ts";
import { catalogue } from "../catalogue.ts";
import { quorum, tournamentAsync } from "./complete.ts";
import { continuous, council } from "./councils.ts";
import { exchange } from "./exchange.ts";
import { epidemicMulticast, filterRelay } from "./group.ts";
import { randomWalks, referees } from "./kutten.ts";
import { changRoberts, hirschbergSinclair, itaiRodeh, knownHighest, peterson, timeSlice } from "./rings.ts";

const narrators: Readonly<Record<string, AnyNarrate>> = {
  "chang-roberts": changRoberts,
  "hirschberg-sinclair": hirschbergSinclair,
  peterson,
  "time-slice": timeSlice,
  "itai-rodeh": itaiRodeh,
  "known-highest": knownHighest,
  tournament: exchange,
  "tournament-async": tournamentAsync,
  quorum,
  referees,
  "random-walks": randomWalks,
  "filter-relay": filterRelay,
  "epidemic-multicast": epidemicMulticast,
  "council-naive": council,
  "council-basic": council,
  "council-skip-reset": council,
  "council-choice": council,
  "council-history": council,
  "council-unknown": council,
  "council-masks": council,
  "council-continuous": continuous,
};

/** null: nobody tells this protocol in its own words. A wrapper keeps its child's name, but its states are others. */
export function narratorOf(protocol: AnyProtocol): AnyNarrate | null {
  if (protocol.narrate !== undefined) return protocol.narrate.bind(protocol);
  return catalogue.includes(protocol) ? narrators[protocol.name] : null;
}
