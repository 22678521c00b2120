/** Gupta et al., section 5: "the graphs for varying p_fail are very similar and not included here". */

import type { Rate } from "../statistics/intervals.ts";
import type { Report, Summary } from "../statistics/report.ts";
import { computed, panelFigure, swept } from "./draw.ts";
import { election, QUIET } from "./gupta-setting.ts";
import { textsOf } from "./texts.ts";

const { claim, item } = textsOf("gupta");

const N = 1000;
const PROBABILITIES = { quick: [0.1, 0.2, 0.3, 0.5], full: [0, 0.1, 0.2, 0.3, 0.4, 0.5] };

export const guptaCrash = item("crash", async (bench) => {
  const ps = PROBABILITIES[bench.effort];
  const trials = bench.trials(80, 200);
  const crash = await bench.sweep(ps, (p) => election(N, { ...QUIET, crash: p }), trials);
  const loss = await bench.sweep(ps, (p) => election(N, { ...QUIET, loss: p, multicastLoss: p }), trials);
  const both = (of: (report: Report) => Summary | Rate) => [
    swept("processes fail", crash, of),
    swept("messages are lost", loss, of),
  ];
  const alive = computed("bound", "processes fail", ps, (x) => 1 - x);
  const figure = await panelFigure("gupta-crash", { N, trials }, [
    [...both(({ success }) => success), alive],
    both(({ measures }) => measures.weak),
    both(({ rounds }) => rounds),
    both(({ measures }) => measures.unicasts),
  ]);
  const [failing, losing] = [crash.get(0.3)!, loss.get(0.3)!];
  const leastWeak = Math.min(...ps.map((p) => crash.get(p)!.measures.weak.mean!));
  return {
    claims: [
      claim("crash-success", failing.success, failing.success.high! > losing.success.low!, { N, losing }),
      claim("crash-rounds", failing.rounds, failing.rounds.high! > losing.rounds.low!, { N, losing }),
      claim(
        "crash-messages",
        failing.measures.unicasts,
        failing.measures.unicasts.high! > losing.measures.unicasts.low!,
        { N, losing },
      ),
      claim(
        "crash-weak",
        leastWeak >= 0.99 ? "at least 0.99 up to p_fail = 0.5" : String(leastWeak),
        leastWeak >= 0.99,
      ),
    ],
    figures: [figure],
    values: { failing, losing },
  };
});
