/** Random walks (Kutten et al., Algorithm 2): how often they err, and about what they cost. */
import { binomialTerms } from "../chance.ts";
import { faultless } from "../losses.ts";
import type { Prediction, Question } from "../prediction.ts";
import { geometric } from "../ramanathan/elimination.ts";
import { noCollision } from "./kutten.ts";

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
 * one leads if its walks miss those of all better ones. Where walks take two steps, as in a complete network, that can be
 * said well; elsewhere it is said as if walks visited nodes at random, which depends on the network and is rough.
 */
export const predictWalks = (question: Question): Prediction | null => walksTheory(question, false);

/**
 * For the planner: several leaders from above, by the places where walks end, nearly uniform after the mixing time; more is
 * met on the way. What it costs is then measured in a pilot.
 */
export const boundWalks = (question: Question): Prediction | null => walksTheory(question, true);

function walksTheory(question: Question, above: boolean): Prediction | null {
  const { n, initiators, crash, loss } = question;
  const params = question.params as unknown as Params;
  const { walks, tau } = params;
  if (params.reading !== "repaired" || params.threshold !== 1 || params.explicit || tau === null) return null;
  const stands = Math.min(1, params.candidates / Math.max(2, n * params.estimate)) * (1 - crash);
  const numbers = binomialTerms(initiators, stands);
  const nobody = numbers[0].value === 0 ? numbers[0].p : 0;
  if (n === 2 && tau === 1 && faultless(question)) return ofTwo(numbers, walks);
  const twoSteps = tau === 2 && params.lazy !== "true" && n > 2;
  // Among a dozen, walks that meet depend on each other too much for more than the bound.
  const bounded = above && (!twoSteps || n <= EXACT);
  const most = numbers[numbers.length - 1].value;
  const spread = twoSteps ? null : onTheWay(n, walks, tau, params.lazy === "true", most);
  const pairMiss = bounded ? missOfBalls(n, walks) : twoSteps ? twoStepMiss(n - 1, walks) : (spread!.survive[2] ?? 0);
  // Each but the best has to miss the best, and where more is known than a bound, all others before it, too.
  const several = (k: number) => {
    if (k < 2) return 0;
    if (bounded) return (k - 1) * pairMiss;
    return twoSteps ? geometric(pairMiss, k) - 1 : spread!.several[k];
  };
  const pMany = Math.min(
    1 - nobody,
    numbers.reduce((sum, { value, p }) => sum + p * several(value), 0),
  );
  // A walk of the best that is lost on the way, there or back, costs it the election.
  const returns = faultless(question) ? 1 : ((1 - loss) * (1 - crash)) ** (2 * walks);
  const costs = twoSteps ? twoStepMessages(n - 1, walks, most) : spread!.messages;
  return {
    method: bounded ? "bound" : "approximation",
    success: Math.max(0, (1 - nobody) * returns - pMany),
    pNone: nobody + (1 - nobody) * (1 - returns),
    pMany,
    messages: numbers.reduce((sum, { value, p }) => sum + p * costs[value], 0),
    rounds: (twoSteps ? twoStepRounds(n - 1, walks) : tau + wayBack(n, tau, params.lazy === "true")) * (1 - nobody),
    factors: { nobodyStands: nobody, pairMiss, walksReturn: returns },
    optimum: null,
  };
}

/**
 * Two processes, one lazy step: walks stay, or go to the other in one message, and one brings the news home. Those of the worse candidate die
 * where the better one lives, so it leads as well only where all walks of both stay.
 */
function ofTwo(numbers: readonly { value: number; p: number }[], walks: number): Prediction {
  const stands = (count: number) => numbers.find(({ value }) => value === count)?.p ?? 0;
  const stay = 0.5 ** walks;
  const several = stands(2) * stay ** 2;
  return {
    method: "exact",
    success: 1 - stands(0) - several,
    pNone: stands(0),
    pMany: several,
    messages: (2 * stands(1) + 3 * stands(2)) * (1 - stay),
    rounds: 2 * (1 - stands(0)) * (1 - stay) + stands(2) * stay * (1 - stay),
    factors: { nobodyStands: stands(0), pairMiss: stay ** 2, walksReturn: 1 },
    optimum: null,
  };
}

/** Up to so many bins the chance that balls miss each other is exact. */
const EXACT = 12;

/** Two times w balls into n equal bins, no bin gets both: exactly for few bins, otherwise over the mean of occupied ones. */
function missOfBalls(n: number, w: number): number {
  if (n <= EXACT) return noCollision(new Array<number>(n).fill(1 / n), w);
  return Math.exp(w * Math.log1p(-occupied(n, w) / n));
}

/** How many of `places` get one or more of so many tokens. */
const occupied = (places: number, tokens: number): number => -places * Math.expm1(tokens * Math.log1p(-1 / places));

/**
 * Each of the w walks must miss the home and the first places of the better candidate's in step 1 and all its places in step 2;
 * and in step 2 none of the better one's may come to the places through which the news return.
 */
