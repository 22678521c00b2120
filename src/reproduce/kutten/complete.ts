/** Kutten et al. on complete networks: Theorem 1 and Corollary 1. */

import { ratioOf, scaled } from "../../statistics/fits.ts";
import { rateOf } from "../../statistics/intervals.ts";
import type { Report } from "../../statistics/report.ts";
import { binomialAtLeast } from "../../theory/chance.ts";
import * as exact from "../../theory/kutten/kutten.ts";
import { over, type Trials } from "../claim.ts";
import { all, allowedErrors, atMost, enoughRuns, failedElections, given, withHighProbability } from "../criteria.ts";
import { bound, measured, reference, theory } from "../draw.ts";
import { kutten } from "../texts.ts";

const SIZES = [100, 1000, 10_000, 100_000, 1_000_000];
/** Trials at each of them, quick and full: about as many messages everywhere. */
const TRIALS: readonly Trials[] = [[1000, 10_000], [500, 4000], [200, 1000], [20, 200], [8, 40]]; // biome-ignore format: a row
/** Every size at which a bound is computed rather than run. */
const COMPUTED = [...Array.from({ length: 998 }, (_, i) => i + 3), ...SIZES.slice(2)];
/** 2 log n candidates ask 2√(n log n) referees each, and nearly all of these answer where few are asked twice. */
const LARGEST_CONSTANT = 8;

const inUnitsOfBound = ({ n, messages }: Report) => scaled(messages, (m) => m / (Math.sqrt(n) * Math.log(n) ** 1.5));

/** Messages of every election below the proof's bound, and their means below the constant. */
const withinBound = (reports: readonly Report[]) =>
  all(
    ...reports.map((one) => atMost(inUnitsOfBound(one), LARGEST_CONSTANT)),
    reports.every((one) => one.messages.max! < exact.refereesMessageBound(one.n)),
  );

kutten("theorem1", {
  reports: over(SIZES, (n, i) => [{ protocol: "referees", n }, TRIALS[i]]),
  explicit: [{ protocol: "referees", n: 10_000, params: { explicit: true } }, [20, 200]],
})(({ reports, explicit }, { tell, claims, draw }) => {
  const announced = explicit.measures.announcements;
  const [few, , , asLarge] = reports;
  const perBound = reports.map(inUnitsOfBound);
  const tails = SIZES.map((n) => binomialAtLeast(n, (2 * Math.log(n)) / n, Math.floor(exact.candidateBound(n)) + 1));
  const nobody = COMPUTED.map((n) => exact.nobodyStands(exact.paperSizes(n)) * n ** 2);
  const bits = reports.map(({ n, bits, messages }) => bits.mean! / messages.mean! / Math.log2(n));
  const slowest = Math.max(...reports.map(({ rounds }) => rounds.max!));
  let crossing = 1000;
  while (exact.refereesMessages(exact.paperSizes(crossing)) > crossing) crossing += 1000;
  const [errors, allowed] = [failedElections(reports), allowedErrors(reports)];
  const elections = reports.reduce((sum, { trials }) => sum + trials, 0);
  tell({ errors, elections, allowed, bound: exact.errorBound(100), two: 2 * Math.log(2) * (1 - Math.log(2)) });
  tell({ perBound, LARGEST_CONSTANT, asLarge, formula: exact.refereesMessages(exact.paperSizes(asLarge.n)), crossing });
  tell({ bitsPerLog: bits, share: nobody[nobody.length - 1] });
  tell({ messages: 1 + (explicit.messages.mean! - announced.mean!) / 10_000 });
  tell({ large: 1 + exact.refereesMessages(exact.paperSizes(1e9)) / 1e9, announced });
  claims({
    whp: [
      rateOf(failedElections([few]), few.trials),
      all(
        withHighProbability(reports),
        COMPUTED.every((n) => exact.errorBound(n) <= 1 / n),
      ),
    ],
    "constant-rounds": [slowest, all(slowest <= 2, enoughRuns(reports, 8))],
    messages: [perBound[4], withinBound(reports)],
    congest: [
      bits[4],
      all(
        bits.slice(1).every((share, i) => share <= bits[i]),
        enoughRuns(reports, 8),
      ),
    ],
    "few-candidates": [tails[0], given(tails, (some) => some.every((tail, i) => tail <= SIZES[i] ** -2))],
    "nobody-stands": [
      exact.nobodyStands(exact.paperSizes(1000)),
      given(nobody, (some) => some.every((share) => share <= 1) && some[some.length - 1] > 0.999),
    ],
    "unique-rank": [
      exact.tieBound(1000),
      given(COMPUTED.map(exact.tieBound), (some) => some.every((tie, i) => tie <= COMPUTED[i] ** -2)),
    ],
    "common-referee": [
      exact.missProbability(exact.paperSizes(1000)),
      given(
        COMPUTED.map((n) => exact.missProbability(exact.paperSizes(n))),
        (some) => some.every((miss, i) => miss <= COMPUTED[i] ** -4),
      ),
    ],
    explicit: all(announced.max === 9999, explicit.rounds.max === 3, enoughRuns([explicit], 20)),
    "explicit-bound": [explicit.messages.min! / 9999, all(explicit.messages.min! >= 9999, enoughRuns([explicit], 20))],
  });
  draw("kutten-theorem1", [
    measured("messages", reports, ({ messages }) => messages),
    theory("messages", SIZES, (n) => exact.refereesMessages(exact.paperSizes(n))),
    bound("messages", SIZES, exact.refereesMessageBound),
    reference("n", SIZES, (n) => n),
    reference("√n, Theorem 3", SIZES, Math.sqrt),
  ]);
});

