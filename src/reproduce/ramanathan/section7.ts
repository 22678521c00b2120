/** Ramanathan et al., section 5: mediators that have failed; section 7: 50,000 processes, messages (Fig. 9) and accuracy. */
import type { ExploreRequest } from "../../explorer/explore.ts";
import { ratioOf, scaled } from "../../statistics/fits.ts";
import type { Report } from "../../statistics/report.ts";
import { expectedContenders, noSurvivor, quorumMiss, severalLeadersBound } from "../../theory/ramanathan/ramanathan.ts";
import { defaultRounds, design, quorumSize, roundedSigma } from "../../theory/ramanathan/sigma.ts";
import { play } from "../../trace/played.ts";
import { type ClaimVerdict, type DeclaredRun, over } from "../claim.ts";
import { above, afterRepair, all, atLeast, atMost, equalTo, failing, failsAtMost, given } from "../criteria.ts";
import { growthOf, measured, theory } from "../draw.ts";
import { ramanathan } from "../texts.ts";
import { numberText } from "../words.ts";

const FAILING = 512;
const J = 5;
/** Two contenders among four, whose quorums of three meet; the second has the larger number. */
const OUTLIVED: ExploreRequest = {
  n: 4,
  ids: [1, 2, 3, 4],
  initiators: [0, 1],
  crashes: 1,
  choices: 1,
  params: { s: 3, timing: "sync" },
};
const GAMMAS = [0, 0.02, 0.05, 0.1, 0.15, 0.2];

const failed = (params: object, n = FAILING): DeclaredRun[0] => ({ protocol: "tournament", n, params: { ...params } });
const leftAt = (approach: string) => over(GAMMAS, (gamma) => [failed({ J, gamma, failures: approach }), [60, 600]]);
/** As many rounds as without failures, so that only the rule differs. */
const dearer = (params: object) =>
  over([FAILING, 8 * FAILING], (n) => [failed({ J: defaultRounds(design(n), 1 / n), ...params }, n), [20, 100]]);

ramanathan("failures", {
  allYes: leftAt("all-yes"),
  noRefusal: leftAt("no-refusal"),
  unique: [failed({ gamma: 0.05 }), [300, 3000]],
  oneRound: [failed({ J: 1, gamma: 0.5, s: 1 }), [100, 1000]],
  none: dearer({}),
  first: dearer({ gamma: 0.2, failures: "no-refusal" }),
  second: dearer({ gamma: 0.2 }),
})(({ allYes, noRefusal, unique, oneRound, none, first, second }, { tell, claims, draw }) => {
  const [firsts, seconds] = [first, second].map((some) =>
    some.map(({ messages }, i) => ratioOf(messages, none[i].messages)),
  );
  const left = unique.measures.survivors.mean!;
  const expected = noSurvivor(left) + severalLeadersBound(FAILING, quorumSize(FAILING), left);
  const alone = scaled(oneRound.measures.survivors, (x) => x / expectedContenders(design(FAILING), 1)[1]);
  const outlived = play("quorum", OUTLIVED, ["start with 3 3", "crash 1", "run"]);
  const last = GAMMAS.length - 1;
  const sigma = roundedSigma(design(FAILING), J).least;
  const gamma = GAMMAS[last];
  const usual = allYes[0].measures.survivors;
  // Lemma 1 as restated in the proof of Theorem 12: only the last round's losses are counted.
  const restated = usual.mean! * Math.exp(-gamma * sigma);
  const survived = allYes[last].measures.survivors;
  const more = noRefusal[last].measures.survivors;
  const recursion = (gamma: number) => expectedContenders(design(FAILING, { gamma }), J)[J];
  const small = GAMMAS[1];
  // Under the theorem's condition, from far below it up.
  const worst = Math.max(
    ...[1, 10, 100, 1000].map((many) => {
      const rare = 1 / (20 * many);
      return Math.abs((1 - rare) ** many * Math.exp(rare * many) - 1) / rare;
    }),
  );
  const leads = outlived.verdicts.includes("elected");
  const perGamma = (reports: readonly Report[]) => (gamma: number, i: number) =>
    ({ ...reports[i].measures.survivors, x: gamma, y: reports[i].measures.survivors.mean }) as const;
  tell({ N: FAILING, J, gamma, sigma, small, trials: allYes[0].trials, factor: Math.exp(-0.5), more, survived, usual });
  tell({ nearFactor: Math.exp(-small * sigma), restated, expected, recursion: recursion(gamma), load: gamma * sigma });
  tell({ rounds: defaultRounds(design(FAILING, { gamma: 0.05 }), 1 / FAILING), nobody: allYes[last].outcomes.none });
  tell({ larger: 8 * FAILING, firsts, seconds });
  claims({
    "failure-factor": [alone, atLeast(alone, Math.exp(-0.5))],
    "failure-factor-small": [(1 - small) ** sigma, given(worst, (error) => error < 1)],
    "lemma1-restated": [survived, equalTo(survived, restated, 0.1 * restated)],
    "failures-one-leader": [unique.success, afterRepair(failsAtMost(failing(unique), expected))],
    approaches: all(above(more, usual), above(usual, survived)),
    "approach1-bounds": [firsts[1], all(...firsts.map((ratio) => atLeast(ratio, 1)))],
    "approach2-bounds": [seconds[1], given(seconds[1], (ratio) => atMost(ratio, 1.1 * seconds[0].ours))],
    "survivor-leads": [
      leads ? "a leader" : "none: the contender with the larger number crashes after its requests are sent",
      leads,
    ],
  });
  draw("ramanathan-failures", [
    measured("all must say yes (approach 2)", GAMMAS, perGamma(allYes)),
    theory("all must say yes (approach 2)", GAMMAS, recursion),
    measured("nobody may say no (approach 1)", GAMMAS, perGamma(noRefusal)),
  ]);
});

