/**
 * Referees without rounds, where all candidates start together: how often nobody or several lead, and what it costs.
 *
 * Everybody asked (a majority of all leads): at most one leads, so the chance that one does is the sum of the chances of each,
 * and the endorsements of one are a sum of independent ones: exact but for referees that hear nobody before the second try.
 * Part of the group asked (one refusal is enough to lose): as in contest.ts.
 */
import { binomialAtLeast, binomialBelow, binomialTerms } from "../chance.ts";
import { cannotSay, type Prediction, type Question } from "../prediction.ts";
import {
  type Contest,
  escapes,
  type LeadingChances,
  lowerRanks,
  mix,
  type Outcomes,
  outcomesOf,
} from "../ramanathan/contest.ts";
import { binomialProbability } from "../raz/replies.ts";
import { pairMiss } from "./referees-async.ts";

interface Params {
  readonly candidates: number;
  readonly m: number;
  readonly threshold: number;
  readonly window: number;
  readonly tries: number;
  readonly spread: number;
}

/** One number of live candidates, and all that its chances follow from. */
interface Field {
  readonly n: number;
  readonly candidates: number;
  /** The chance that a process which is no live candidate is alive. */
  readonly alive: number;
  readonly asked: number;
  readonly needed: number;
  readonly loss: number;
  readonly tries: number;
  readonly window: number;
}

const NEGLIGIBLE = 1e-24;
const RARE = 1e-9;

/** From this rank on all candidates have the same to expect. */
const FOLLOWED = 3;

export function predictRefereesAsync(question: Question): Prediction {
  const { n, loss, crash, initiators } = question;
  const params = question.params as unknown as Params;
  const { threshold, window, tries } = params;
  const asked = Math.min(params.m, n);
  const needed = Math.min(asked, Math.floor(threshold * asked) + 1);
  const veto = 2 * needed <= n;
  // Candidates that do not start together, or referees that do not wait for them, may all lose: how often, nobody can say.
  if (params.spread > 0 || window < 1) {
    return cannotSay(
      "candidates that do not start together, or referees that do not wait for them, may all lose: how often has not been computed",
    );
  }
  if (!veto && asked < n) {
    return cannotSay(
      "where more than half must agree, all must be asked (m = n): otherwise how often nobody leads has not been computed",
    );
  }
  const stands = Math.min(1, params.candidates / n) * (1 - crash);
  // An initiator that is no live candidate has crashed, or was not drawn; the others never stand, and are alive or not.
  const undrawn = stands === 1 ? 0 : Math.max(0, (1 - crash - stands) / (1 - stands));
  const aliveBeside = (candidates: number): number =>
    candidates === n ? 0 : ((initiators - candidates) * undrawn + (n - initiators) * (1 - crash)) / (n - candidates);
  const numbers = binomialTerms(initiators, stands);
  const sizes = { n, asked, needed, loss, tries, window };
  const most = numbers[numbers.length - 1].value;
  // As good as nobody asks again: then how many others there are does not matter to one candidate, only the better ones do.
  const alike = veto && binomialBelow(asked, (1 - crash) * (1 - loss) ** 2, needed) < RARE;
  const common = alike ? unrefused({ ...sizes, alive: 1 - crash, candidates: most }) : null;
  let messages = 0;
  let rounds = 0;
  let asksAgain = 0;
  const parts = numbers.map(({ value: candidates, p }) => {
    if (candidates === 0) return { p, outcomes: { none: 1, one: 0, many: 0 } };
    const field: Field = { ...sizes, alive: aliveBeside(candidates), candidates };
    const outcomes = veto ? outcomesOf(common ?? unrefused(field), candidates) : majority(field);
    const cost = costOf(field, veto);
    messages += p * cost.messages;
    rounds += p * cost.rounds;
    asksAgain += p * cost.asksAgain;
    return { p, outcomes };
  });
  const outcomes = mix(parts);
  return {
    method: asked === n && !veto && loss === 0 && crash === 0 ? "exact" : "approximation",
    success: outcomes.one,
    pNone: outcomes.none,
    pMany: outcomes.many,
    messages,
    rounds,
    factors: {
      nobodyStands: (1 - stands) ** initiators,
      pairMiss: asked === n && !veto ? 0 : pairMiss(n, asked, loss),
      asksAgain,
    },
    optimum: null,
  };
}

