/** Random walks (Kutten et al., Algorithm 2): how often they err, and about what they cost. */
import { binomialTerms } from "../chance.ts";
import { cannotSay, faultless, type Prediction, type Question } from "../prediction.ts";
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
export const predictWalks = (question: Question): Prediction => walksTheory(question, false);

/**
 * For the planner: several leaders from above, by the places where walks end, nearly uniform after the mixing time; more is
 * met on the way. What it costs is then measured in a pilot.
 */
export const boundWalks = (question: Question): Prediction => walksTheory(question, true);

function walksTheory(question: Question, above: boolean): Prediction {
  const { n, initiators, crash } = question;
  const params = question.params as unknown as Params;
  const { walks, tau } = params;
  if (params.reading !== "repaired" || params.threshold !== 1 || params.explicit) {
    return cannotSay("computed for reading=repaired, threshold=1 and explicit=false only");
  }
  if (tau === null) return cannotSay("the mixing time of this network is not known: give tau");
  const stands = Math.min(1, params.candidates / Math.max(2, n * params.estimate)) * (1 - crash);
  const numbers = binomialTerms(initiators, stands);
  const nobody = numbers[0].value === 0 ? numbers[0].p : 0;
  const lazy = params.lazy === "true";
  if (n === 2 && tau === 1 && lazy && faultless(question)) return ofTwo(numbers, walks);
  const steps = stepsOf(question, params, tau, lazy, above, numbers[numbers.length - 1].value);
  const { pairMiss, messages } = steps;
  // A walk of the best that is lost on the way, there or back, costs it the election.
  const returns = faultless(question) ? 1 : allReturn(question, walks, tau, lazy, steps.bestSends);
  const { none, many } = leadersOf(numbers, (better) => returns * steps.keeps(better));
  const pMany = steps.bounded
    ? Math.min(
        1 - nobody,
        returns * numbers.reduce((sum, { value, p }) => sum + p * Math.max(0, value - 1) * pairMiss, 0),
      )
    : many;
  return {
    method: steps.bounded ? "bound" : "approximation",
    success: Math.max(0, 1 - none - pMany),
    pNone: none,
    pMany,
    messages: numbers.reduce((sum, { value, p }) => sum + p * messages[value], 0),
    rounds: steps.rounds * (1 - nobody),
    factors: { nobodyStands: nobody, pairMiss, walksReturn: returns },
    optimum: null,
  };
}

/** How often nobody leads, and several, where each candidate leads with a chance that falls with the number of better ones. */
function leadersOf(numbers: readonly { value: number; p: number }[], leads: (better: number) => number) {
  let [none, many] = [0, 0];
  // Of the candidates so far, from the best down: that none leads, and that one does.
  let [nobody, single, counted] = [1, 0, 0];
  for (const { value, p } of numbers) {
    for (; counted < value; counted++) {
      const chance = Math.min(1, leads(counted));
      single = single * (1 - chance) + nobody * chance;
      nobody *= 1 - chance;
    }
    none += p * nobody;
    many += p * Math.max(0, 1 - nobody - single);
  }
  return { none, many };
}

/** What walks of this many steps come to, for 0, 1, 2, ... candidates. */
interface Steps {
  readonly messages: readonly number[];
  /** Messages of the best candidate where nothing goes wrong. */
  readonly bestSends: number;
  /** That a second candidate misses the best. */
  readonly pairMiss: number;
  /** That a candidate keeps all its walks, where so many are better. */
  keeps(better: number): number;
  readonly rounds: number;
  /** Whether this is an upper bound. */
  readonly bounded: boolean;
}

/** In a complete network walks of one and of two steps can be followed; anything else is as if walks visited nodes at random. */
function stepsOf(question: Question, params: Params, tau: number, lazy: boolean, above: boolean, most: number): Steps {
  const { n } = question;
  const { walks } = params;
  const few = !lazy && onComplete(question) ? tau : null;
  if (few === 1) return { ...oneStep(n - 1, walks, most, question), bounded: false };
  const twoSteps = few === 2 && n > 2;
  const keep = (1 - question.crash) * (1 - question.loss);
  const spread = twoSteps ? null : onTheWay(n, walks, tau, lazy, most, 1);
  // Among a dozen, walks that meet depend on each other too much for more than the bound.
  const bounded = above && (!twoSteps || n <= EXACT);
  const pairMiss = bounded ? missOfBalls(n, walks) : twoSteps ? twoStepMiss(n - 1, walks) : (spread!.survive[2] ?? 0);
  return {
    messages: twoSteps ? twoStepMessages(n - 1, walks, most, keep) : onTheWay(n, walks, tau, lazy, most, keep).messages,
    bestSends: twoSteps ? twoStepMessages(n - 1, walks, 1, 1)[1] : (spread!.messages[1] ?? 0),
    pairMiss,
    keeps: (better) => (twoSteps ? pairMiss ** better : (spread!.survive[better + 1] ?? 0)),
    rounds: twoSteps ? twoStepRounds(n - 1, walks) : tau + wayBack(n, tau, lazy),
    bounded,
  };
}

