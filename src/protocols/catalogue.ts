/** Every protocol, as data: what the CLI lists, the conformance suite runs and the planner chooses from. */
import { didYouMean, InputError } from "../errors.ts";
import type { AnyProtocol } from "../protocol.ts";
import { afekGafni } from "./complete/afek-gafni.ts";
import { afekGafniAsync } from "./complete/afek-gafni-async.ts";
import { bully } from "./complete/bully.ts";
import { quorum } from "./complete/quorum.ts";
import { quorumEstimated } from "./complete/quorum-estimated.ts";
import { referees } from "./complete/referees.ts";
import { refereesAsync } from "./complete/referees-async.ts";
import { tournament } from "./complete/tournament.ts";
import { tournamentAsync } from "./complete/tournament-async.ts";
import { councilBasic } from "./council/basic.ts";
import { councilChoice } from "./council/choice.ts";
import { councilContinuous } from "./council/continuous.ts";
import { councilHistory } from "./council/history.ts";
import { councilMasks } from "./council/masks.ts";
import { councilNaive } from "./council/naive.ts";
import { councilSkipReset } from "./council/skip-reset.ts";
import { councilUnknown } from "./council/unknown.ts";
import { floodMax } from "./graph/flood-max.ts";
import { networkSize } from "./graph/network-size.ts";
import { randomWalks } from "./graph/random-walks.ts";
import { treeElection } from "./graph/tree-election.ts";
import { epidemicMulticast } from "./group/epidemic-multicast.ts";
import { filterRelay } from "./group/filter-relay.ts";
import { changRoberts } from "./ring/chang-roberts.ts";
import { dolevKlaweRodeh } from "./ring/dolev-klawe-rodeh.ts";
import { franklin } from "./ring/franklin.ts";
import { hirschbergSinclair } from "./ring/hirschberg-sinclair.ts";
import { itaiRodeh } from "./ring/itai-rodeh.ts";
import { knownHighest } from "./ring/known-highest.ts";
import { leLann } from "./ring/le-lann.ts";
import { peterson } from "./ring/peterson.ts";
import { timeSlice } from "./ring/time-slice.ts";

/** Every protocol that comes with the package. */
export const catalogue: readonly AnyProtocol[] = [
  leLann,
  changRoberts,
  hirschbergSinclair,
  franklin,
  peterson,
  dolevKlaweRodeh,
  timeSlice,
  itaiRodeh,
  knownHighest,
  bully,
  afekGafni,
  afekGafniAsync,
  tournament,
  tournamentAsync,
  quorum,
  quorumEstimated,
  referees,
  refereesAsync,
  randomWalks,
  floodMax,
  treeElection,
  networkSize,
  filterRelay,
  epidemicMulticast,
  councilNaive,
  councilBasic,
  councilSkipReset,
  councilChoice,
  councilHistory,
  councilUnknown,
  councilMasks,
  councilContinuous,
];

/** The protocol of that name in the catalogue; an `InputError` with the nearest name if there is none. */
export function protocolNamed(name: string): AnyProtocol {
  const found = catalogue.find((protocol) => protocol.name === name);
  if (found !== undefined) return found;
  const names = catalogue.map((protocol) => protocol.name);
  throw new InputError(`unknown protocol "${name}"${didYouMean(name, names) || `; choose one of ${names.join(", ")}`}`);
}
