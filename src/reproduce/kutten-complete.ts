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
import { computed, lineFigure, meanAt, plotted, ratioOf, scaledAt } from "./draw.ts";
import { allowedErrors, errorsOf } from "./kutten-criteria.ts";
import { textsOf } from "./texts.ts";

const { claim, item, worded } = textsOf("kutten");

const SIZES = [100, 1000, 10_000, 100_000, 1_000_000];
/** Trials at each of them, quick and full: about as many messages everywhere. */
const TRIALS = [
  [1000, 10_000],
  [500, 4000],
  [200, 1000],
  [40, 200],
  [20, 40],
] as const;
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

const inUnitsOfBound = ({ n, messages }: Report) =>
  scaledAt(n, messages, (m) => m / (Math.sqrt(n) * Math.log(n) ** 1.5));

export const theorem1 = item("theorem1", async (bench) => {
  const reports = await bench.each(SIZES, (n, i) => bench.simulate({ protocol: "referees", n }, TRIALS[i]));
  const explicit = await bench.simulate({ protocol: "referees", n: 10_000, params: { explicit: true } }, [20, 200]);
  const announced = explicit.measures.announcements;
  const few = reports[0];
  const perBound = reports.map(inUnitsOfBound);
  const constant = perBound[perBound.length - 1];
  const tails = SIZES.map((n) => binomialTail(n, (2 * Math.log(n)) / n, candidateBound(n)));
  const nobody = COMPUTED.map((n) => nobodyStands(paperSizes(n)) * n ** 2);
  const bitsPerLog = reports.map(({ n, bits, messages }) => bits.mean! / messages.mean! / Math.log2(n));
  const asLarge = reports[3];
  let crossing = 1000;
  while (expectedMessages(paperSizes(crossing)) > crossing) crossing += 1000;
  const two = 2 * Math.log(2) * (1 - Math.log(2));
  return {
    claims: [
      claim(
        "whp",
        rateOf(errorsOf([few]), few.trials),
        errorsOf(reports) <= allowedErrors(reports) && COMPUTED.every((n) => errorBound(n) <= 1 / n),
        {
          errors: errorsOf(reports),
          elections: reports.reduce((sum, { trials }) => sum + trials, 0),
          allowed: allowedErrors(reports),
          bound: errorBound(100),
          two,
        },
      ),
      claim("constant-rounds", Math.max(...reports.map(({ rounds }) => rounds.max!)), () =>
        reports.every(({ rounds }) => rounds.max! <= 2),
      ),
      claim(
        "messages",
        constant,
        perBound.every(({ low }) => low! < LARGEST_CONSTANT) &&
          reports.every(({ n, messages }) => messages.max! < messageBound(n)),
        { perBound, LARGEST_CONSTANT, asLarge, formula: expectedMessages(paperSizes(asLarge.n)), crossing },
      ),
      claim(
        "congest",
        bitsPerLog[bitsPerLog.length - 1],
        () => bitsPerLog.slice(1).every((bits, i) => bits <= bitsPerLog[i]),
        { bitsPerLog },
      ),
      claim("few-candidates", tails[0], () => tails.every((tail, i) => tail <= SIZES[i] ** -2)),
      claim(
        "nobody-stands",
        nobodyStands(paperSizes(1000)),
        nobody.every((share) => share <= 1) && nobody[nobody.length - 1] > 0.999,
        { share: nobody[nobody.length - 1] },
      ),
      claim("unique-rank", tieBound(1000), () => COMPUTED.every((n) => tieBound(n) <= n ** -2)),
      claim("common-referee", missProbability(paperSizes(1000)), () =>
        COMPUTED.every((n) => missProbability(paperSizes(n)) <= n ** -4),
      ),
      worded("explicit", announced.max === 9999 && explicit.rounds.max === 3, {
        messages: 1 + explicit.messages.mean! / 10_000 - announced.mean! / 10_000,
        large: 1 + expectedMessages(paperSizes(1e9)) / 1e9,
        announced,
        explicit,
      }),
    ],
    figures: [
      await lineFigure("kutten-theorem1", {}, [
        plotted("measured", "messages", reports, ({ n, messages }) => meanAt(n, messages)),
        computed("theory", "messages", SIZES, (n) => expectedMessages(paperSizes(n))),
        computed("bound", "messages", SIZES, messageBound),
        computed("reference", "n", SIZES, (n) => n),
        computed("reference", "√n, Theorem 3", SIZES, (n) => Math.sqrt(n)),
      ]),
    ],
    values: { crossing },
  };
});

const GROWTH = [1000, 10_000, 100_000];
const GROWTH_TRIALS = [
  [100, 1000],
  [40, 300],
  [20, 60],
] as const;
const WAKES = ["simultaneous", "uniform:10", "uniform:100", "one-then-rest:50", "one-then-rest:1000"];

export const corollary1 = item("corollary1", async (bench) => {
  const n = 300;
  const reports = await bench.each(WAKES, (wake) => {
    const params = wake === "simultaneous" ? {} : { wakeup: "adversarial", wake };
    return bench.simulate({ protocol: "referees", n, params }, [300, 1500]);
  });
  const grown = await bench.each(GROWTH, (n, i) => {
    const params = { wakeup: "adversarial", wake: "uniform:10" };
    return bench.simulate({ protocol: "referees", n, params }, GROWTH_TRIALS[i]);
  });
  const adversarial = reports.slice(1);
  const woken = [...adversarial, ...grown];
  const { trials } = reports[0];
  const elections = adversarial.length * trials;
  const late = reports[reports.length - 1];
  const ratios = adversarial.map(({ messages }) => ratioOf(messages, reports[0].messages));
  const ratio = ratios.reduce((most, one) => (one.ours > most.ours ? one : most));
  const perBound = grown.map(inUnitsOfBound);
  const constant = perBound[perBound.length - 1];
  return {
    claims: [
      claim(
        "woken-whp",
        rateOf(elections - errorsOf(adversarial), elections),
        errorsOf(woken) <= allowedErrors(woken),
        {
          least: 1 - 1 / n,
          n,
          sizes: GROWTH.map((size) => size.toLocaleString("en-GB")).join("; "),
          errors: errorsOf(woken),
          allowed: allowedErrors(woken),
        },
      ),
      claim(
        "woken-messages",
        constant,
        perBound.every(({ low }) => low! < LARGEST_CONSTANT) &&
          woken.every((report) => report.messages.max! < messageBound(report.n)),
        {
          smaller: perBound
            .slice(0, -1)
            .map(({ y }) => y!.toFixed(1))
            .join(" and "),
        },
      ),
      claim("woken-preserves", ratio, ratio.interval[1] < 1.1, { n }),
      claim("woken-rounds", late.rounds, late.rounds.p50! >= 1000),
    ],
    figures: [
      await lineFigure("kutten-corollary1", { n, trials }, [
        plotted("measured", "messages", reports, ({ messages }, i) => meanAt(WAKES[i], messages)),
        computed("theory", "messages", WAKES, () => expectedMessages(paperSizes(n))),
      ]),
    ],
  };
});
