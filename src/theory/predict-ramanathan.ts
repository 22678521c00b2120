/** Tournament, its asynchronous sister and the quorum (Ramanathan et al.), with loss, crashes and failed mediators. */
import { binomialTerms, hypergeometric } from "./chance.ts";
import { type Chances, type Contest, chances, merge, mix, type Outcomes, outcomesOf } from "./contest.ts";
import {
  type Crowd,
  casesOf,
  certain,
  type FirstPhase,
  lastOf,
  living,
  meanOf,
  POINTS,
  passage,
  somebody,
} from "./first-phase.ts";
import type { Prediction, Question } from "./prediction.ts";
import { quorumMiss } from "./ramanathan.ts";
import { believedSize, type Sizes } from "./sigma.ts";
import { isTiny, TINY, tinyContest } from "./tiny-contest.ts";

interface Params {
  readonly estimate: number;
  readonly gamma: number;
  readonly s: number;
  readonly ask: number;
  readonly sigma: Sizes["sigma"];
  readonly alpha: number;
  readonly rounding: Sizes["rounding"];
  readonly J: number;
  readonly failures: "all-yes" | "no-refusal";
  readonly mediators?: string;
  readonly mediator?: string;
  readonly spread?: number;
  readonly reading?: string;
}

/**
 * Up to this n the numbers of live processes and of working mediators are followed together; up to the second, the latter
 * at five points of its distribution; above, their means are enough.
 */
const SMALL = 20;
const MIDDLE = 100;

/** Contenders that are counted one by one. */
const FOLLOWED = 20_000;

/** One way in which crashes and failures can fall out. */
interface Case {
  readonly p: number;
  readonly contenders: Crowd;
  readonly working: FirstPhase["working"];
}

interface Result {
  readonly outcomes: Outcomes;
  readonly messages: number;
  readonly rounds: number;
  readonly survivors: number;
  readonly noSurvivor: number;
  readonly bestFails: number;
}

/** `timed`: requests come one after the other, as in the asynchronous protocols. */
export function predictRamanathan(question: Question, timed: boolean): Prediction | null {
  const { n } = question;
  const params = question.params as unknown as Params;
  const { reading = "repaired", mediators = "fresh", mediator = "first", spread = 0 } = params;
  // What the printed tables, mediators asked again, eager ones and late starts lead to, nobody has reckoned.
  if (reading !== "repaired" || mediators !== "fresh" || mediator !== "first" || spread > 0) return null;
  const total = { messages: 0, rounds: 0, survivors: 0, noSurvivor: 0, bestFails: 0 };
  const parts: { p: number; outcomes: Outcomes }[] = [];
  for (const one of cases(question, params.gamma)) {
    const result = resultOf(question, params, one, timed);
    parts.push({ p: one.p, outcomes: result.outcomes });
    for (const name of Object.keys(total) as (keyof typeof total)[]) total[name] += one.p * result[name];
  }
  const outcomes = mix(parts);
  const { messages, rounds, ...factors } = total;
  return {
    method: "approximation",
    success: outcomes.one,
    pNone: outcomes.none,
    pMany: outcomes.many,
    messages,
    rounds,
    factors: { ...factors, quorumMiss: quorumMiss(n, params.ask) },
    optimum: null,
  };
}

function cases({ n, initiators, crash }: Question, gamma: number): Case[] {
  if (n > SMALL && n <= MIDDLE && (crash > 0 || gamma > 0)) {
    const works = (1 - crash) * (1 - gamma);
    const spread = Math.sqrt(n * works * (1 - works));
    return POINTS.map(([at, weight]) => ({
      p: weight,
      contenders: living(initiators, crash),
      working: { count: Math.min(n, Math.max(0, Math.round(n * works + at * spread))) },
    }));
  }
  if (n > SMALL || (crash === 0 && gamma === 0 && n > TINY)) {
    return [{ p: 1, contenders: living(initiators, crash), working: (1 - crash) * (1 - gamma) }];
  }
  return binomialTerms(initiators, 1 - crash).flatMap((contenders) =>
    binomialTerms(n - initiators, 1 - crash).flatMap((others) =>
      binomialTerms(contenders.value + others.value, 1 - gamma).map((working) => ({
        p: contenders.p * others.p * working.p,
        contenders: certain(contenders.value),
        working: { count: working.value },
      })),
    ),
  );
}

