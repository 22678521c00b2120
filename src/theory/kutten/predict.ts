/** Referees (Kutten et al., Algorithm 1): how often they err and what they cost, with loss and crashes. */
import { binomialTerms, hypergeometricChances } from "../chance.ts";
import { cannotSay, faultless, type Prediction, type Question } from "../prediction.ts";
import {
  type Contest,
  chances,
  isTiny,
  leadersOf,
  merge,
  mix,
  type Outcomes,
  outcomesOf,
  tinyContest,
} from "../ramanathan/contest.ts";
import { missProbability } from "./kutten.ts";

interface Sizes {
  readonly candidates: number;
  readonly estimate: number;
}

/** Up to this n the number of live processes is followed exactly; above, its mean is enough. */
const SMALL = 64;

const candidacy = ({ candidates, estimate }: Sizes, n: number): number =>
  Math.min(1, candidates / Math.max(2, n * estimate));

export function predictReferees(question: Question): Prediction {
  const { n, loss, crash, initiators } = question;
  const params = question.params as unknown as Sizes & {
    referees: number;
    wakeup: string;
    explicit: boolean;
    answers: string;
    threshold: number;
  };
  if (params.wakeup !== "simultaneous") return cannotSay("computed for wakeup=simultaneous only");
  const stands = candidacy(params, n);
  const size = Math.min(params.referees, n - 1);
  const contest: Contest = {
    urn: n - 1,
    size,
    withoutSelf: true,
    threshold: Math.ceil(params.threshold * size),
    refuses: params.answers === "all",
    loss,
  };
  const numbers = binomialTerms(initiators, stands * (1 - crash));
  const most = numbers[numbers.length - 1].value;
  // An initiator that is not a live candidate has crashed, or was not drawn; the others never stand, and are alive or not.
  const undrawn = stands === 1 ? 0 : ((1 - crash) * (1 - stands)) / (1 - stands * (1 - crash));
  const othersOf = (a: number): Others => ({
    initiators: initiators - a,
    undrawn,
    rest: n - initiators,
    alive: 1 - crash,
  });
  const common = chances(contest, most, size, 1 - crash);
  const parts = numbers.map(({ value: a, p }) => {
    const given =
      (crash > 0 || isTiny(contest)) && n <= SMALL && a > 0
        ? withLiving(contest, a, n, othersOf(a))
        : { outcomes: outcomesOf(common, a), leaders: leadersOf(common, a) };
    return { p, a, ...given };
  });
  const outcomes = mix(parts);
  let messages = 0;
  let rounds = 0;
  for (const part of parts) {
    const cost = costOf(contest, part, { n, living: meanLiving(othersOf(part.a)), isExplicit: params.explicit });
    messages += part.p * cost.messages;
    rounds += part.p * cost.rounds;
  }
  return {
    method: faultless(question) && size === n - 1 ? "exact" : "approximation",
    success: outcomes.one,
    pNone: outcomes.none,
    pMany: outcomes.many,
    messages,
    rounds,
    factors: {
      nobodyStands: numbers[0].value === 0 ? numbers[0].p : 0,
      bestFails: common.fails,
      pairMiss: n > 2 ? missProbability({ n, candidates: params.candidates, referees: size }) : 0,
    },
    optimum: null,
  };
}

/** What an election with `a` live candidates costs on average. */
function costOf(
  contest: Contest,
  { a, leaders, outcomes }: { readonly a: number; readonly leaders: number; readonly outcomes: Outcomes },
  { n, living, isExplicit }: { readonly n: number; readonly living: number; readonly isExplicit: boolean },
): { messages: number; rounds: number } {
  const { size, loss } = contest;
  const alive = n > 1 ? (Math.max(0, a - 1) + living) / (n - 1) : 0;
  const announced = isExplicit ? leaders * (n - 1) : 0;
  const silent = (1 - alive * (1 - loss) ** 2) ** (a * size);
  const unheard = (1 - alive * (1 - loss)) ** (a * size);
  return {
    messages: a * size + answers(contest, a, n, living) + announced,
    rounds: 2 - silent - unheard + (isExplicit ? 1 - outcomes.none : 0),
  };
}

/** Who is not a live candidate: initiators, of which a share was not drawn, and the rest, of which a share is alive. */
interface Others {
  readonly initiators: number;
  readonly undrawn: number;
  readonly rest: number;
  readonly alive: number;
}

const meanLiving = ({ initiators, undrawn, rest, alive }: Others): number => initiators * undrawn + rest * alive;

/** How many of them are alive. */
function livingOf({ initiators, undrawn, rest, alive }: Others): { value: number; p: number }[] {
  const sums = new Map<number, number>();
  for (const some of binomialTerms(initiators, undrawn)) {
    for (const more of binomialTerms(rest, alive)) {
      const value = some.value + more.value;
      sums.set(value, (sums.get(value) ?? 0) + some.p * more.p);
    }
  }
  return [...sums].map(([value, p]) => ({ value, p }));
}

/** The answers to a candidates: one to each request that is heard, or only one from each process that hears any. */
function answers(contest: Contest, a: number, n: number, living: number): number {
  if (n < 2 || a === 0) return 0;
  const heard = (1 - contest.loss) * (contest.size / (n - 1));
  if (contest.refuses) return a * heard * (a - 1 + living);
  return a * (1 - (1 - heard) ** (a - 1)) + living * (1 - (1 - heard) ** a);
}

/** Small groups: over how many of the others are alive, and how many of those a candidate asks. */
function withLiving(contest: Contest, a: number, n: number, others: Others): { outcomes: Outcomes; leaders: number } {
  const parts = livingOf(others).map(({ value, p }) => {
    const living = a - 1 + value;
    const asked = hypergeometricChances(n - 1, living, contest.size);
    const each = asked.p.map((chance, k) => ({ p: chance, chances: chances(contest, a, asked.first + k) }));
    const merged = merge(each);
    const outcomes = isTiny(contest) ? tinyContest(contest, a, value) : outcomesOf(merged, a);
    return { p, outcomes, leaders: leadersOf(merged, a) };
  });
  return { outcomes: mix(parts), leaders: parts.reduce((sum, { p, leaders }) => sum + p * leaders, 0) };
}
