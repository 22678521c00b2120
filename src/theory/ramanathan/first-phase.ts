/** The rounds of a tournament's first phase as a Markov chain of the number of contenders. */
import { binomialTerms, hypergeometricChances } from "../chance.ts";
import { remembering } from "../memo.ts";
import { EXACT, momentsOf, type Round, survivors } from "./elimination.ts";
import { overlookedMoments, overlookedSurvivors } from "./overlooked.ts";
import { roundedSigma, type Sizes } from "./sigma.ts";

/** A number of contenders: spread around a mean where it is large, one chance for each value where it is small. */
export type ContenderCount =
  | { readonly kind: "large"; readonly mean: number; readonly variance: number }
  | { readonly kind: "small"; readonly p: Float64Array };

export interface FirstPhase {
  /** Sizes as the processes plan them, and the real number of processes. */
  readonly sizes: Sizes;
  readonly n: number;
  readonly order: Round["order"];
  readonly loss: number;
  readonly working: Round["working"];
  /** That a process has not crashed: one that has failed as a mediator still hears. */
  readonly alive: number;
  /** Whether a missing answer ends a contender's first phase. */
  readonly allYes: boolean;
}

/** From this mean on a crowd is large. */
const LARGE = 150;
/** Gauss-Hermite, five points: where to look at a normal variable, in standard deviations, and with which weight. */
export const POINTS = [
  [0, 8 / 15],
  [1.3556261799742659, 0.2220759220056126],
  [-1.3556261799742659, 0.2220759220056126],
  [2.8569700138728056, 0.011257411327720689],
  [-2.8569700138728056, 0.011257411327720689],
] as const;

const certain = (x: number): ContenderCount =>
  x > LARGE ? { kind: "large", mean: x, variance: 1e-9 } : small(x, (p) => p.fill(1, x));

/** How many of `count` processes are alive. */
export function living(count: number, crash: number): ContenderCount {
  if (crash === 0) return certain(count);
  const mean = count * (1 - crash);
  if (mean > LARGE) return { kind: "large", mean, variance: mean * crash };
  return small(count, (p) => {
    for (const term of binomialTerms(count, 1 - crash)) p[term.value] = term.p;
  });
}

/** How many of `count` of n processes contend, where `working` of the n mediate and the others contend with this chance. */
export function livingAmong(n: number, count: number, working: number, otherwise: number): ContenderCount {
  const mediate = hypergeometricChances(n, count, working);
  return small(count, (p) => {
    for (const [i, chance] of mediate.p.entries()) {
      const sure = mediate.first + i;
      for (const more of binomialTerms(count - sure, otherwise)) p[sure + more.value] += chance * more.p;
    }
  });
}

function small(most: number, fill: (p: Float64Array) => void): ContenderCount {
  const p = new Float64Array(most + 1);
  fill(p);
  return { kind: "small", p };
}

export const meanOf = (crowd: ContenderCount): number =>
  crowd.kind === "large" ? crowd.mean : crowd.p.reduce((sum, p, x) => sum + p * x, 0);

/** That somebody is left. */
export const somebody = (crowd: ContenderCount): number => (crowd.kind === "large" ? 1 : 1 - crowd.p[0]);

/** The sizes of a crowd with their chances, as far as they matter. */
export const crowdSizes = (crowd: ContenderCount): { readonly x: number; readonly p: number }[] =>
  crowd.kind === "large"
    ? [{ x: Math.round(crowd.mean), p: 1 }]
    : [...crowd.p].map((p, x) => ({ x, p })).filter(({ p }) => p > 0);

/** What the rounds of a first phase cost, in requests and in rounds that somebody takes part in, and how many they leave. */
interface Passage {
  readonly requests: number;
  readonly rounds: number;
  readonly crowd: ContenderCount;
}

/** Through all J rounds. */
export const passage = remembering(({ phase, J, contenders }: Start): Passage => {
  let crowd = contenders;
  let requests = 0;
  let rounds = 0;
  for (let j = 1; j <= J; j++) {
    const { least, fraction } = roundedSigma(phase.sizes, j);
    const asked = meanOf(crowd) * Math.min(least + fraction, phase.n);
    requests += asked;
    const before = somebody(crowd);
    const seen = before === 0 ? 0 : lastOf(phase, asked / before);
    crowd = afterRound(phase, j, crowd);
    // Who goes on without answers has a later exchange that counts; who needs them all has had them.
    rounds += phase.allYes ? before * seen : somebody(crowd) + (before - somebody(crowd)) * seen;
  }
  return { requests, rounds, crowd };
});