function resultOf(question: Question, params: Params, { contenders, working }: Case, timed: boolean): Result {
  const { n, loss } = question;
  const share = typeof working === "number" ? working : working.count / n;
  const exchanged = 1 + (1 - loss) * share;
  const { sigma, alpha, rounding } = params;
  const sizes: Sizes = { sigma, alpha, rounding, n: believedSize(n, params.estimate) };
  const order = timed ? "in-order" : "together";
  const faulty = loss > 0 || share < 1;
  const phase: FirstPhase = {
    ...{ sizes, n, order, loss, working, alive: 1 - question.crash },
    allYes: params.failures === "all-yes" || !faulty,
  };
  const { requests, rounds, crowd } = passage({ phase, J: params.J ?? 0, contenders });
  const { ask: asked } = params;
  const complete = (share * (1 - loss) ** 2) ** asked;
  const rivals = ((meanOf(crowd) - 1) * asked * (1 - loss)) / n;
  const contest: Contest = {
    ...{ urn: n, size: asked, withoutSelf: false, threshold: params.s, refuses: true, loss },
    // A loser has declined before it would pre-empt those who came before it: measured, it counts nearly every other time, and more often where answers are lost.
    ...(timed ? { refused: timedRefusal(loss, rivals), persists: 0.45 + loss } : {}),
  };
  const lead = chancesOf(contest, crowd, working);
  const finish = (x: number): Outcomes => {
    if (timed && !faulty) return firstComes(x, quorumMiss(n, asked));
    // Where a contender may have failed as a mediator, who that is matters: the independent contest is near enough.
    if (isTiny(contest) && typeof working !== "number" && params.gamma === 0 && working.count >= x)
      return tinyContest(contest, x, working.count - x);
    const outcomes = outcomesOf(lead, x);
    if (!timed || x < 2) return outcomes;
    // The first contender leads if it has all answers; otherwise everybody waits, and the largest rank comes through.
    return mix([
      { p: complete, outcomes: firstComes(x, lead.leads[1] ?? 0) },
      { p: 1 - complete, outcomes },
    ]);
  };
  const final = casesOf(crowd).map(({ x, p }) => ({
    p,
    outcomes: finish(x),
    ...(timed
      ? timedCosts(x, asked, (exchanged - 1) * (1 - loss), exchanged, complete, lead.fails)
      : { messages: x * asked * exchanged, rounds: lastOf(phase, x * asked) }),
  }));
  const weighted = (value: (part: (typeof final)[number]) => number) =>
    final.reduce((sum, part) => sum + part.p * value(part), 0);
  return {
    outcomes: mix(final),
    messages: requests * exchanged + weighted((part) => part.messages),
    rounds: (timed ? 2 : 1) * rounds + weighted((part) => part.rounds),
    survivors: meanOf(crowd),
    noSurvivor: 1 - somebody(crowd),
    bestFails: lead.fails,
  };
}

function chancesOf(contest: Contest, crowd: Crowd, working: FirstPhase["working"]): Chances {
  const most = crowd.kind === "large" ? Math.round(crowd.mean) : crowd.p.length - 1;
  if (typeof working === "number") return chances(contest, most, contest.size, working);
  const present = hypergeometric(contest.urn, working.count, contest.size);
  return merge(present.p.map((p, k) => ({ p, chances: chances(contest, most, present.first + k) })));
}

/**
 * Timed, and no answer missing: with one fixed delay the first contender finds all its mediators free and leads, whatever
 * its rank. The j-th leads as well if it misses the first and either misses all the others before it, too, or has to wait for
 * some of them and outranks whomever it meets, before or after it. Of m others, each met with probability 1 - miss, it outranks all
 * that it meets with probability (1 - miss^(m+1)) / ((m + 1) (1 - miss)).
 */
function firstComes(contenders: number, miss: number): Outcomes {
  if (contenders < 2) return { none: 1 - contenders, one: contenders, many: 0 };
  if (miss >= 1) return { none: 0, one: 0, many: 1 };
  const outranks = (others: number) => (1 - miss ** (others + 1)) / ((others + 1) * (1 - miss));
  const waits = outranks(contenders - 2);
  const followed = Math.min(contenders, FOLLOWED);
  let lnOne = 0;
  for (let j = 2; j <= followed; j++) {
    const free = miss ** (j - 2);
    lnOne += Math.log1p(-Math.min(1, miss * (free + waits - free * outranks(contenders - j))));
  }
  lnOne += (contenders - followed) * Math.log1p(-miss * waits);
  return { none: 0, one: Math.exp(lnOne), many: -Math.expm1(lnOne) };
}

/**
 * That a contender whose request was heard where a better one was heard too learns of it. It is refused once, or, if it
 * came first there, pre-empted, and should it not hear that, refused again when it claims to have won. `rivals` others
 * are heard by each mediator: whoever comes first of k + 2 is any of them.
 */
function timedRefusal(loss: number, rivals: number): number {
  const arrives = 1 - loss;
  const first = rivals < 1e-9 ? 0.5 : (rivals - 1 + Math.exp(-rivals)) / rivals ** 2;
  return arrives + first * loss * arrives ** 3;
}

/**
 * Every request is answered (within 1%: one that waits and declines meanwhile is not); each loser declines at the
 * other mediators, the winner asks those that agreed once more,
 * and one that fails for lack of answers declines everywhere. A first contender with all answers asks in step 2, its
 * last rival is refused in step 7 and declines in step 8, if it has a larger rank. Otherwise the largest rank has taken
 * over all its mediators by step 5, if it was not the first itself and all their answers come; or waits until step 8.
 */
function timedCosts(
  contenders: number,
  asked: number,
  agrees: number,
  exchanged: number,
  complete: number,
  fails: number,
) {
  if (contenders < 1) return { messages: 0, rounds: 0 };
  const told = asked * ((1 - fails) * agrees + fails);
  const takesOver = complete * (1 - 1 / contenders);
  return {
    messages: contenders * asked * exchanged + (contenders - 1) * (asked - 1) + told,
    rounds: complete * (8 - 5 / contenders) + (1 - complete) * (takesOver * 6 + (1 - takesOver) * 9),
  };
}
