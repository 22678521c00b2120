/** Random walks (Kutten et al., Algorithm 2): how often they err, and about what they cost. */
import { binomialTerms } from "./chance.ts";
import { noCollision } from "./kutten.ts";
import { faultless, type Prediction, type Question } from "./prediction.ts";

interface Params {
  readonly candidates: number;
  readonly estimate: number;
  readonly walks: number;
  readonly tau: number | null;
  readonly lazy: string;
  readonly reading: string;
  readonly explicit: boolean;
  readonly threshold: number;
}

/**
 * Without faults the best candidate keeps all its walks, so there is no leader only where there is no candidate. A second
 * one leads if its walks miss those of all better ones; the places where walks end, nearly uniform after the mixing
 * time, are enough to bound that: more is met on the way.
 */
export function predictWalks(question: Question): Prediction | null {
  const { n, initiators, crash, loss } = question;
  const params = question.params as unknown as Params;
  const { walks, tau } = params;
  if (params.reading !== "repaired" || params.threshold !== 1 || params.explicit || tau === null) return null;
  const stands = Math.min(1, params.candidates / Math.max(2, n * params.estimate)) * (1 - crash);
  const numbers = binomialTerms(initiators, stands);
  const nobody = numbers[0].value === 0 ? numbers[0].p : 0;
  const pairMiss = missOfBalls(n, walks);
  const pairs = (initiators * (initiators - 1) * stands * stands) / 2;
  const pMany = Math.min(1 - nobody, pairs * pairMiss);
  // A walk of the best that is lost on the way, there or back, costs it the election.
  const returns = faultless(question) ? 1 : ((1 - loss) * (1 - crash)) ** (2 * walks);
  const costs = messagesByRank(n, walks, tau, params.lazy === "true", numbers[numbers.length - 1].value);
  return {
    method: "bound",
    success: Math.max(0, (1 - nobody) * returns - pMany),
    pNone: nobody + (1 - nobody) * (1 - returns),
    pMany,
    messages: numbers.reduce((sum, { value, p }) => sum + p * costs[value], 0),
    rounds: 2 * tau * (1 - nobody),
    factors: { nobodyStands: nobody, pairMiss, walksReturn: returns },
    optimum: null,
  };
}

/** Two times w balls into n equal bins, no bin gets both: exactly for few bins, otherwise over the mean of occupied ones. */
function missOfBalls(n: number, w: number): number {
  if (n <= 12) return noCollision(new Array<number>(n).fill(1 / n), w);
  const occupied = -n * Math.expm1(w * Math.log1p(-1 / n));
  return Math.exp(w * Math.log1p(-occupied / n));
}

/**
 * Messages of 0, 1, 2, ... candidates: every surviving walk makes one in each step (a lazy one in every other), and its
 * notification as many on the way back, merged where walks end together. A walk dies where a better one has been. That
 * is more than what is sent: messages merge on the way, too, the more the fewer links there are.
 */
function messagesByRank(n: number, walks: number, tau: number, lazy: boolean, candidates: number): number[] {
  const occupied = (tokens: number) => -n * Math.expm1(tokens * Math.log1p(-1 / n));
  const moves = lazy ? 0.5 : 1;
  const total = [0];
  // Share of the nodes that no better candidate has visited, by step.
  const free = new Array<number>(tau + 1).fill(1);
  for (let rank = 1; rank <= candidates; rank++) {
    let alive = walks;
    let messages = 0;
    const visits = [0];
    for (let step = 1; step <= tau; step++) {
      messages += moves * (step === 1 ? occupied(alive) : alive);
      alive *= free[step];
      visits.push(visits[step - 1] + moves * alive);
    }
    messages += moves * tau * occupied(alive);
    for (let step = 1; step <= tau; step++) free[step] *= Math.exp(-visits[step] / n);
    total.push(total[rank - 1] + messages);
  }
  return total;
}
