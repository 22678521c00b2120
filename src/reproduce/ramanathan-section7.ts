/** Ramanathan et al., section 7: 50,000 processes, messages (Fig. 9) and accuracy. */
import { rateOf } from "../statistics/intervals.ts";
import type { Report } from "../statistics/report.ts";
import { quorumMiss } from "../theory/ramanathan.ts";
import { quorumSize } from "../theory/sigma.ts";
import { computed, exponentOf, lineFigure, meanAt, plotted, rateAt } from "./draw.ts";
import { textsOf } from "./texts.ts";
import { afterRepair } from "./verdict.ts";
import { numberText } from "./words.ts";

const { claim, item, worded } = textsOf("ramanathan");

const N = 50_000;
const ALL_SHARES = [1, 5, 10, 20, 30, 40, 50];
const FEW_SHARES = [1, 10, 50];
const contenders = (percent: number) => (N * percent) / 100;

/** A request, an answer, and a DEC or POTW for each contender and mediator. */
const quorumMessages = (count: number) => 3 * count * quorumSize(N);

export const fig9 = item("fig9", async (bench) => {
  const shares = bench.effort === "quick" ? FEW_SHARES : ALL_SHARES;
  const re = await bench.each(shares, (percent) =>
    bench.simulate({ protocol: "tournament-async", n: N, initiators: contenders(percent) }, [2, 10]),
  );
  // At 50% a run has tens of millions of messages on their way at once; at least two for each contender and mediator are certain.
  const measured = bench.effort === "quick" ? [1, 2] : [1, 2, 5, 10, 20];
  const pq = await bench.each(measured, (percent) =>
    bench.simulate({ protocol: "quorum", n: N, initiators: contenders(percent) }, percent <= 2 ? 2 : 1),
  );
  const half = re[re.length - 1].messages;
  const pqHalf = quorumMessages(contenders(50));
  const off = Math.max(
    ...pq.map(({ messages }, i) => Math.abs(messages.mean! / quorumMessages(contenders(measured[i])) - 1)),
  );
  const slope = (reports: readonly Report[], percent: readonly number[]) =>
    exponentOf(reports.map(({ messages }, i) => meanAt(percent[i], messages)));
  const [reSlope, pqSlope] = [slope(re, shares), slope(pq, measured)];
  return {
    claims: [
      claim(
        "pq-order",
        { ours: pqHalf / half.mean!, interval: [pqHalf / half.high!, pqHalf / half.low!] },
        ((2 / 3) * pqHalf) / half.high! > 10 && off < 0.01,
        { times: pq[0].messages.mean! / re[0].messages.mean!, off: 100 * off },
      ),
      worded("pq-scaling", pqSlope.interval[0] > 0.95 && reSlope.interval[1] < 0.5, {
        most: measured[measured.length - 1],
        pqSlope,
        reSlope,
      }),
    ],
    figures: [
      await lineFigure("ramanathan-fig9", { re, quorum: quorumSize(N) }, [
        plotted("measured", "RE (tournament-async)", re, ({ messages }, i) => meanAt(shares[i], messages)),
        plotted("measured", "PQ (quorum)", pq, ({ messages }, i) => meanAt(measured[i], messages)),
        computed("theory", "PQ (quorum)", ALL_SHARES, (x) => quorumMessages(contenders(x))),
      ]),
    ],
  };
});

export const accuracy = item("accuracy", async (bench) => {
  const request = { n: N, initiators: contenders(1) };
  const re = await bench.simulate({ protocol: "tournament-async", ...request }, [20, 10_000]);
  const delay = { kind: "uniform", min: 0, max: 1 } as const;
  const printed = { reading: "printed" };
  const same = await bench.simulate({ protocol: "tournament-async", ...request, params: printed }, [6, 200]);
  const random = await bench.simulate({ protocol: "tournament-async", ...request, params: printed, delay }, [6, 200]);
  const repaired = await bench.simulate({ protocol: "tournament-async", ...request, delay }, [6, 200]);
  const pq = await bench.simulate({ protocol: "quorum", ...request }, [1, 40]);
  const miss = quorumMiss(N, quorumSize(N));
  /** Whether ten thousand runs without a failure, as the paper had them, would surprise at the 5% level. */
  const credible = ({ trials, outcomes }: Report) => (1 - rateOf(trials - outcomes.one, trials).low!) ** 10_000 > 0.05;
  const counted = ({ trials, outcomes }: Report) => `${numberText(outcomes.one)} of ${numberText(trials)}`;
  return {
    claims: [
      claim("re-unique", re.success, afterRepair(credible(re) && re.outcomes.none === 0), {
        re: counted(re),
        repaired: counted(repaired),
        quorum: quorumSize(N),
        miss,
      }),
      worded("re-printed", credible(same) && credible(random), { same: counted(same), random: counted(random) }),
      claim("pq-unique", pq.success, afterRepair(credible(pq) && pq.outcomes.none === 0), {
        pq: counted(pq),
        miss: 10_000 * miss,
      }),
    ],
    figures: [
      await lineFigure("ramanathan-accuracy", { re, same, pq }, [
        plotted(
          "measured",
          "unique leader",
          [
            ["RE", re],
            ["RE, random delays", repaired],
            ["printed", same],
            ["printed, random delays", random],
            ["PQ", pq],
          ] as const,
          ([x, { success }]) => rateAt(x, success),
        ),
      ]),
    ],
    values: { re: counted(re), same: counted(same), random: counted(random) },
  };
});
