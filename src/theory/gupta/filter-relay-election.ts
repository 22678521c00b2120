/**
 * A whole election of filter-relay, round after round, where members know each other (view = 1). All relays then prefer
 * the same member, so unicast loss does no harm and nobody ever sees two leaders: a round fails if some live member hears
 * none of the final multicasts, and the election fails if that happens in the last round or if the leader crashes, which
 * nobody notices. Gupta et al. analyse a single round (gupta.ts); this is what the planner needs.
 */
import { binomialTerms } from "../chance.ts";
import { cannotSay, type Prediction, type Question } from "../prediction.ts";
import { predictRound } from "./gupta.ts";

interface Params {
  readonly K: number;
  readonly factor: number;
  readonly rounds: number;
}

/** Rounds that fewer elections than this reach may cost a lot, the last one n² messages, and no simulation sees them. */
const RARE = 1e-4;

/** The whole election where that can be said, beside Theorem 1's factors of its first round; otherwise these alone. */
export function predictFilterRelay(question: Question): Prediction {
  const round = predictRound(question);
  const election = predictElection(question);
  if (election.method === "none") return round;
  const factors = { ...round.factors, oneRound: round.success!, ...election.factors };
  return { ...election, factors, optimum: round.optimum };
}

export function predictElection(question: Question): Prediction {
  const { n, multicastLoss, crash, initiators } = question;
  const params = question.params as unknown as Params & Readonly<Record<string, unknown>>;
  if (params.view !== 1 || params.reading !== "repaired" || params.reinitiate !== "any" || params["n-spread"] !== 1) {
    return cannotSay("whole elections are computed for view=1, reading=repaired, reinitiate=any and n-spread=1 only");
  }
  let enters = 1;
  // Several who begin at once all say so; what they say is one round.
  let initiations = initiators;
  let alive = 1;
  let success = 0;
  let messages = 0;
  let rounds = 0;
  let rare = 0;
  let multicasts = 0;
  // That the election goes on after this many rounds.
  const beyond: Record<string, number> = {};
  for (let round = 1; round <= params.rounds && enters > 1e-18; round++) {
    const k = round === params.rounds ? n : Math.min(n, params.K * params.factor ** (round - 1));
    alive *= 1 - crash;
    const missedAll = multicastLoss ** initiations;
    const outcome = oneRound(n, k, multicastLoss, missedAll, alive);
    const sent = enters * (initiations + outcome.messages);
    messages += sent;
    if (enters < RARE) rare += sent;
    rounds += enters;
    multicasts += enters * (initiations + outcome.multicasts);
    success += enters * alive * outcome.allHear;
    enters *= 1 - outcome.allHear;
    beyond[`beyond${round}`] = enters;
    initiations = params.suppression === "ideal" ? 1 : reinitiations(outcome.missing, multicastLoss);
  }
  return {
    method: "approximation",
    success: Math.min(1, success),
    pNone: Math.max(0, 1 - success),
    pMany: 0,
    messages,
    rounds,
    factors: { fails: enters, leaderLives: 1 - crash, rareMessages: rare, multicasts, ...beyond },
    optimum: null,
  };
}

/**
 * k of n are admitted on average; those that live and have heard of the round relay, each with a unicast to every other
 * admitted member and one final multicast.
 */
function oneRound(n: number, k: number, loss: number, missedAll: number, alive: number) {
  const share = k / n;
  const hears = alive * (1 - missedAll);
  const unicasts = n * (n - 1) * share * share * hears;
  const relays = n * share * hears;
  let allHear = 0;
  let missing = 0;
  let fails = 0;
  // One member, the one that tells of the round, cannot have missed it.
  for (const teller of [
    { relays: 1, p: share * alive },
    { relays: 0, p: 1 - share * alive },
  ]) {
    for (const { value, p } of binomialTerms(n - 1, share * hears)) {
      const relaying = value + teller.relays;
      const others = Math.max(0, n * alive - relaying);
      const everybody = relaying === 0 ? 0 : Math.exp(others * Math.log1p(-(loss ** relaying)));
      const weight = teller.p * p;
      allHear += weight * everybody;
      fails += weight * (1 - everybody);
      missing += weight * (relaying === 0 ? n * alive : others * loss ** relaying);
    }
  }
  // Relays of the teller that did not need to hear: a small part of one member.
  const extra = share * alive * missedAll;
  return {
    allHear: Math.min(1, allHear),
    messages: unicasts + (n - 1) * share * extra + relays + extra,
    multicasts: relays + extra,
    /** Members that miss the outcome, where anybody does. */
    missing: fails === 0 ? 1 : Math.max(1, missing / fails),
  };
}

/** Each of those that missed the outcome says so, unless it has heard another say it before. */
function reinitiations(missing: number, loss: number): number {
  let sent = 1;
  for (let i = 2; i <= missing && loss ** sent * missing > 1e-6; i++) sent += loss ** sent;
  return sent;
}
