/**
 * Councils (Raz et al.): their means, and the chance that the council ends outside its range. The centre counts replies and
 * stops only inside [L, U], so without loss nothing can go wrong. Under loss a host whose reply is lost stays active
 * without the centre's knowledge; with a confirmed list only hosts that the centre has heard serve, and of these a member
 * fails that misses every copy of the list: a chain of exchanges says how often (lossy.ts).
 */
import { binomialBelow } from "../chance.ts";
import { remembering } from "../memo.ts";
import { cannotSay, type Prediction, type Question } from "../prediction.ts";
import { lossyCouncil } from "./lossy.ts";
import { bestForMessages, bestForRounds, heuristicMessages, heuristicRounds, ROUGH_SCAN } from "./optimum.ts";
import { type CouncilName, type CouncilSetting, councilTheory, masksTheory } from "./report.ts";

interface Params extends CouncilSetting {
  readonly confirm: boolean;
  readonly lists: number;
  readonly limit: number;
  readonly bits: number;
}

export const predictMasks = (question: Question): Prediction =>
  masksTheory(question.n, question.params as unknown as Params, question);

export function predictCouncil(question: Question, council: CouncilName): Prediction {
  const { n, loss, multicastLoss, crash } = question;
  const params = question.params as unknown as Params;
  if (n <= params.U && (params.estimate ?? 1) === 1 && council !== "unknown" && council !== "naive") {
    return everybodyServes(question, params, council === "basic" || params.base === "basic");
  }
  const faults = { loss, multicastLoss, crash };
  const theory = remembered([council, n, { ...params, lists: 0, limit: 0 } as Params, faults]);
  // Where the centre may give up first (or once in a while is stuck), the recursions, which know no limit, are not all there is.
  const stuck = council === "unknown" && params.base === "naive";
  const patient = theory.rounds < params.limit / PATIENT && !stuck;
  if (theory.method === "exact" && patient) return theory;
  // The printed figure hears nothing but resets: under loss nobody has followed that.
  if (council === "history" && params.reading === "printed") {
    return cannotSay("the printed history algorithm has not been computed under loss or a limit");
  }
  const { pNone, pMany, rounds, messages } = lossy([council, { n, ...faults }, params]);
  // Where n is unknown, c is tuned for the n that the centre begins with; and where hosts that have missed a feedback come back
  // later, the best c takes too long to find.
  const tuned = theory.method === "exact" || council === "unknown";
  const returning = council === "history" || council === "basic" || params.base === "basic";
  const slow = question.optimum === false || (multicastLoss > 0 && returning);
  const optimum = tuned ? theory.optimum : slow ? null : bestUnderLoss(council, question);
  return {
    method: "approximation",
    factors: theory.factors,
    optimum,
    success: Math.max(0, 1 - pNone - pMany),
    pNone,
    pMany,
    rounds,
    messages,
  };
}

/** Elections that take a fortieth of the limit on average reach it with a chance of about e^-40. */
const PATIENT = 40;

const remembered = remembering(([council, n, params, faults]: Parameters<typeof councilTheory>) =>
  councilTheory(council, n, params, faults),
);

const lossy = remembering(([council, faults, params, least]: Parameters<typeof lossyCouncil>) =>
  lossyCouncil(council, faults, params, least),
);

/** How finely the best c is looked for. */
const ROUGH = 1e-3;

/** What the words for c stand for under these losses: more are asked where fewer are heard. */
function bestUnderLoss(
  council: CouncilName,
  { n, loss, multicastLoss, crash, params }: Question,
): Prediction["optimum"] {
  // How many copies of a list there are does not change which c is best.
  const setting = { ...(params as unknown as Params), confirm: true, lists: 1 };
  const { L, U, base } = setting;
  const faults = { n, loss, multicastLoss, crash };
  const polls = council === "basic" || base === "basic";
  const cost = (c: number) => lossy([council, faults, { ...setting, c }, ROUGH]);
  const tunable = { L, U, cost, messagesUnbounded: L === 1 && !polls };
  const tuned = (c: number) => {
    const { rounds, messages } = lossy([council, faults, { ...setting, c }]);
    return { c, rounds, messages };
  };
  return {
    "auto-T": tuned(bestForRounds(tunable, ROUGH_SCAN)),
    "auto-N": tuned(bestForMessages(tunable, undefined, ROUGH_SCAN)),
    "heuristic-T": tuned(heuristicRounds(L, U)),
    "heuristic-N": tuned(heuristicMessages(n, L, U)),
  };
}

/**
 * n is known to be within the range: the centre says so once, and every host that is alive and hears it serves; where the poll has made
 * everybody active and no list is asked for, every host that is alive.
 */
function everybodyServes({ n, multicastLoss, crash }: Question, { L, confirm }: Params, polled: boolean): Prediction {
  const hears = polled && !confirm ? 1 : 1 - multicastLoss;
  const none = binomialBelow(n, hears * (1 - crash), L);
  return {
    method: "exact",
    success: 1 - none,
    pNone: none,
    pMany: 0,
    messages: 0,
    rounds: 0,
    factors: null,
    optimum: null,
  };
}
