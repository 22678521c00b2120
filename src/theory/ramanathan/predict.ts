/** Tournament, its asynchronous sister and the quorum (Ramanathan et al.), with loss, crashes and failed mediators. */
import { binomialAtLeast, binomialBelow, binomialTerms, hypergeometricChances } from "../chance.ts";
import { cannotSay, type Prediction, type Question } from "../prediction.ts";
import {
  type Contest,
  chances,
  isTiny,
  type LeadingChances,
  merge,
  mix,
  type Outcomes,
  outcomesOf,
  TINY,
  tinyContest,
} from "./contest.ts";
import {
  type ContenderCount,
  crowdSizes,
  type FirstPhase,
  lastOf,
  living,
  livingAmong,
  meanOf,
  POINTS,
  passage,
  somebody,
} from "./first-phase.ts";
import { lnDisjoint, quorumMiss } from "./ramanathan.ts";
import { believedSize, type Sizes } from "./sigma.ts";
import { type SecondPhase, timedCosts, timedOutcomes, timedRefusals } from "./timed-contest.ts";

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
 * Up to this n the number of mediators that work is followed together with that of contenders; above, each mediator works or not by
 * itself, which is exact for one contender, and for several whose sets are disjoint.
 */
const SMALL = 20;

/** Numbers of working mediators that are rarer than this do not show in any answer. */
const RARE = 1e-12;

