/** Raz et al., section VII-B: lost feedback and lost replies. */

import type { Request } from "../simulation/settings.ts";
import type { Report } from "../statistics/report.ts";
import { skipResetCost } from "../theory/raz.ts";
import { computed, panelFigure, swept } from "./draw.ts";
import { claim, item } from "./raz-claim.ts";
import { council, N, spaced, WIDE } from "./raz-setting.ts";
import { afterRepair } from "./verdict.ts";

const PLAN = { ...WIDE, c: 5.8 };
const RATES = [0, 0.05, 0.1, 0.2, 0.3] as const;
/** The rate that claims are about. */
const RATE = 0.1;

/** What the paper says T is: an overestimate by 1/(1-a), or c(1-q). */
const overestimate = (rate: number) => skipResetCost(N, { ...PLAN, estimate: 1 / (1 - rate) }).rounds;
const thinned = (rate: number) => skipResetCost(N, { ...PLAN, c: PLAN.c * (1 - rate) }).rounds;

export const loss = item("loss", async (bench) => {
  const trials = bench.trials(8000, 40_000);
  const runs = async (name: string, faults: (rate: number) => NonNullable<Request["faults"]>, params = {}) => {
    const request = council("skip-reset", N, { ...PLAN, ...params });
    const reports = await bench.sweep(RATES, (rate) => ({ ...request, faults: faults(rate) }), trials);
    return { name, reports, at: reports.get(RATE)! };
  };
  const feedback = await runs("lost feedback", (multicastLoss) => ({ multicastLoss }));
  const replies = await runs("lost replies", (loss) => ({ loss }));
  const confirmed = await runs("lost replies, closing list", (loss) => ({ loss }), { confirm: true });
  const usual = skipResetCost(N, PLAN).rounds;
  const off = ({ rounds }: Report, exact: number) => Math.abs(rounds.mean! / exact - 1);
  const dense = spaced(0, 0.3, 0.01);
  const figure = await panelFigure("raz-loss", { trials }, [
    [
      computed("theory", feedback.name, dense, overestimate),
      computed("theory", replies.name, dense, thinned),
      ...[feedback, replies].map(({ name, reports }) => swept(name, reports, ({ rounds }) => rounds)),
    ],
    [feedback, replies, confirmed].map(({ name, reports }) => swept(name, reports, ({ success }) => success)),
  ]);
  return {
    claims: [
      claim("lost-multicasts", feedback.at.rounds, off(feedback.at, overestimate(RATE)) < 0.02, {
        rounds: overestimate(RATE),
      }),
      claim("lost-multicasts-minor", feedback.at.rounds, off(feedback.at, usual) < 0.1, {
        usual,
        outside: 1 - feedback.at.success.rate!,
      }),
      claim("lost-replies", replies.at.rounds, off(replies.at, thinned(RATE)) < 0.02, { rounds: thinned(RATE), usual }),
      claim(
        "lost-replies-minor",
        replies.at.success,
        afterRepair(
          replies.at.success.high! < 0.96 && [...confirmed.reports.values()].every(({ success }) => success.rate === 1),
        ),
      ),
    ],
    figures: [figure],
    values: { outside: 1 - replies.at.success.rate! },
  };
});
