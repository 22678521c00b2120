/** Kutten et al., section 4: the lower bound, with Lemma 2 and equation (5). */
import type { Params } from "../../protocols/parameters.ts";
import { rateOf } from "../../statistics/intervals.ts";
import type { Report } from "../../statistics/report.ts";
import { disjointClouds } from "../../theory/kutten/clouds.ts";
import { disjointSuccess, lowerBounds } from "../../theory/kutten/kutten.ts";
import { type DeclaredRun, grid, over } from "../claim.ts";
import { all, atLeast, equalTo, given } from "../criteria.ts";
import { measured, pointAt, reference } from "../draw.ts";
import { kutten } from "../texts.ts";

const SIZES = [1000, 10_000, 100_000];
/** Referees of each candidate, with 2 ln n candidates. */
const BUDGETS = [1, 2, 5, 10, 20, 40, 80, 150, 300, 600];
/** Candidates on average, among which a budget of √n messages is shared out. */
const FEW = [1, 2, 4, 8];
const N = 10_000;
const TRIALS = [300, 2000] as const;

/** √n messages, shared out among this many candidates; every request is answered once at most. */
const starved = grid(SIZES, FEW, (n, candidates) => {
  const referees = Math.max(1, Math.floor(Math.sqrt(n) / (2 * candidates)));
  return [{ protocol: "referees", n, params: { candidates, referees } }, TRIALS];
});

const F = [10, 20, 40];

const small = (protocol: string, params: Params): DeclaredRun => [{ protocol, n: N, params }, TRIALS];

kutten("theorem3", {
  reports: over(BUDGETS, (referees) => small("referees", { referees })),
  starved,
  lonely: small("referees", { candidates: 1, referees: 1 }),
  // Many rounds and few messages: walks go on until n^(1/3) messages are spent.
  patient: small("random-walks", { candidates: 1, walks: 1, tau: 10 }),
})(({ reports, starved, lonely, patient }, { tell, claims, draw, ...bench }) => {
  const { trials } = lonely;
  // Of all ways to spend √n messages that are tried, those that did best at each n.
  const poor = SIZES.map((n) =>
    starved.filter((one) => one.n === n).reduce((most, one) => (one.success.rate! > most.success.rate! ? one : most)),
  );
  const { anyTime } = lowerBounds(N);
  const rich = reports[reports.length - 1];
  bench.step("Lemma 2: disjoint clouds");
  const clouds = F.map((f) => rateOf(disjointClouds(N, f, f / 2, trials), trials));
  const printed = F.map((f) => 1 - (2 * f * f) / (N - f));
  const maxima = [2, 3, 10, 100].map((c) => disjointSuccess(c, 1 / c));
  const spent = ({ messages, success }: Report) => pointAt(messages.mean!, success);
  tell({ N, trials, rates: poor.map(({ success }) => success.rate), rich, anyTime, printed, F });
  tell({ largest: F[F.length - 1], apart: clouds.map(({ rate }) => rate), most: 1 / Math.E, maxima });
  claims({
    // What one algorithm does shows nothing about all of them.
    "sqrt-bound": [poor[2].success, "not testable"],
    "cube-root-bound": [patient.success, "not testable"],
    clouds: [
      clouds[2],
      given(clouds, (rates) => all(...rates.map((apart, i) => atLeast(apart, printed[i], printed[i] - 0.05)))),
    ],
    "one-over-e": [Math.max(...maxima), (x) => x <= 1 / Math.E],
    "independent-candidates": [lonely.success, equalTo(lonely.success, 1 / Math.E, 0.1)],
  });
  draw("kutten-theorem3", [
    measured("2 ln n candidates", [...reports], spent),
    measured("few candidates", [lonely, poor[1]], spent),
    reference("1/e", [lonely.messages.mean!, rich.messages.mean!], () => 1 / Math.E),
  ]);
});
