/** What the kernels of the referees have in common: what they refuse, and what a run amounts to. */
import type { Result } from "../../host/setup.ts";
import { type RefereesParams, referees } from "../../protocols/complete/referees.ts";
import type { LotRank } from "../../protocols/ranks.ts";
import { type KernelSettings, refusesOtherFaults } from "../kernel.ts";
import type { Answers } from "./contest.ts";

export function refusesReferees(settings: KernelSettings): string | null {
  const params = settings.params as unknown as RefereesParams;
  if (settings.topology !== "complete") return "the referees kernel knows complete graphs only";
  if (params.wakeup !== "simultaneous") return "the referees kernel knows wakeup=simultaneous only";
  if (settings.initiators !== "all") return "the referees kernel runs only with all processes as initiators";
  return refusesOtherFaults(referees.name, settings.faults);
}

/** `heard`: whether anybody hears what these candidates announce. */
export function refereesSummary(
  params: RefereesParams,
  n: number,
  alive: number,
  { ranks, asked }: { readonly ranks: readonly LotRank[]; readonly asked: number },
  { won, refused, wins, refusals, time }: Answers,
  heard: (leaders: readonly number[]) => boolean,
): Result {
  const enough = Math.ceil(params.threshold * asked);
  const leaders = [...ranks.keys()].filter((i) => refused[i] === 0 && won[i] >= enough);
  const announcements = params.explicit ? leaders.length * (n - 1) : 0;
  const requestBits = ranks.reduce((sum, rank) => sum + referees.bits({ kind: "request", rank }), 0);
  const leaderBits = leaders.reduce((sum, i) => sum + referees.bits({ kind: "leader", rank: ranks[i] }), 0);
  const answers = wins + refusals;
  return {
    messages: ranks.length * asked + answers + announcements,
    bits:
      requestBits * asked +
      answers * referees.bits({ kind: "answer", answer: "won" }) +
      (params.explicit ? leaderBits * (n - 1) : 0),
    time: announcements > 0 && heard(leaders) ? 3 : time,
    census: {
      alive,
      elected: leaders.length,
      notElected: alive - leaders.length,
      undecided: 0,
      beliefs: new Map(alive === 0 ? [] : [[null, alive]]),
      leaders: leaders.map(() => null),
    },
    measures: { candidates: ranks.length, wins, announcements },
    series: {},
  };
}