/** All are asked, and a majority of all leads. */
function majority(field: Field): Outcomes {
  const { n, candidates, alive, needed, loss, tries } = field;
  const trip = (1 - loss) ** 2;
  const missed = (1 - trip) ** (tries - 1);
  let one = 0;
  for (let better = 0; better < candidates && loss ** better > NEGLIGIBLE; better++) {
    // Heard in time, and nobody better: endorsed, and told so by one of the answers.
    const told = loss ** better * (1 - loss) * (1 - loss * missed);
    // A referee that has heard nobody yet may hear it when it asks again; another candidate has heard itself.
    const free = loss ** (candidates + better) * (1 - missed);
    const worse = candidates - 1 - better;
    for (const { value, p } of binomialTerms(worse, told)) {
      const rest = (own: number) => binomialAtLeast(n - candidates, alive * (told + free), needed - own - value);
      one += p * (loss ** better * rest(1) + (1 - loss ** better) * rest(0));
    }
  }
  return { none: Math.max(0, 1 - one), one: Math.min(1, one), many: 0 };
}

/** A part is asked; a candidate with enough endorsements after a try leads, unless a referee has refused it. */
function unrefused(field: Field): LeadingChances {
  const { n, candidates, asked, needed, loss, tries } = field;
  const alive = aliveOf(field);
  const trip = (1 - loss) ** 2;
  const answered = (tried: number) => alive * (1 - (1 - trip) ** tried);
  // Who asks again may come to one that missed its first request and has endorsed somebody else.
  const taken = alive * loss * trip * (1 - (1 - (asked / n) * (1 - loss)) ** (candidates - 1));
  const leads = (hit: number): number => {
    let [sum, before] = [0, 0];
    for (let tried = 1; tried <= tries; tried++) {
      const enough = binomialAtLeast(asked - hit, answered(tried), needed);
      const spared = (1 - answered(tried)) ** hit * (1 - taken) ** ((asked - hit) * (tried - 1));
      sum += spared * Math.max(0, enough - before);
      before = enough;
    }
    return sum;
  };
  const contest: Contest = { urn: n, size: asked, withoutSelf: false, threshold: needed, refuses: true, loss };
  const reach = Math.min(asked, escapes(answered(1)));
  const weight = Array.from({ length: reach + 1 }, (_, hit) => leads(hit));
  const best = leads(0);
  const fails = tries === 1 ? binomialBelow(asked, answered(1), needed) : 1 - best;
  return { fails, leads: [best, ...lowerRanks(contest, candidates, asked, weight)] };
}

/** The share of the others, as one candidate sees them, that is alive. */
const aliveOf = ({ n, candidates, alive }: Field): number =>
  n < 2 ? 1 : (candidates - 1 + (n - candidates) * alive) / (n - 1);

/** What one number of candidates costs, try after try. */
function costOf(field: Field, veto: boolean): { messages: number; rounds: number; asksAgain: number } {
  const { n, candidates, asked, loss, tries, window } = field;
  const alive = aliveOf(field);
  // Nobody sends to itself.
  const requests = asked * (1 - 1 / n);
  let messages = candidates * requests;
  let rounds = 0;
  const first = firstTry(field, requests);
  // Who knows after a try has had answers; who does not may have had none.
  let [known, reached] = [first.answered, first.mean];
  let standing = 1;
  let asksAgain = 0;
  for (let tried = 1; tried < tries && standing > RARE; tried++) {
    const { p, mean } = silentAfter(field, Math.round(requests), tried, veto);
    const again = Math.min(standing, p);
    if (tried === 1) asksAgain = again;
    messages += mean;
    rounds += (standing - again) * known;
    const before = again === 0 ? 0 : Math.max(0, (standing * reached - (standing - again) * known) / again);
    standing = again;
    reached = nextTry(field, tried * (2 + window), p === 0 ? 0 : mean / p, before);
    known = reached;
  }
  return { messages: messages * (1 + (1 - loss) * alive), rounds: rounds + standing * reached, asksAgain };
}

/**
 * When the last answer to a first try comes, and whatever comes last, answer or not: referees that wait from the first request on
 * answer later by one delay than candidates that have asked themselves.
 */