/** How much of an exchange with so many requests is seen: all if an answer arrives, half if only requests do. */
export function lastOf({ loss, alive, n, working }: FirstPhase, requests: number): number {
  const answers = (typeof working === "number" ? working : working.count / n) * (1 - loss) ** 2;
  const silent = (1 - answers) ** requests;
  const unheard = (1 - alive * (1 - loss)) ** requests;
  return 1 - (silent + unheard) / 2;
}

interface Start {
  readonly phase: FirstPhase;
  readonly J: number;
  readonly contenders: ContenderCount;
}

/** Who is left after round j. */
function afterRound(phase: FirstPhase, j: number, crowd: ContenderCount): ContenderCount {
  const { least, fraction } = roundedSigma(phase.sizes, j);
  if (fraction === 0) return withSigma(phase, least, crowd);
  if (phase.allYes && least < phase.n) return withSigma(phase, least, crowd, fraction);
  return between(withSigma(phase, least, crowd), withSigma(phase, least + 1, crowd), fraction);
}

/** A coin per contender decides between two sizes: between the crowds that either alone would leave. */
function between(a: ContenderCount, b: ContenderCount, share: number): ContenderCount {
  const mixed = (x: number, y: number) => (1 - share) * x + share * y;
  if (a.kind === "large" && b.kind === "large") {
    return { kind: "large", mean: mixed(a.mean, b.mean), variance: mixed(a.variance, b.variance) };
  }
  const [p, q] = [discrete(a), discrete(b)];
  return small(Math.max(p.length, q.length) - 1, (result) => {
    for (let x = 0; x < result.length; x++) result[x] = mixed(p[x] ?? 0, q[x] ?? 0);
  });
}

function withSigma(phase: FirstPhase, asked: number, crowd: ContenderCount, fraction = 0): ContenderCount {
  const { n, order, loss, working, allYes } = phase;
  const round: Round = { n, sigma: Math.min(asked, n), fraction, order, loss, working };
  const step = allYes ? momentsOf : overlookedMoments;
  if (crowd.kind === "large") {
    const looks = POINTS.map(([at, weight]) => {
      const x = Math.max(1, crowd.mean + at * Math.sqrt(crowd.variance));
      return { weight, ...step(round, x) };
    });
    const mean = looks.reduce((sum, look) => sum + look.weight * look.mean, 0);
    const variance = looks.reduce((sum, look) => sum + look.weight * (look.variance + (look.mean - mean) ** 2), 0);
    const next: ContenderCount = { kind: "large", mean, variance };
    return mean > LARGE ? next : { kind: "small", p: discrete(next) };
  }
  const exact = allYes ? survivors(round) : [];
  const rowOf = (x: number): Float64Array =>
    exact[x] ??
    (allYes || x > EXACT ? null : overlookedSurvivors(round, x)) ??
    discrete({ kind: "large", ...step(round, x) }, x);
  return small(crowd.p.length - 1, (next) => {
    for (let x = 0; x < crowd.p.length; x++) {
      if (crowd.p[x] < 1e-300) continue;
      const row = rowOf(x);
      for (let m = 0; m < row.length; m++) next[m] += crowd.p[x] * row[m];
    }
  });
}

/** A crowd value by value: a normal curve cut into whole numbers; where its mean is small, a binomial one. */
function discrete(crowd: ContenderCount, most = Number.POSITIVE_INFINITY): Float64Array {
  if (crowd.kind === "small") return crowd.p;
  const { mean, variance } = crowd;
  const sd = Math.sqrt(variance);
  const last = Math.min(most, Math.ceil(mean + 9 * sd + 2));
  const p = new Float64Array(last + 1);
  if (mean < EXACT / 2 && variance < mean) {
    const share = Math.min(1, 1 - variance / mean);
    const trials = Math.min(last, Math.max(1, Math.round(mean / share)));
    for (const term of binomialTerms(trials, Math.min(1, mean / trials))) p[term.value] = term.p;
    return p;
  }
  let total = 0;
  for (let x = 0; x <= last; x++) {
    p[x] = Math.exp(-((x - mean) ** 2) / (2 * variance));
    total += p[x];
  }
  for (let x = 0; x <= last; x++) p[x] /= total;
  return p;
}
