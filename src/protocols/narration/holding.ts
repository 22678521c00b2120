/** What a node holds at present, read from its state alone: the number in its disc, its phase, how far it reaches. */
import type { Held } from "../../narrator.ts";
import type { SynchronousMember } from "../complete/quorum-sync.ts";
import type { RefereesState } from "../complete/referees.ts";
import type { TournamentAsyncState } from "../complete/tournament-async.ts";
import type { CouncilState } from "../council/council.ts";
import type { FloodMaxState } from "../graph/flood-max.ts";
import type { RandomWalksState } from "../graph/random-walks.ts";
import type { TreeState } from "../graph/tree-election.ts";
import type { FilterRelayState } from "../group/filter-relay-round.ts";
import type { HirschbergSinclairState } from "../ring/hirschberg-sinclair.ts";
import type { ItaiRodehState } from "../ring/itai-rodeh.ts";
import type { PetersonState } from "../ring/peterson.ts";

export const petersonHolds = ({ role, status, temporary, phase }: PetersonState): Held | null =>
  role === "contends" && status === "undecided" ? { value: temporary, phase } : null;

export const itaiRodehHolds = ({ active, status, id, phase }: ItaiRodehState): Held =>
  active && status === "undecided" ? { value: id, phase } : { knows: status !== "undecided" };

export const hirschbergSinclairHolds = ({ role, status, reach, phases }: HirschbergSinclairState): Held | null =>
  role === "contends" && status === "undecided" ? { phase: phases, reach } : null;

export const exchangeHolds = ({ exchange }: SynchronousMember): Held | null =>
  exchange === null || exchange.final ? null : { phase: exchange.round };

export const tournamentAsyncHolds = ({ run }: TournamentAsyncState): Held | null =>
  run === null ? null : { phase: run.round };

export const refereesHolds = ({ status, leader }: RefereesState): Held => ({
  knows: status === "elected" || leader !== null,
});

export const randomWalksHolds = ({ status, leader }: RandomWalksState): Held => ({
  knows: status === "elected" || leader !== null,
});

export const filterRelayHolds = ({ phase, best, round }: FilterRelayState): Held | null =>
  phase === "relaying" && best !== null ? { value: best, phase: round } : null;

export const floodMaxHolds = ({ best, status }: FloodMaxState): Held | null =>
  best === null || status !== "undecided" ? null : { value: best };

export const treeElectionHolds = ({ level, status }: TreeState): Held | null =>
  status === "undecided" ? { phase: level } : null;

export const councilHolds = (state: CouncilState<unknown, unknown>): Held | null =>
  state.role === "centre" ? { phase: state.exchanges, stands: state.ended === "stands" } : null;