function firstTry({ n, candidates, alive, asked, loss, window }: Field, requests: number) {
  if (n === 1) return { answered: 0, mean: 0 };
  const share = asked / n;
  const answered = (1 - loss) ** 2;
  const silentTo = (askers: number, chance: number) => 1 - alive + alive * (1 - share * chance) ** askers;
  // Candidates that are not among those they ask wait as anybody else does.
  const pairs = candidates * (candidates - 1);
  const noneEarly = (1 - share * share * answered) ** pairs;
  const noneLate = silentTo(candidates, answered) ** (n - candidates) * (1 - (1 - share) * share * answered) ** pairs;
  const unheard =
    silentTo(candidates, 1 - loss) ** (n - candidates) *
    (candidates > 1 ? loss ** ((candidates * requests * (candidates - 1)) / (n - 1)) : 1);
  const unanswered = noneLate * noneEarly;
  const inTime = (1 - noneLate) * (2 + window) + (noneLate - unanswered) * (1 + window);
  return {
    answered: unanswered === 1 ? 0 : inTime / (1 - unanswered),
    mean: inTime + Math.max(0, unanswered - unheard),
  };
}

/** The same of a try that begins later and asks so many again: one that has heard nobody yet waits before it answers. */
function nextTry(field: Field, begins: number, repeated: number, before: number): number {
  const { candidates, loss, window } = field;
  const alive = aliveOf(field);
  const trip = (1 - loss) ** 2;
  const silent = 1 - alive * trip;
  const some = (each: number) => 1 - (1 - each) ** repeated;
  // Who is silent has crashed, or the request was lost, or the answer.
  const listens = silent === 0 ? 0 : (alive * (1 - trip)) / silent;
  const untouched = silent === 0 ? 0 : (alive * loss ** candidates) / silent;
  const heard = some(listens * (1 - loss));
  const answered = some(listens * trip);
  const late = some(untouched * trip);
  return (
    late * (begins + 2 + window) +
    Math.max(0, answered - late) * (begins + 2) +
    (heard - answered) * (begins + 1) +
    (1 - heard) * before
  );
}

/** How often anybody knows after so many tries neither that it leads nor that it has lost, and how many requests are made again. */
function silentAfter(field: Field, others: number, tried: number, veto: boolean): { p: number; mean: number } {
  const { candidates } = field;
  let [repeated, again] = [0, 0];
  for (let rank = 1; rank <= Math.min(FOLLOWED, candidates); rank++) {
    const silence = undecidedAfter(field, others, rank, tried, veto);
    const alike = rank < FOLLOWED ? 1 : candidates - FOLLOWED + 1;
    repeated += alike * silence.mean;
    again = 1 - (1 - again) * (1 - silence.p) ** alike;
  }
  return { p: again, mean: repeated };
}

function undecidedAfter(field: Field, others: number, rank: number, tried: number, veto: boolean) {
  const { n, asked, loss } = field;
  const unbeaten = (1 - (asked / n) * (1 - loss)) ** (rank - 1);
  const trip = aliveOf(field) * (1 - (1 - (1 - loss) ** 2) ** tried);
  if (trip === 1 || n < 2) return { p: 0, mean: 0 };
  const refuses = trip * (1 - unbeaten + (unbeaten * (rank - 1)) / (n - 1));
  const endorses = trip - refuses;
  // Its own referee endorses the best candidate, and refuses any other.
  const needed = field.needed - (rank === 1 ? 1 : 0);
  const tolerated = veto ? 0 : asked - field.needed - (rank === 1 ? 0 : 1);
  // Where one refusal is enough its own, should it ask itself, is one.
  const unrefused = veto ? 1 - (asked / n) * (1 - unbeaten) : 1;
  let [p, mean] = [0, 0];
  const unlikely = 4 * Math.sqrt(others);
  if (refuses * others - tolerated > unlikely || endorses * others - needed > unlikely) return { p, mean };
  for (let endorsed = 0; endorsed < needed; endorsed++) {
    const some = binomialProbability(endorsed, others, endorses);
    for (let refused = 0; refused <= Math.min(tolerated, others - endorsed); refused++) {
      const chance =
        unrefused * some * binomialProbability(refused, others - endorsed, Math.min(1, refuses / (1 - endorses)));
      p += chance;
      mean += chance * (others - endorsed - refused);
      if (refuses === 0) break;
    }
  }
  return { p, mean };
}
