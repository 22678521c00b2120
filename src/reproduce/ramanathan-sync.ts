/** Ramanathan et al., Theorems 1 and 3 to 5 about the synchronous protocol, at sizes that can be simulated. */
import { rateOf } from "../statistics/intervals.ts";
import type { Report } from "../statistics/report.ts";
import { expectedMessages, noSurvivor, quorumMiss, severalLeadersBound } from "../theory/ramanathan.ts";
import { defaultRounds, exactSigma, quorumSize } from "../theory/sigma.ts";
import type { Bench } from "./claim.ts";
import { computed, exponentOf, lineFigure, meanAt, plotted, ratioOf, scaledAt } from "./draw.ts";
import { design } from "./ramanathan-design.ts";
import { textsOf } from "./texts.ts";
import { afterRepair } from "./verdict.ts";

const { claim, item, worded } = textsOf("ramanathan");

const SMALL = 128;
const SIZES = [256, 512, 1024, 2048, 4096, 8192, 16_384];
const SHARES = [1, 10, 50, 100];

/** The chance that some two of n numbers from [0..n^4] are equal. */
function anyEqual(n: number): number {
  let unique = 0;
  for (let i = 1; i < n; i++) unique += Math.log1p(-i / (n ** 4 + 1));
  return -Math.expm1(unique);
}

/** Everything that is simulated here. */
async function measured(bench: Bench) {
  const tournament = async (_what: string, n: number, trials: number, more: object = {}) => {
    return bench.simulate({ protocol: "tournament", n, ...more }, trials);
  };
  const many = bench.trials(1500, 20_000);
  const sample = await tournament("Theorems 1 and 3", SMALL, many);
  const alone = await tournament("Theorem 3 without a first phase", SMALL, bench.trials(500, 5000), {
    params: { J: 0 },
  });
  const misled = await tournament("n unknown", SMALL, bench.trials(500, 5000), { params: { estimate: 1 / 8 } });
  const growth: Report[] = [];
  const referees = await bench.each(SIZES, async (n) => {
    growth.push(await tournament("Theorem 5", n, bench.trials(n < 8000 ? 8 : 3, n < 8000 ? 60 : 20)));
    return bench.simulate({ protocol: "referees", n }, [8, 60]);
  });
  const few = await bench.each(SHARES, (share) =>
    tournament(`${share}% contend`, 4096, bench.trials(8, 40), { initiators: Math.ceil(40.96 * share) }),
  );
  const fresh = await tournament("fresh mediators", 1024, bench.trials(40, 400));
  const reuse = await tournament("old mediators", 1024, bench.trials(40, 400), { params: { mediators: "reuse" } });
  return { sample, alone, misled, growth, referees, few, dearer: ratioOf(reuse.messages, fresh.messages) };
}

export const synchronous = item("theorems1to5", async (bench) => {
  const { sample, alone, misled, growth, referees, few, dearer } = await measured(bench);
  const failing = ({ trials, outcomes }: Report) => rateOf(trials - outcomes.one, trials);
  const nobody = rateOf(sample.outcomes.none, sample.trials);
  const left = sample.measures.survivors;
  const expected = (n: number, x: number) => noSurvivor(x) + severalLeadersBound(n, quorumSize(n), x);
  const slope = exponentOf(growth.map(({ n, messages }) => meanAt(n, messages)));
  const refereeSlope = exponentOf(referees.map(({ n, messages }) => meanAt(n, messages)));
  const largest = SIZES[SIZES.length - 1];
  const perProcess = (reports: readonly Report[]) => reports[reports.length - 1].messages.mean! / largest;
  const rounds = growth.map(({ n, rounds }) => ({ n, most: rounds.max!, J: defaultRounds(design(n), 1 / n) }));
  const miss = quorumMiss(1024, quorumSize(1024));
  const [sigma1, sigma2, sigma3] = [1, 2, 3].map((j) => exactSigma(design(1024), j));
  const most = Math.max(...few.map(({ messages }) => messages.mean!));
  const fullContest = few[few.length - 1].messages.high!;
  return {
    claims: [
      claim("somebody-left", nobody, afterRepair(nobody.low! <= noSurvivor(left.low!)), {
        SMALL,
        J: defaultRounds(design(SMALL), 1 / SMALL),
        left,
        none: noSurvivor(left.mean!),
      }),
      claim("one-left-alone", failing(alone), failing(alone).low! <= quorumMiss(SMALL, quorumSize(SMALL)), {
        SMALL,
        miss: quorumMiss(SMALL, quorumSize(SMALL)),
      }),
      claim("one-left", failing(sample), afterRepair(failing(sample).low! <= expected(SMALL, left.mean!)), {
        SMALL,
        expected: expected(SMALL, left.mean!),
        later: expected(largest, Math.log(largest)),
        largest,
      }),
      claim("quorum-miss", miss, () => [64, 1024, 50_000].every((n) => quorumMiss(n, quorumSize(n)) <= 1 / n), {
        miss: 1024 * miss,
        larger: 50_000 * quorumMiss(50_000, quorumSize(50_000)),
      }),
      worded("rounds", () => rounds.every(({ n, most, J }) => most === J + 1 && most <= Math.log2(n)), {
        most: rounds.map((row) => row.most),
      }),
      claim("messages", slope, afterRepair(slope.interval[0] <= 1), {
        perProcess: perProcess(growth),
        quorum: 2 * quorumSize(largest),
      }),
      worded(
        "few-contend",
        afterRepair(few.every(({ rounds }) => rounds.max === few[0].rounds.max) && most <= fullContest),
        { few, messages: few.map(({ messages }) => messages.mean! / 4096), shares: SHARES.join("%, ") },
      ),
      claim("no-constants", failing(misled), failing(misled).low! <= failing(sample).high!, {
        SMALL,
        believed: SMALL / 8,
        usual: failing(sample).rate,
      }),
      claim("unique-numbers", anyEqual(SMALL), () => [2, 8, SMALL, 1024].every((n) => anyEqual(n) < 1 / n), { SMALL }),
      claim(
        "optimal",
        refereeSlope,
        refereeSlope.interval[1] >= 1 || referees.some(({ success }) => success.rate! < 0.9),
        { largest, referees: perProcess(referees), tournament: perProcess(growth) },
      ),
      claim("old-mediators", dearer, dearer.interval[0] <= 1, { fewer: sigma3 - sigma2 - sigma1 }),
    ],
    figures: [
      await lineFigure("ramanathan-theorem5", { growth, last: growth[growth.length - 1].trials }, [
        plotted("measured", "tournament", growth, ({ n, messages }) => scaledAt(n, messages, (m) => m / n)),
        computed(
          "theory",
          "tournament",
          SIZES,
          (n) => expectedMessages(design(n), defaultRounds(design(n), 1 / n), quorumSize(n)) / n,
        ),
        computed("theory", "no first phase (printed w)", SIZES, (n) => 2 * quorumSize(n)),
        plotted("measured", "referees (Kutten et al.)", referees, ({ n, messages }) =>
          scaledAt(n, messages, (m) => m / n),
        ),
      ]),
    ],
  };
});