/** Without facts of a network it is complete. */
const onComplete = ({ n, graph }: Question): boolean => graph == null || graph.links() === (n * (n - 1)) / 2;

/**
 * That all walks of the best candidate come to processes that live, and none of its messages is lost. So many of the others live as a
 * binomial number says; a walk that stays costs nothing.
 */
function allReturn({ n, crash, loss }: Question, walks: number, tau: number, lazy: boolean, sends: number): number {
  const moves = lazy ? 0.5 : 1;
  const alive = binomialTerms(n - 1, 1 - crash).reduce(
    (sum, { value, p }) => sum + p * (1 - moves + (moves * value) / (n - 1)) ** (walks * tau),
    0,
  );
  return alive * (1 - loss) ** sends;
}

/** One step in a complete network: a walk dies where a better candidate is at home, or has sent a walk. */
function oneStep(others: number, w: number, candidates: number, { loss, crash }: Question): Omit<Steps, "bounded"> {
  const places = occupied(others, w);
  const arrive = (1 - loss) * (1 - crash);
  // That a better candidate leaves a living place alone.
  const free = (1 - 1 / others) * (1 - (places / others) * (1 - loss));
  const messages = [0];
  for (let rank = 0; rank < candidates; rank++) messages.push(messages[rank] + places * (1 + arrive * free ** rank));
  // Its walks miss the better one's home and places, and none of the better one's comes to its own home.
  const misses = (first: number) => Math.max(0, 1 - (1 + first) / others) ** w * (1 - first / others);
  const pairMiss =
    others > COUNTED ? misses(places) : occupancy(others, 0, w).reduce((sum, p, first) => sum + p * misses(first), 0);
  return { messages, bestSends: 2 * places, pairMiss, keeps: (better) => pairMiss ** better, rounds: 2 };
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

/** How many of `places` get one or more of this many tokens. */
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

/** Messages of 0, 1, 2, ... candidates whose walks take two steps, from the best rank down; a message comes to a living process with chance `keep`. */
function twoStepMessages(others: number, w: number, candidates: number, keep: number): number[] {
  const total = [0];
  // Places of better candidates after either step: their homes, and where their walks have been.
  let [seen, seenLate] = [0, 0];
  for (let rank = 1; rank <= candidates; rank++) {
    const goOn = keep * w * (1 - seen / others);
    const stay = keep * goOn * (1 - seenLate / others);
    const out = occupied(others, w) + occupied(others * others, goOn);
    const ends = occupied(others, stay * (1 - 1 / others));
    // The news go home at once from a place of the first step, otherwise by way of one, unless a better walk has come there.
    const first = Math.max(1, occupied(others, goOn));
    const anew = goOn === 0 ? 0 : Math.min(1, (ends / goOn) * (1 - first / others));
    const by = first * (1 - (1 - anew) ** (goOn / first)) * (1 - (seenLate - seen) / others);
    total.push(total[rank - 1] + out + ends + by);
    seen += (1 - seen / others) * (1 + occupied(others, keep * w));
    seenLate += (1 - seenLate / others) * (1 + occupied(others, keep * (w + goOn)));
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
 * For 0, 1, 2, ... candidates, as if every step of a walk led to any node: their messages, and the chance of the last of them to
 * keep all its walks. Every surviving walk makes a message in each step (a lazy one in every
 * other). A walk dies where a better one has been.
 */
function onTheWay(n: number, walks: number, tau: number, lazy: boolean, candidates: number, keep: number) {
  const moves = lazy ? 0.5 : 1;
  const messages = [0];
  const survive = [1];
  // Share of the nodes that no better candidate has visited, by step.
  const free = new Array<number>(tau + 1).fill(1);
  for (let rank = 1; rank <= candidates; rank++) {
    let alive = walks;
    let sent = 0;
    const visits = [0];
    for (let step = 1; step <= tau; step++) {
      sent += moves * (step === 1 ? occupied(n, alive) : alive);
      alive *= free[step] * (1 - moves * (1 - keep));
      visits.push(visits[step - 1] + moves * alive);
    }
    const { out, merged } = fitted(n, lazy);
    sent = out * sent + (merged / (1 + (2.5 * walks) / n)) * wayBack(n, tau, lazy) * occupied(n, alive);
    const all = (alive / walks) ** walks;
    survive.push(all);
    for (let step = 1; step <= tau; step++) free[step] *= Math.exp(-visits[step] / n);
    messages.push(messages[rank - 1] + sent);
  }
  return { messages, survive };
}