function twoStepMiss(others: number, w: number): number {
  const misses = (places: number) => Math.max(0, 1 - places / others) ** w;
  if (others > COUNTED) {
    const first = occupied(others, w);
    return misses(1 + first) * misses(1 + occupied(others, 2 * w)) * misses(first);
  }
  // Among few, how many places there are varies, and the fewest leave most room.
  let [best, back] = [0, 0];
  for (const [first, p] of occupancy(others, 0, w).entries()) {
    back += p * misses(first);
    if (p === 0) continue;
    for (const [both, q] of occupancy(others, first, w).entries()) best += p * q * misses(1 + first) * misses(1 + both);
  }
  return best * back;
}

/** Up to this many others the distribution of occupied places is followed. */
const COUNTED = 64;

/** The chances of 0, 1, 2, ... occupied places when so many tokens come to places of which some are occupied already. */
function occupancy(places: number, already: number, tokens: number): number[] {
  const p = new Array<number>(places + 1).fill(0);
  p[already] = 1;
  for (let token = 0; token < tokens; token++) {
    for (let k = places; k > 0; k--) p[k] = (p[k] * k) / places + (p[k - 1] * (places - k + 1)) / places;
    p[0] = 0;
  }
  return p;
}

/** In a small network all walks may end at home or beside it: then the news take a step less, or none. */
function twoStepRounds(others: number, w: number): number {
  const anew = (occupied(others, w * (1 - 1 / others)) / w) * (1 - occupied(others, w) / others);
  return 2 + (1 - others ** -w) + (1 - (1 - anew) ** w);
}

/** Messages of 0, 1, 2, ... candidates whose walks take two steps, from the best rank down. */
function twoStepMessages(others: number, w: number, candidates: number): number[] {
  const total = [0];
  // Places of better candidates after either step: their homes, and where their walks have been.
  let [seen, seenLate] = [0, 0];
  for (let rank = 1; rank <= candidates; rank++) {
    const goOn = w * (1 - seen / others);
    const stay = goOn * (1 - seenLate / others);
    const out = occupied(others, w) + occupied(others * others, goOn);
    const ends = occupied(others, stay * (1 - 1 / others));
    // The news go home at once from a place of the first step, otherwise by way of one, unless a better walk has come there.
    const first = Math.max(1, occupied(others, goOn));
    const anew = Math.min(1, (ends / goOn) * (1 - first / others));
    const by = first * (1 - (1 - anew) ** (goOn / first)) * (1 - (seenLate - seen) / others);
    total.push(total[rank - 1] + out + ends + by);
    seen += (1 - seen / others) * (1 + occupied(others, w));
    seenLate += (1 - seenLate / others) * (1 + occupied(others, w + goOn));
  }
  return total;
}

/**
 * Measured on hypercubes, tori, regular and scale-free networks of 16 to 1,024 nodes: news return by the ways on which a node was
 * reached first, which are shorter than the walks; messages merge on few links, and walks that stay near home live longer.
 */
const wayBack = (n: number, tau: number, lazy: boolean): number =>
  lazy ? Math.min(0.45 * tau, 2.6 * Math.sqrt(tau)) : Math.min(tau, 4.5 + tau / 4, 1.3 * n ** 0.39);

const fitted = (n: number, lazy: boolean) =>
  lazy ? { out: 0.7 + 0.085 * Math.log(n), merged: 0.65 } : { out: 0.87, merged: 0.85 };

/**
 * For 0, 1, 2, ... candidates, as if every step of a walk led to any node: their messages, the chance of the last of them to keep
 * all its walks, and that any but the best does. Every surviving walk makes a message in each step (a lazy one in every
 * other). A walk dies where a better one has been.
 */
function onTheWay(n: number, walks: number, tau: number, lazy: boolean, candidates: number) {
  const moves = lazy ? 0.5 : 1;
  const messages = [0];
  const survive = [1];
  const several = [0];
  // Share of the nodes that no better candidate has visited, by step.
  const free = new Array<number>(tau + 1).fill(1);
  for (let rank = 1; rank <= candidates; rank++) {
    let alive = walks;
    let sent = 0;
    const visits = [0];
    for (let step = 1; step <= tau; step++) {
      sent += moves * (step === 1 ? occupied(n, alive) : alive);
      alive *= free[step];
      visits.push(visits[step - 1] + moves * alive);
    }
    const { out, merged } = fitted(n, lazy);
    sent = out * sent + (merged / (1 + (2.5 * walks) / n)) * wayBack(n, tau, lazy) * occupied(n, alive);
    const all = (alive / walks) ** walks;
    survive.push(all);
    several.push(rank === 1 ? 0 : 1 - (1 - several[rank - 1]) * (1 - all));
    for (let step = 1; step <= tau; step++) free[step] *= Math.exp(-visits[step] / n);
    messages.push(messages[rank - 1] + sent);
  }
  return { messages, survive, several };
}
