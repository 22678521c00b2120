/**
 * Referees with nothing but numbers: an exact kernel for simultaneous wake-up on a faultless complete graph. Makes the
 * protocol's own draws in the protocol's order; keeps one table entry per referee asked, so memory is proportional to
 * messages and n = 10^9 (12 million requests) fits into some hundred megabytes.
 */
import { isFaultless } from "../host/faults.ts";
import type { Result } from "../host/setup.ts";
import { believed, candidacy } from "../protocols/complete/believed.ts";
import { type RefereesParams, referees } from "../protocols/complete/referees.ts";
import { compareLotRanks, drawLotRank, type LotRank } from "../protocols/lot-rank.ts";
import { HostStream, NodeStream } from "../random/streams.ts";
import { bernoulliSubset } from "../random/subsets.ts";
import { FlatTable } from "./flat-table.ts";
import type { Kernel, KernelSettings } from "./kernel.ts";

/** Nodes are keys of 32 bits. */
const LARGEST_N = 2 ** 32 - 2;
/** Candidates are numbers of 16 bits; so many are drawn with probability next to nothing where half as many are expected. */
const MOST_CANDIDATES = 2 ** 16;
/** A table of 2^28 entries would pass a gigabyte. */
const MOST_REQUESTS = 2 ** 27;

export const refereesKernel: Kernel = {
  name: referees.name,
  protocol: referees,

  refuses(settings) {
    const params = settings.params as unknown as RefereesParams;
    if (settings.topology !== "complete") return "the referees kernel knows complete graphs only";
    if (params.wakeup !== "simultaneous") return "the referees kernel knows wakeup=simultaneous only";
    if (params.answers !== "winner") return "the referees kernel knows answers=winner only";
    if (settings.initiators !== "all") return "the referees kernel runs only with all processes as initiators";
    if (!isFaultless(settings.faults)) return "the referees kernel knows no faults";
    if (settings.n > LARGEST_N) return `the referees kernel knows n up to ${LARGEST_N}`;
    if (candidacy(params, settings.n) * settings.n > MOST_CANDIDATES / 2) return "that many candidates are too many";
    if (expectedRequests(params, settings.n) > MOST_REQUESTS) return "that many requests do not fit into memory";
    return null;
  },

  run(settings, trial) {
    const params = settings.params as unknown as RefereesParams;
    const { n, seed } = settings;
    const candidates = bernoulliSubset(new HostStream(seed, trial, "candidates"), n, candidacy(params, n));
    const asked = Math.min(params.referees, n - 1);
    const ranks: LotRank[] = [];
    // Referee -> the candidate it lets through. Candidates come in the order in which the host delivers.
    const best = new FlatTable(candidates.length * asked);
    const own = new FlatTable(asked);
    for (const [index, node] of candidates.entries()) {
      const draws = new NodeStream(seed, trial, node);
      ranks.push(drawLotRank(believed(n, params.estimate), draws));
      own.clear();
      // Floyd's algorithm, as in random/subsets.ts; port p leads p+1 places further on, as in topology/complete.ts.
      for (let j = n - 1 - asked; j < n - 1; j++) {
        const drawn = draws.choose(j + 1);
        const port = own.add(drawn) ? drawn : j;
        if (port !== drawn) own.add(port);
        const slot = best.find((node + port + 1) % n);
        if (!best.has(slot)) best.put(slot, (node + port + 1) % n, index);
        else if (compareLotRanks(ranks[index], ranks[best.value(slot)]) > 0) best.replace(slot, index);
      }
    }
    return summary(settings, { ranks, asked, won: best.countValues(candidates.length), answers: best.size });
  },
};

function expectedRequests(params: RefereesParams, n: number): number {
  return candidacy(params, n) * n * Math.min(params.referees, n - 1);
}

interface Counts {
  readonly ranks: readonly LotRank[];
  readonly asked: number;
  readonly won: Uint32Array;
  readonly answers: number;
}

function summary({ n, params }: KernelSettings, { ranks, asked, won, answers }: Counts): Result {
  const { explicit, threshold } = params as unknown as RefereesParams;
  const leaders = ranks.filter((_, index) => won[index] >= Math.ceil(threshold * asked));
  const announcements = explicit ? leaders.length * (n - 1) : 0;
  const requestBits = ranks.reduce((sum, rank) => sum + referees.bits({ kind: "request", rank }), 0);
  const leaderBits = leaders.reduce((sum, rank) => sum + referees.bits({ kind: "leader", rank }), 0);
  return {
    messages: ranks.length * asked + answers + announcements,
    bits:
      requestBits * asked +
      answers * referees.bits({ kind: "answer", answer: "won" }) +
      (explicit ? leaderBits * (n - 1) : 0),
    time: ranks.length === 0 ? 0 : announcements > 0 ? 3 : 2,
    census: {
      alive: n,
      elected: leaders.length,
      notElected: n - leaders.length,
      undecided: 0,
      beliefs: new Map([[null, n]]),
      leaders: leaders.map(() => null),
    },
    measures: { candidates: ranks.length, wins: answers, announcements },
    series: {},
  };
}