const N = 50_000;
const ALL_SHARES = [1, 5, 10, 20, 30, 40, 50];
const contenders = (percent: number) => (N * percent) / 100;
const among = (protocol: string, percent: number, more: object = {}): DeclaredRun[0] => ({
  protocol,
  n: N,
  initiators: contenders(percent),
  ...more,
});
const RE = "tournament-async";

/** A request, an answer, and a DEC or POTW for each contender and mediator. */
const quorumMessages = (percent: number) => 3 * contenders(percent) * quorumSize(N);

ramanathan("fig9", {
  re: over({ quick: [1, 50], full: ALL_SHARES }, (percent) => [among(RE, percent), [2, 10]]),
  // At 50% a run has tens of millions of messages on their way at once; at least two for each contender and mediator are certain.
  pq: over({ quick: [1, 2], full: [1, 2, 5, 10] }, (percent) => [among("quorum", percent), [2, 4]]),
})(({ re, pq }, { tell, claims, draw }) => {
  const half = re[re.length - 1].messages;
  const pqHalf = quorumMessages(50);
  const off = Math.max(...pq.map(({ messages }, i) => Math.abs(messages.mean! / quorumMessages(pq.xs[i]) - 1)));
  const [reSlope, pqSlope] = [re, pq].map((some) => growthOf(some, ({ messages }) => messages));
  const ours = pqHalf / half.mean!;
  // Two messages for each contender and mediator are certain, the third is not.
  const certain = (2 / 3) * pqHalf;
  tell({ times: pq[0].messages.mean! / re[0].messages.mean!, off: 100 * off, quorum: quorumSize(N) });
  tell({ most: pq.xs[pq.xs.length - 1], pqSlope, reSlope });
  claims({
    "pq-order": [
      { ours, interval: [pqHalf / half.high!, pqHalf / half.low!] },
      all(atLeast({ interval: [certain / half.high!, certain / half.low!] }, 10), off < 0.01),
    ],
    "pq-scaling": all(atLeast(pqSlope, 0.95), atMost(reSlope, 0.5)),
  });
  draw("ramanathan-fig9", [
    measured("RE (tournament-async)", re, ({ messages }) => messages),
    measured("PQ (quorum)", pq, ({ messages }) => messages),
    theory("PQ (quorum)", [1, 2, ...ALL_SHARES.slice(1)], quorumMessages),
  ]);
});

const delay = { kind: "uniform", min: 0, max: 1 } as const;
const params = { reading: "tables" };

const RUNS = 10_000;

/**
 * "In ten thousand different runs": shown by as many runs as the text had, without a failure; contradicted where ten thousand
 * successes have a chance below 5% even at the end of our interval with the fewest failures. Fewer runs leave it open.
 */
export function tenThousand(report: Pick<Report, "trials" | "outcomes">): ClaimVerdict {
  if ((1 - failing(report).low!) ** RUNS < 0.05) return "does not hold";
  return report.outcomes.one === report.trials && report.trials >= RUNS ? "holds" : "open";
}

ramanathan("accuracy", {
  re: [among(RE, 1), [6, 10_000]],
  repaired: [among(RE, 1, { delay }), [6, 200]],
  same: [among(RE, 1, { params }), [6, 200]],
  random: [among(RE, 1, { params, delay }), [6, 200]],
  pq: [among("quorum", 1), [1, 40]],
})((ran, { tell, claims, draw }) => {
  const { re, same, random, repaired, pq } = ran;
  const miss = quorumMiss(N, quorumSize(N));
  const counted = Object.entries(ran).map(([name, { trials, outcomes }]) => [
    name,
    `${numberText(outcomes.one)} of ${numberText(trials)}`,
  ]);
  const trialsOf = { reTrials: re.trials, sameTrials: same.trials, pqTrials: pq.trials };
  const bars = Object.entries({
    RE: re,
    "RE, random delays": repaired,
    printed: same,
    "printed, random delays": random,
    PQ: pq,
  });
  tell(Object.fromEntries(counted));
  tell(trialsOf);
  tell({ quorum: quorumSize(N), miss, misses: 10_000 * miss });
  claims({
    "re-unique": [re.success, afterRepair(tenThousand(re))],
    "re-printed": tenThousand(same),
    "pq-unique": [pq.success, afterRepair(tenThousand(pq))],
  });
  draw("ramanathan-accuracy", [
    measured("unique leader", bars, ([x, { success }]) => ({ ...success, x, y: success.rate })),
  ]);
});
