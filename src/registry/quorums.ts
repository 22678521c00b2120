/** Ramanathan et al.: tournament, its asynchronous sister and the quorum. */
import {
  quorumAsyncKernel,
  quorumKernel,
  tournamentAsyncKernel,
  tournamentKernel,
} from "../kernels/ramanathan/tournament.ts";
import { quorum } from "../protocols/complete/quorum.ts";
import { quorumEstimated } from "../protocols/complete/quorum-estimated.ts";
import { tournament } from "../protocols/complete/tournament.ts";
import { tournamentAsync } from "../protocols/complete/tournament-async.ts";
import { narrateQuorum, narrateQuorumEstimated, narrateTournamentAsync } from "../protocols/narration/complete.ts";
import { exchange } from "../protocols/narration/exchange.ts";
import { exchangeHolds, tournamentAsyncHolds } from "../protocols/narration/holding.ts";
import type { Question } from "../theory/prediction.ts";
import { predictRamanathan } from "../theory/ramanathan/predict.ts";
import { mostRounds } from "../theory/ramanathan/sigma.ts";
import type { Entry } from "./entry.ts";
import { allowance, type Planning, type Tries, type Way } from "./planning.ts";
import { addQuorums, type QuorumSizes, reachable } from "./sampling.ts";

/** An exchange, or what the timed second phase takes at most. */
const secondPhase = (timed: boolean): number => (timed ? 10 : 2);

/** That the best of a half finds enough mediators in it; others may as well, where few are needed. */
const half: Planning["half"] = ({ s, ask }, n) => reachable(n, Number(ask ?? s), Number(s));

const tournamentPlanning = (timed: boolean): Planning => ({
  ways: () => [searchTournament],
  bears: { loss: "ask above s (and failures=no-refusal)" },
  time: ({ params }) => 2 * Number(params.J) + secondPhase(timed),
  half,
});

const searchQuorum =
  (timing: "sync" | "async"): Way =>
  (tries) =>
    addQuorums(tries, (sizes) => tries.attempt({ timing, ...sizes }));

function searchTournament(tries: Tries): void {
  const { setting } = tries;
  const { n } = setting;
  const faulty = setting.loss > 0 || setting.crash > 0;
  const most = mostRounds({ n, sigma: "design", alpha: 2, rounding: "ceil" });
  for (const failures of faulty ? ["all-yes", "no-refusal"] : ["all-yes"]) {
    for (let J = most; J >= 0; J--) {
      const tryWith = (sizes: QuorumSizes) => tries.attempt({ J, ...sizes, ...(faulty ? { failures } : {}) });
      // With everybody asked, what still fails is the first phase: then fewer rounds are needed.
      const probe = tryWith(faulty ? { s: 1, ask: n } : { s: n });
      if (probe !== null && probe.pNone > allowance(setting, "approximation") && J > 0) {
        tries.add(probe);
        continue;
      }
      const before = tries.found;
      addQuorums(tries, tryWith);
      // More rounds cost less: the first J from above that works is the cheapest, or nearly so.
      if (tries.found !== before) break;
    }
  }
}

/** As if everybody reached the second phase. */
const allSurvive = (question: Question, timed: boolean) =>
  predictRamanathan({ ...question, params: { ...question.params, J: 0 } }, timed);

const contenders = ({ n, initiators }: { n: number; initiators: "all" | number }) =>
  initiators === "all" ? n : initiators;

export const quorumEntries: readonly Entry[] = [
  {
    protocol: tournament,
    predict: (question) => predictRamanathan(question, false),
    twoLead: (question) => allSurvive(question, false),
    kernels: [tournamentKernel],
    memory: (setting) => 1100 * contenders(setting),
    narrate: exchange,
    page: { holds: exchangeHolds, phase: "round" },
    planning: tournamentPlanning(false),
  },
  {
    protocol: tournamentAsync,
    predict: (question) => predictRamanathan(question, true),
    twoLead: (question) => allSurvive(question, true),
    narrate: narrateTournamentAsync,
    page: { holds: tournamentAsyncHolds, phase: "round" },
    kernels: [tournamentAsyncKernel],
    memory: (setting) => 1000 * contenders(setting),
    planning: tournamentPlanning(true),
  },
  {
    protocol: quorum,
    predict: (question) => predictRamanathan(question, question.params.timing === "async"),
    narrate: narrateQuorum,
    page: { most: 64 },
    kernels: [quorumKernel, quorumAsyncKernel],
    // Contenders that all ask at once: a request takes a place in the queue, and another in its mediator's answers.
    memory: (setting) => 60 * Math.min(Number(setting.params.ask), setting.n) * contenders(setting),
    planning: {
      ways: () => [searchQuorum("sync"), searchQuorum("async")],
      bears: { loss: "ask above s" },
      time: ({ params }) => secondPhase(params.timing === "async"),
      half,
    },
  },
  {
    protocol: quorumEstimated,
    narrate: narrateQuorumEstimated,
    page: { most: 64 },
    planning: "it is for processes that do not know n, but a plan is given n",
  },
];