const GROWTH = [1000, 10_000, 100_000];
const GROWTH_TRIALS: readonly Trials[] = [[100, 1000], [20, 300], [8, 60]]; // biome-ignore format: a row
const WAKES = ["simultaneous", "uniform:10", "uniform:100", "one-then-rest:50", "one-then-rest:1000"];
const wokenBy = (wake: string) => (wake === "simultaneous" ? {} : { wakeup: "adversarial", wake });

kutten("corollary1", {
  reports: over(WAKES, (wake) => [{ protocol: "referees", n: 300, params: wokenBy(wake) }, [300, 1500]]),
  grown: over(GROWTH, (n, i) => [{ protocol: "referees", n, params: wokenBy("uniform:10") }, GROWTH_TRIALS[i]]),
})(({ reports, grown }, { tell, claims, draw }) => {
  const n = 300;
  const [together, ...adversarial] = reports;
  const woken = [...adversarial, ...grown];
  const elections = adversarial.length * together.trials;
  const late = reports[reports.length - 1].rounds;
  const ratio = adversarial
    .map(({ messages }) => ratioOf(messages, together.messages))
    .reduce((most, one) => (one.ours > most.ours ? one : most));
  const perBound = grown.map(inUnitsOfBound);
  const [errors, allowed] = [failedElections(woken), allowedErrors(woken)];
  tell({ n, trials: together.trials, least: 1 - 1 / n });
  tell({ sizes: GROWTH.map((size) => size.toLocaleString("en-GB")).join("; "), errors, allowed });
  tell({ smaller: [0, 1].map((i) => perBound[i].mean!.toFixed(1)).join(" and ") });
  claims({
    "woken-whp": [rateOf(elections - failedElections(adversarial), elections), withHighProbability(woken)],
    "woken-messages": [perBound[2], withinBound(woken)],
    "woken-preserves": [ratio, atMost(ratio, 1.1)],
    "woken-rounds": [late, all(late.p50! >= 1000, enoughRuns(reports, 300))],
  });
  draw("kutten-corollary1", [
    measured("messages", reports, ({ messages }) => messages),
    theory("messages", WAKES, () => exact.refereesMessages(exact.paperSizes(n))),
  ]);
});
