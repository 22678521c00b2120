/** Referees (Kutten et al., Algorithm 1): how often they err and what they cost, with loss and crashes. */
import { binomialTerms, hypergeometric } from "./chance.ts";
import { type Contest, chances, leadersOf, merge, mix, type Outcomes, outcomesOf } from "./contest.ts";
import { missProbability } from "./kutten.ts";
import { faultless } from "./losses.ts";
import type { Prediction, Question } from "./prediction.ts";
import { isTiny, tinyContest } from "./tiny-contest.ts";

interface Sizes {
  readonly candidates: number;
  readonly estimate: number;
}

/** Up to this n the number of live processes is followed exactly; above, its mean is enough. */
const SMALL = 64;

const candidacy = ({ candidates, estimate }: Sizes, n: number): number =>
  Math.min(1, candidates / Math.max(2, n * estimate));

export function predictReferees(question: Question): Prediction | null {
  const { n, loss, crash, initiators } = question;
  const params = question.params as unknown as Sizes & {
    referees: number;
    wakeup: string;
    explicit: boolean;
    answers: string;
    threshold: number;
  };
  if (params.wakeup !== "simultaneous") return null;
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
  // A process that is not a live candidate has crashed, or was not drawn.
  const elseAlive = stands === 1 ? 0 : ((1 - crash) * (1 - stands)) / (1 - stands * (1 - crash));
  const common = chances(contest, most, size, 1 - crash);
  const parts = numbers.map(({ value: a, p }) => {
    const given =
      (crash > 0 || isTiny(contest)) && n <= SMALL && a > 0
        ? withLiving(contest, a, n, elseAlive)
        : { outcomes: outcomesOf(common, a), leaders: leadersOf(common, a) };
    return { p, a, ...given };
  });
  const outcomes = mix(parts);
  let messages = 0;
  let rounds = 0;
  for (const { p, a, leaders, outcomes } of parts) {
    const alive = n > 1 ? (Math.max(0, a - 1) + (n - a) * elseAlive) / (n - 1) : 0;
    const announced = params.explicit ? leaders * (n - 1) : 0;
    messages += p * (a * size + answers(contest, a, n, elseAlive) + announced);
    const silent = (1 - alive * (1 - loss) ** 2) ** (a * size);
    const unheard = (1 - alive * (1 - loss)) ** (a * size);
    rounds += p * (2 - silent - unheard + (params.explicit ? 1 - outcomes.none : 0));
  }
  return {
    method: isTiny(contest) || (faultless(question) && size === n - 1) ? "exact" : "approximation",
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

/** The answers to a candidates: one to each request that is heard, or only one from each process that hears any. */
function answers(contest: Contest, a: number, n: number, elseAlive: number): number {
  if (n < 2 || a === 0) return 0;
  const heard = (1 - contest.loss) * (contest.size / (n - 1));
  if (contest.refuses) return a * heard * (a - 1 + (n - a) * elseAlive);
  return a * (1 - (1 - heard) ** (a - 1)) + (n - a) * elseAlive * (1 - (1 - heard) ** a);
}

/** Small groups: over how many of the others are alive, and how many of those a candidate asks. */
function withLiving(
  contest: Contest,
  a: number,
  n: number,
  elseAlive: number,
): { outcomes: Outcomes; leaders: number } {
  const parts = binomialTerms(n - a, elseAlive).map(({ value, p }) => {
    const living = a - 1 + value;
    const asked = hypergeometric(n - 1, living, contest.size);
    const each = asked.p.map((chance, k) => ({ p: chance, chances: chances(contest, a, asked.first + k) }));
    const merged = merge(each);
    const outcomes = isTiny(contest) ? tinyContest(contest, a, value) : outcomesOf(merged, a);
    return { p, outcomes, leaders: leadersOf(merged, a) };
  });
  return { outcomes: mix(parts), leaders: parts.reduce((sum, { p, leaders }) => sum + p * leaders, 0) };
}
