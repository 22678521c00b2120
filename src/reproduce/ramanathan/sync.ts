/** Ramanathan et al.: the rows of Table 1 whose algorithms we have, and Theorems 1 and 3 to 5 at sizes that can be simulated. */

import { ratioOf, scaled } from "../../statistics/fits.ts";
import { rateOf } from "../../statistics/intervals.ts";
import type { Report } from "../../statistics/report.ts";
import { anyEqual } from "../../theory/ramanathan/printed.ts";
import { noSurvivor, quorumMiss, severalLeadersBound, tournamentMessages } from "../../theory/ramanathan/ramanathan.ts";
import { defaultRounds, design, exactSigma, quorumSize } from "../../theory/ramanathan/sigma.ts";
import { type DeclaredRun, over } from "../claim.ts";
import {
  above,
  afterRepair,
  all,
  atLeast,
  atMost,
  enoughRuns,
  failing,
  failsAtMost,
  given,
  verdictOr,
} from "../criteria.ts";
import { bound, growthOf, measured, theory } from "../draw.ts";
import { ramanathan } from "../texts.ts";

const QUORUMS = [64, 128, 256, 512];
const GROUPS = [100, 1000, 5000];
const TOURNAMENTS = [256, 1024, 4096];
const RING = 256;
const RINGS = [
  ["chang-roberts", "decreasing"],
  ["hirschberg-sinclair", "decreasing"],
  ["peterson", "random"],
] as const;

const quorumOf = (n: number): DeclaredRun[0] => ({ protocol: "quorum", n, params: { timing: "sync" } });
/** Ids 100 times as large are what makes the ring that counts in them slow. */
const timeSlice = (factor: number): DeclaredRun => [
  { protocol: "time-slice", n: RING, ids: Array.from({ length: RING }, (_, node) => factor * (node + 1)) },
  1,
];

ramanathan("table1", {
  quorum: over(QUORUMS, (n) => [quorumOf(n), [3, 10]]),
  small: [quorumOf(64), [1000, 10_000]],
  relays: over(GROUPS, (n) => [{ protocol: "filter-relay", n, params: { K: 10 } }, [30, 200]]),
  bounded: over(RINGS, ([protocol, ids]) => [{ protocol, ids, n: RING, host: "lockstep" }, 10]),
  early: timeSlice(1),
  late: timeSlice(100),
  re: over(TOURNAMENTS, (n) => [{ protocol: "tournament", n }, [6, 40]]),
})(({ quorum, small, relays, bounded, early, late, re }, { tell, claims, draw }) => {
  const slope = growthOf(quorum, ({ messages }) => messages);
  const growth = growthOf(relays, ({ measures }) => measures.unicasts);
  const least = Math.min(...bounded.map(({ messages }) => (messages.max! - RING) / (RING * Math.log2(RING))));
  const linear = growthOf(re, ({ messages }) => messages);
  const rounds = Math.max(...re.map(({ n, rounds }) => rounds.max! / Math.log2(n)));
  const one = re.reduce((sum, { outcomes }) => sum + outcomes.one, 0);
  const elections = re.reduce((sum, { trials }) => sum + trials, 0);
  const miss = quorumMiss(64, quorumSize(64));
  const direct = quorum.every(
    ({ n, messages, rounds }) => messages.mean === 2 * n * quorumSize(n) && messages.sd === 0 && rounds.max === 1,
  );
  tell({ smallest: quorum[0].messages.mean! / 64 ** 1.5, largest: quorum[3].messages.mean! / 512 ** 1.5, miss, RING });
  tell({
    exchanges: Math.max(...quorum.map(({ rounds }) => rounds.max!)),
    least,
    TOURNAMENTS,
    rounds,
    one,
    all: elections,
  });
  tell({ unicasts: relays.map(({ measures }) => Math.round(measures.unicasts.mean!)) });
  claims({
    "quorum-messages": [slope, atMost(slope, 1.5)],
    "quorum-direct": all(enoughRuns(quorum, 2), direct),
    // Two leaders need the second largest rank to miss the largest, or a smaller one to miss two.
    "quorum-correct": [failing(small), all(failsAtMost(failing(small), miss), small.outcomes.none === 0)],
    "gupta-misquoted": [growth, atLeast(growth, 0.5)],
    "ring-bound": all(least >= 0.5, late.rounds.max! > 50 * early.rounds.max!, enoughRuns(bounded, 10)),
    "election-cost": [
      linear,
      afterRepair(
        all(atMost(linear, 1), rounds <= 1, failsAtMost(rateOf(elections - one, elections), Math.log(256) / 256)),
      ),
    ],
  });
  draw("ramanathan-table1", [
    measured("probabilistic quorum", quorum, ({ messages }) => messages),
    theory("probabilistic quorum", QUORUMS, (n) => 2 * n * quorumSize(n)),
    measured("randomized leader election", re, ({ messages }) => messages),
    measured("Gupta et al., unicasts", relays, ({ measures }) => measures.unicasts),
    bound("Gupta et al., K^4·n as quoted", GROUPS, (n) => 10 ** 4 * n),
  ]);
});

const SMALL = 128;
const SIZES = [256, 512, 1024, 2048, 4096, 8192, 16_384];
const SHARES = [1, 10, 50, 100];

const tournament = (n: number, params = {}): DeclaredRun[0] => ({ protocol: "tournament", n, params });

