/** Kutten et al. on complete networks: Theorem 1 and Corollary 1. */
import { rateOf } from "../statistics/intervals.ts";
import type { Report } from "../statistics/report.ts";
import {
  candidateBound,
  expectedMessages,
  messageBound,
  missProbability,
  nobodyStands,
  paperSizes,
} from "../theory/kutten.ts";
import { over, type Trials } from "./claim.ts";
import { bound, measured, ratioOf, reference, scaled, theory } from "./draw.ts";
import { allowedErrors, errorsOf } from "./kutten-criteria.ts";
import { textsOf } from "./texts.ts";

const { item } = textsOf("kutten");

const SIZES = [100, 1000, 10_000, 100_000, 1_000_000];
/** Trials at each of them, quick and full: about as many messages everywhere. */
const TRIALS: readonly Trials[] = [[1000, 10_000], [500, 4000], [200, 1000], [20, 200], [8, 40]]; // biome-ignore format: a row
/** Every size at which a bound is computed rather than run. */
const COMPUTED = [...Array.from({ length: 998 }, (_, i) => i + 3), ...SIZES.slice(2)];
/** 2 log n candidates ask 2√(n log n) referees each, and nearly all of these answer where few are asked twice. */
const LARGEST_CONSTANT = 8;

/** P(X > most) for X binomial with n draws of probability p, summed from below. */
function binomialTail(n: number, p: number, most: number): number {
  let log = n * Math.log1p(-p);
  let above = 0;
  for (let k = 0; k <= Math.min(n, most + 400); k++) {
    if (k > most) above += Math.exp(log);
    log += Math.log((n - k) / (k + 1)) + Math.log(p) - Math.log1p(-p);
  }
  return above;
}

/** The expected number of pairs of candidates. */
const expectedPairs = (n: number): number => (2 * Math.log(n) ** 2 * (n - 1)) / n;

/** That two candidates draw the same of n^4 ranks, at most. */
const tieBound = (n: number): number => expectedPairs(n) / n ** 4;

/** The union bound over all that can go wrong, each part of it exact: no candidate, a missed pair, a tie. */
const errorBound = (n: number): number =>
  nobodyStands(paperSizes(n)) + expectedPairs(n) * missProbability(paperSizes(n)) + tieBound(n);

const inUnitsOfBound = ({ n, messages }: Report) => scaled(messages, (m) => m / (Math.sqrt(n) * Math.log(n) ** 1.5));

/** Messages of every election below the proof's bound, and their means below the constant. */
const withinBound = (reports: readonly Report[]) =>
  reports.every((one) => inUnitsOfBound(one).low! < LARGEST_CONSTANT && one.messages.max! < messageBound(one.n));