/** One way in which crashes and failures can fall out. */
interface Case {
  readonly p: number;
  readonly contenders: ContenderCount;
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
export function predictRamanathan(question: Question, timed: boolean): Prediction {
  const { n } = question;
  const params = question.params as unknown as Params;
  const { reading = "repaired", mediators = "fresh", mediator = "first", spread = 0 } = params;
  // What the printed tables, mediators asked again, eager ones and late starts lead to, nobody has reckoned.
  if (reading !== "repaired" || mediators !== "fresh" || mediator !== "first" || spread > 0) {
    return cannotSay("computed for reading=repaired, mediators=fresh, mediator=first and spread=0 only");
  }
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

/** By the number of mediators that work, each with the contenders that there are then. */
function cases({ n, initiators, crash }: Question, gamma: number): Case[] {
  const works = (1 - crash) * (1 - gamma);
  if (n > SMALL || (works === 1 && n > TINY)) {
    return [{ p: 1, contenders: living(initiators, crash), working: works }];
  }
  // A process that does not mediate may have crashed, or only failed as a mediator.
  const contendsStill = works === 1 ? 1 : ((1 - crash) * gamma) / (1 - works);
  return binomialTerms(n, works, RARE).map(({ value: count, p }) => ({
    p,
    contenders: livingAmong(n, initiators, count, contendsStill),
    working: { count },
  }));
}

/** The share of mediators that work. */
const shareOf = (working: Case["working"], n: number): number =>
  typeof working === "number" ? working : working.count / n;

function firstPhaseOf(
  { n, loss, crash }: Question,
  params: Params,
  working: Case["working"],
  timed: boolean,
): FirstPhase {
  const { sigma, alpha, rounding } = params;
  const faulty = loss > 0 || shareOf(working, n) < 1;
  return {
    sizes: { sigma, alpha, rounding, n: believedSize(n, params.estimate) },
    n,
    order: timed ? "in-order" : "together",
    loss,
    working,
    alive: 1 - crash,
    allYes: params.failures === "all-yes" || !faulty,
  };
}

function resultOf(question: Question, params: Params, { contenders, working }: Case, timed: boolean): Result {
  const { n, loss } = question;
  const share = shareOf(working, n);
  const exchanged = 1 + (1 - loss) * share;
  const phase = firstPhaseOf(question, params, working, timed);
  const { requests, rounds, crowd } = passage({ phase, J: params.J ?? 0, contenders });
  const { ask: asked } = params;
  const rivals = ((meanOf(crowd) - 1) * asked * (1 - loss)) / n;
  const contest: Contest = {
    urn: n,
    size: asked,
    withoutSelf: false,
    threshold: params.s,
    refuses: true,
    loss,
    ...(timed ? timedRefusals(loss, rivals) : {}),
  };
  const lead = chancesOf(contest, crowd, working);
  const answers = allWork(n, working, asked) * (1 - loss) ** (2 * asked);
  const unrefused = timed && answers < 1 ? chancesOf({ ...contest, threshold: 0 }, crowd, working) : lead;
  const second = {
    n,
    asked,
    agreed: agreedWith(asked, share * (1 - loss) ** 2, params.s),
    share,
    loss,
    answers,
    lead,
    unrefused,
  };
  const finish = timed
    ? timedFinish(second, crashCases(n, working, contest))
    : (x: number): Outcomes =>
        // Where a contender may have failed as a mediator, who that is matters: the independent contest is near enough.
        isTiny(contest) && typeof working !== "number" && params.gamma === 0 && working.count >= x
          ? tinyContest(contest, x, working.count - x)
          : outcomesOf(lead, x);
  const final = crowdSizes(crowd).map(({ x, p }) => ({
    p,
    outcomes: finish(x),
    ...(timed ? timedCosts(second, x) : { messages: x * asked * exchanged, rounds: lastOf(phase, x * asked) }),
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

/** How the second phase ends with x contenders, over the numbers of mediators that may work. */
function timedFinish(second: SecondPhase, crashes: ReturnType<typeof crashCases>): (x: number) => Outcomes {
  if (crashes.length === 0) return (x) => timedOutcomes(second, x);
  return (x) =>
    mix(
      crashes.map(({ p, answers, fails }) => ({
        p,
        outcomes: timedOutcomes(
          { ...second, answers, lead: { fails, leads: [1 - fails, ...second.lead.leads.slice(1)] } },
          x,
        ),
      })),
    );
}

/** Numbers of working mediators that are rarer than this are left out, and more of them than these are looked at in five points. */
const UNUSUAL = 1e-5;
const FOLLOWED = 60;

/**
 * Whether the first contender hears from all, and whether the best hears from enough, hang on the same crashes: each number of
 * working mediators is a case. Empty where all work, or where their number is a case already.
 */
function crashCases(n: number, working: FirstPhase["working"], { size, threshold, loss }: Contest) {
  if (typeof working !== "number" || working === 1) return [];
  const terms = binomialTerms(n, working, UNUSUAL);
  const sd = Math.sqrt(n * working * (1 - working));
  const counts =
    terms.length <= FOLLOWED
      ? terms
      : POINTS.map(([at, p]) => ({ value: Math.min(n, Math.max(0, Math.round(n * working + at * sd))), p }));
  const total = counts.reduce((sum, { p }) => sum + p, 0);
  return counts.map(({ value: count, p }) => {
    const present = hypergeometricChances(n, count, size);
    const fails = present.p.reduce(
      (sum, chance, k) => sum + chance * binomialBelow(present.first + k, (1 - loss) ** 2, threshold),
      0,
    );
    return { p: p / total, answers: allWork(n, { count }, size) * (1 - loss) ** (2 * size), fails };
  });
}

/** How many of those asked agree, each with this chance, where at least s do. */
function agreedWith(asked: number, agrees: number, s: number): number {
  const enough = binomialAtLeast(asked, agrees, s);
  return enough === 0 ? s : (asked * agrees * binomialAtLeast(asked - 1, agrees, s - 1)) / enough;
}

/** That so many mediators, asked at random, all work. */
const allWork = (n: number, working: FirstPhase["working"], asked: number): number =>
  typeof working === "number" ? working ** asked : Math.exp(lnDisjoint(n, n - working.count, asked));

function chancesOf(contest: Contest, crowd: ContenderCount, working: FirstPhase["working"]): LeadingChances {
  const most = crowd.kind === "large" ? Math.round(crowd.mean) : crowd.p.length - 1;
  if (typeof working === "number") return chances(contest, most, contest.size, working);
  const present = hypergeometricChances(contest.urn, working.count, contest.size);
  return merge(present.p.map((p, k) => ({ p, chances: chances(contest, most, present.first + k) })));
}