ramanathan("theorems1to5", {
  sample: [tournament(SMALL), [1500, 20_000]],
  alone: [tournament(SMALL, { J: 0 }), [500, 5000]],
  misled: [tournament(SMALL, { estimate: 1 / 8 }), [500, 5000]],
  growth: over(SIZES, (n) => [tournament(n), n < 8000 ? [8, 60] : [3, 20]]),
  referees: over(SIZES, (n) => [{ protocol: "referees", n }, [8, 60]]),
  few: over(SHARES, (share) => [{ ...tournament(4096), initiators: Math.ceil(40.96 * share) }, [8, 40]]),
  fresh: [tournament(1024), [40, 400]],
  reuse: [tournament(1024, { mediators: "reuse" }), [40, 400]],
  again: [tournament(1024, { mediators: "reuse-all" }), [40, 400]],
  literal: [tournament(1024, { mediators: "reuse-printed" }), [40, 400]],
})(({ sample, alone, misled, growth, referees, few, fresh, reuse, again, literal }, { tell, claims, draw }) => {
  const [saved, asked, dearer] = [reuse, again, literal].map(({ messages }) => ratioOf(messages, fresh.messages));
  const nobody = rateOf(sample.outcomes.none, sample.trials);
  const left = sample.measures.survivors;
  const expected = (n: number, x: number) => noSurvivor(x) + severalLeadersBound(n, quorumSize(n), x);
  const [slope, refereeSlope] = [growth, referees].map((some) => growthOf(some, ({ messages }) => messages));
  const largest = SIZES[SIZES.length - 1];
  const perProcess = (reports: readonly Report[]) => reports[reports.length - 1].messages.mean! / largest;
  const rounds = growth.map(({ n, rounds }) => ({ n, most: rounds.max!, J: defaultRounds(design(n), 1 / n) }));
  const miss = quorumMiss(1024, quorumSize(1024));
  const [sigma1, sigma2, sigma3] = [1, 2, 3].map((j) => exactSigma(design(1024), j));
  const quick = few.every(({ rounds }) => rounds.max === few[0].rounds.max);
  tell({ SMALL, J: defaultRounds(design(SMALL), 1 / SMALL), left, none: noSurvivor(left.mean!), largest });
  tell({ smallMiss: quorumMiss(SMALL, quorumSize(SMALL)), expected: expected(SMALL, left.mean!), miss: 1024 * miss });
  tell({ later: expected(largest, Math.log(largest)), larger: 50_000 * quorumMiss(50_000, quorumSize(50_000)) });
  tell({ most: rounds.map((row) => row.most), quorum: 2 * quorumSize(largest), perProcess: perProcess(growth) });
  tell({ shareMessages: few.map(({ messages }) => messages.mean! / 4096), shares: SHARES.join("%, ") });
  tell({ fewOne: few.map(({ outcomes }) => outcomes.one) });
  tell({ believed: SMALL / 8, wrong: failing(misled).rate, usual: failing(sample).rate });
  tell({ perReferee: perProcess(referees), asked: asked.ours, dearer: dearer.ours });
  tell({ kept: reuse.measures.survivors.mean, fewer: sigma3 - sigma2 - sigma1 });
  tell({ last: growth[growth.length - 1].trials });
  claims({
    "somebody-left": [nobody, afterRepair(failsAtMost(nobody, noSurvivor(left.mean!)))],
    "one-left-alone": [failing(alone), failsAtMost(failing(alone), quorumMiss(SMALL, quorumSize(SMALL)))],
    "one-left": [failing(sample), afterRepair(failsAtMost(failing(sample), expected(SMALL, left.mean!)))],
    "quorum-miss": [miss, (x) => x <= 1 / 1024 && [64, 50_000].every((n) => quorumMiss(n, quorumSize(n)) <= 1 / n)],
    rounds: all(
      rounds.every(({ n, most, J }) => most === J + 1 && most <= Math.log2(n)),
      enoughRuns(growth, 3),
    ),
    messages: [slope, afterRepair(atMost(slope, 1))],
    "few-contend": afterRepair(
      all(quick, ...few.slice(0, -1).map(({ messages }) => above(few[few.length - 1].messages, messages))),
    ),
    "contenders-unknown": afterRepair(all(...few.map((one) => failsAtMost(failing(one), 1 / Math.log2(4096))))),
    "no-constants": failsAtMost(failing(sample), expected(SMALL, left.mean!)),
    "unique-numbers": [anyEqual(SMALL), (x) => x < 1 / SMALL && [2, 8, 1024].every((n) => anyEqual(n) < 1 / n)],
    optimal: [refereeSlope, referees.some(({ success }) => success.rate! < 0.9) ? "open" : atLeast(refereeSlope, 1)],
    "old-mediators": [
      saved,
      given([dearer, saved], ([literal, meant]) => verdictOr(atMost(literal, 1), atMost(meant, 1))),
    ],
  });
  draw("ramanathan-theorem5", [
    measured("tournament", growth, ({ n, messages }) => scaled(messages, (m) => m / n)),
    theory(
      "tournament",
      SIZES,
      (n) => tournamentMessages(design(n), defaultRounds(design(n), 1 / n), quorumSize(n)) / n,
    ),
    theory("no first phase (printed w)", SIZES, (n) => 2 * quorumSize(n)),
    measured("referees (Kutten et al.)", referees, ({ n, messages }) => scaled(messages, (m) => m / n)),
  ]);
});
