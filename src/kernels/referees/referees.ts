/**
 * Referees with nothing but numbers: an exact kernel for simultaneous wake-up on a complete graph, under loss and with
 * processes that had crashed before. Makes the protocol's own draws.
 */
import { eachCrashedBefore } from "../../host/beginning.ts";
import { candidacy } from "../../protocols/complete/believed.ts";
import { type RefereesParams, referees } from "../../protocols/complete/referees.ts";
import { Coins } from "../../random/coins.ts";
import { HostStream } from "../../random/streams.ts";
import { bernoulliSubset } from "../../random/subsets.ts";
import { marksMemory } from "../asking.ts";
import { BitSet } from "../bit-set.ts";
import type { Kernel, KernelSettings } from "../kernel.ts";
import {
  type Answers,
  answersInOrder,
  answersToBest,
  answersToWinners,
  contestOf,
  type RefereesContest,
} from "./contest.ts";
import { refereesSummary, refusesReferees } from "./summary.ts";

/** Nodes are numbers of 32 bits. */
const LARGEST_N = 2 ** 32 - 2;
/** Under loss a candidate is a number of 16 bits; so many are drawn with probability next to nothing where half as many are expected. */
const MOST_CANDIDATES = 2 ** 16;
/** Under loss a request takes four bytes, and nineteen where all are answered; otherwise it is only a matter of time. */
const MOST_REQUESTS = { lossy: 2 ** 25, lossless: 2 ** 32 };

export const refereesKernel: Kernel = {
  name: referees.name,
  protocol: referees,

  refuses(settings) {
    const { n, faults } = settings;
    const params = settings.params as unknown as RefereesParams;
    const refusal = refusesReferees(settings);
    if (refusal !== null) return refusal;
    if (n > LARGEST_N) return `the referees kernel knows n up to ${LARGEST_N}`;
    if (candidacy(params, n) * n > MOST_CANDIDATES / 2) {
      return "that many candidates are too many for the referees kernel";
    }
    const most = faults.loss > 0 ? MOST_REQUESTS.lossy : MOST_REQUESTS.lossless;
    return expectedRequests(settings) > most ? "that many requests do not fit into memory" : null;
  },

  memory(settings) {
    const { n, faults } = settings;
    const crashed = faults.crash > 0 || faults.crashes.length > 0 ? n / 8 : 0;
    if (faults.loss === 0) return crashed + marksMemory(n);
    const { answers } = settings.params as unknown as RefereesParams;
    return (
      crashed + (answers === "all" ? 19 * expectedRequests(settings) : marksMemory(n) + 4 * expectedRequests(settings))
    );
  },

  run(settings, trial) {
    const { n, seed, faults } = settings;
    const params = settings.params as unknown as RefereesParams;
    const { crashed, alive } = crashedOf(settings, trial);
    const drawn = bernoulliSubset(new HostStream(seed, trial, "candidates"), n, candidacy(params, n));
    const candidates = crashed === null ? drawn : drawn.filter((node) => !crashed.has(node));
    const contest = contestOf(settings, trial, candidates, crashed);
    const losses = new Coins(seed, trial, "losses", faults.loss);
    const answers = faults.loss === 0 ? answersToBest(contest) : underLoss(contest, losses);
    const heard = (leaders: readonly number[]) => isAnnouncementHeard(contest, leaders, losses);
    return refereesSummary(params, n, alive, contest, answers, heard);
  },
};

const underLoss = (contest: RefereesContest, losses: Coins): Answers =>
  contest.refuses ? answersInOrder(contest, losses) : answersToWinners(contest, losses);

function expectedRequests({ n, params }: KernelSettings): number {
  const sizes = params as unknown as RefereesParams;
  return candidacy(sizes, n) * n * Math.min(sizes.referees, n - 1);
}

function crashedOf(settings: KernelSettings, trial: number): { crashed: BitSet | null; alive: number } {
  const { n, faults } = settings;
  if (faults.crash === 0 && faults.crashes.length === 0) return { crashed: null, alive: n };
  const crashed = new BitSet(n);
  let alive = n;
  eachCrashedBefore(settings, trial, (node) => {
    if (!crashed.has(node)) alive--;
    crashed.add(node);
  });
  return { crashed, alive };
}

/** Whether any process gets to hear of a leader. One that does is enough to know: the rest of the draws decides nothing. */
function isAnnouncementHeard(
  { n, nodes, crashed }: RefereesContest,
  leaders: readonly number[],
  losses: Coins,
): boolean {
  for (const leader of leaders) {
    for (let port = 0; port < n - 1; port++) {
      const to = (nodes[leader] + port + 1) % n;
      if (!losses.flip() && crashed?.has(to) !== true) return true;
    }
  }
  return false;
}