export const theorem1 = item(
  "theorem1",
  {
    reports: over(SIZES, (n, i) => [{ protocol: "referees", n }, TRIALS[i]]),
    explicit: [{ protocol: "referees", n: 10_000, params: { explicit: true } }, [20, 200]],
  },
  ({ reports, explicit }) => {
    const announced = explicit.measures.announcements;
    const [few, , , asLarge] = reports;
    const perBound = reports.map(inUnitsOfBound);
    const tails = SIZES.map((n) => binomialTail(n, (2 * Math.log(n)) / n, candidateBound(n)));
    const nobody = COMPUTED.map((n) => nobodyStands(paperSizes(n)) * n ** 2);
    const bits = reports.map(({ n, bits, messages }) => bits.mean! / messages.mean! / Math.log2(n));
    const slowest = Math.max(...reports.map(({ rounds }) => rounds.max!));
    let crossing = 1000;
    while (expectedMessages(paperSizes(crossing)) > crossing) crossing += 1000;
    const [errors, allowed] = [errorsOf(reports), allowedErrors(reports)];
    const elections = reports.reduce((sum, { trials }) => sum + trials, 0);
    return {
      values: [
        { errors, elections, allowed, bound: errorBound(100), two: 2 * Math.log(2) * (1 - Math.log(2)), perBound },
        { LARGEST_CONSTANT, asLarge, formula: expectedMessages(paperSizes(asLarge.n)), crossing, bitsPerLog: bits },
        { share: nobody[nobody.length - 1], messages: 1 + (explicit.messages.mean! - announced.mean!) / 10_000 },
        { large: 1 + expectedMessages(paperSizes(1e9)) / 1e9, announced },
      ],
      claims: {
        whp: [rateOf(errorsOf([few]), few.trials), errors <= allowed && COMPUTED.every((n) => errorBound(n) <= 1 / n)],
        "constant-rounds": [slowest, slowest <= 2],
        messages: [perBound[4], withinBound(reports)],
        congest: [bits[4], bits.slice(1).every((share, i) => share <= bits[i])],
        "few-candidates": [tails[0], tails.every((tail, i) => tail <= SIZES[i] ** -2)],
        "nobody-stands": [
          nobodyStands(paperSizes(1000)),
          nobody.every((share) => share <= 1) && nobody[nobody.length - 1] > 0.999,
        ],
        "unique-rank": [tieBound(1000), COMPUTED.every((n) => tieBound(n) <= n ** -2)],
        "common-referee": [
          missProbability(paperSizes(1000)),
          COMPUTED.every((n) => missProbability(paperSizes(n)) <= n ** -4),
        ],
        explicit: announced.max === 9999 && explicit.rounds.max === 3,
        "explicit-bound": [explicit.messages.min! / 9999, (x) => x >= 1],
      },
      figures: {
        "kutten-theorem1": [
          measured("messages", reports, ({ messages }) => messages),
          theory("messages", SIZES, (n) => expectedMessages(paperSizes(n))),
          bound("messages", SIZES, messageBound),
          reference("n", SIZES, (n) => n),
          reference("√n, Theorem 3", SIZES, Math.sqrt),
        ],
      },
    };
  },
);

const GROWTH = [1000, 10_000, 100_000];
const GROWTH_TRIALS: readonly Trials[] = [[100, 1000], [40, 300], [20, 60]]; // biome-ignore format: a row
const WAKES = ["simultaneous", "uniform:10", "uniform:100", "one-then-rest:50", "one-then-rest:1000"];
const woken = (wake: string) => (wake === "simultaneous" ? {} : { wakeup: "adversarial", wake });

export const corollary1 = item(
  "corollary1",
  {
    reports: over(WAKES, (wake) => [{ protocol: "referees", n: 300, params: woken(wake) }, [300, 1500]]),
    grown: over(GROWTH, (n, i) => [{ protocol: "referees", n, params: woken("uniform:10") }, GROWTH_TRIALS[i]]),
  },
  ({ reports, grown }) => {
    const n = 300;
    const [together, ...adversarial] = reports;
    const all = [...adversarial, ...grown];
    const elections = adversarial.length * together.trials;
    const late = reports[reports.length - 1].rounds;
    const ratio = adversarial
      .map(({ messages }) => ratioOf(messages, together.messages))
      .reduce((most, one) => (one.ours > most.ours ? one : most));
    const perBound = grown.map(inUnitsOfBound);
    const [errors, allowed] = [errorsOf(all), allowedErrors(all)];
    return {
      values: [
        {
          n,
          trials: together.trials,
          least: 1 - 1 / n,
          sizes: GROWTH.map((size) => size.toLocaleString("en-GB")).join("; "),
        },
        { errors, allowed, smaller: [0, 1].map((i) => perBound[i].mean!.toFixed(1)).join(" and ") },
      ],
      claims: {
        "woken-whp": [rateOf(elections - errorsOf(adversarial), elections), errors <= allowed],
        "woken-messages": [perBound[2], withinBound(all)],
        "woken-preserves": [ratio, ratio.interval[1] < 1.1],
        "woken-rounds": [late, late.p50! >= 1000],
      },
      figures: {
        "kutten-corollary1": [
          measured("messages", reports, ({ messages }) => messages),
          theory("messages", WAKES, () => expectedMessages(paperSizes(n))),
        ],
      },
    };
  },
);
