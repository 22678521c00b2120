/** Gupta et al., section 5: "the graphs for varying p_fail are very similar and not included here". */

import type { PlotPoint, Series } from "../plot/plot.ts";
import type { Report } from "../statistics/report.ts";
import type { Bench, Part, Reproduction } from "./claim.ts";
import { meanAt, panelFigure, rateAt } from "./draw.ts";
import { election, QUIET } from "./gupta-setting.ts";
import { exactly, measuredMean, measuredRate, verdictIf } from "./verdict.ts";

const N = 1000;
const PROBABILITIES = { quick: [0.1, 0.2, 0.3, 0.5], full: [0, 0.1, 0.2, 0.3, 0.4, 0.5] };

async function run(bench: Bench): Promise<Part> {
  const ps = PROBABILITIES[bench.effort];
  const trials = bench.trials(80, 200);
  const crash = new Map<number, Report>();
  const loss = new Map<number, Report>();
  for (const p of ps) {
    bench.step(`Gupta, p_fail ${p}`);
    crash.set(p, await bench.simulate(election(N, { ...QUIET, crash: p }), trials));
    loss.set(p, await bench.simulate(election(N, { ...QUIET, loss: p, multicastLoss: p }), trials));
  }
  const series = (
    name: string,
    from: Map<number, Report>,
    point: (x: number, report: Report) => PlotPoint,
  ): Series => ({
    name,
    kind: "measured",
    points: ps.map((p) => point(p, from.get(p)!)),
  });
  const both = (point: (x: number, report: Report) => PlotPoint) => [
    series("processes fail", crash, point),
    series("messages are lost", loss, point),
  ];
  const alive: Series = { name: "processes fail", kind: "bound", points: ps.map((x) => ({ x, y: 1 - x })) };
  const x = { label: "p" };
  const figure = await panelFigure("gupta-crash", {
    title: "Gupta et al., section 5: varying p_fail is not like varying loss",
    caption: `N = ${N}, view_prob 0.5, ${trials} runs a point, 95% bands; dotted: 1 - p_fail, that the leader lives`,
    columns: 2,
    panels: [
      {
        title: "strong success",
        x,
        y: { label: "P(success)", domain: [0, 1.02] },
        series: [...both((at, report) => rateAt(at, report.success)), alive],
      },
      {
        title: "weak success",
        x,
        y: { label: "share that agrees", domain: [0, 1.02] },
        series: both((at, report) => meanAt(at, report.measures.weak)),
      },
      { title: "rounds", x, y: { label: "rounds" }, series: both((at, report) => meanAt(at, report.rounds)) },
      {
        title: "unicasts",
        x,
        y: { label: "unicasts" },
        series: both((at, report) => meanAt(at, report.measures.unicasts)),
      },
    ],
  });
  const [failing, losing] = [crash.get(0.3)!, loss.get(0.3)!];
  const leastWeak = Math.min(...ps.map((p) => crash.get(p)!.measures.weak.mean!));
  const text = [
    `The paper leaves the graphs for p_fail out because they "are very similar" to those for message loss. They are not. At p_fail = 0.3 strong success is ${failing.success.rate!.toFixed(2)}, at the same loss ${losing.success.rate!.toFixed(2)}: the leader is picked from views that still contain the dead, so it is alive with probability 1 - p_fail at the end of its round, and nothing in the protocol looks.`,
    "Rounds and messages go the other way too: loss makes rounds fail visibly and doubles K, while crashes thin out the relays and make rounds cheaper. Only weak success is alike, near 1 throughout, since a dead leader is one that everybody agrees on.",
    'A live deployment therefore needs a failure detector behind the election; the protocol alone does not give "one non-faulty leader" at the rate of Fig. 5(a).',
    "How sure: the dotted line is a consequence of the rules, not of the simulation; the points have 95% intervals.",
  ].join(" ");
  return {
    claims: [
      {
        section: "section 5",
        statement: "The graphs of strong success for varying p_fail are very similar to those for message loss",
        paper: '"very similar"',
        ...measuredRate(failing.success),
        verdict: verdictIf(failing.success.high! > losing.success.low!),
        note: `At p_fail = 0.3 and N = ${N}; a loss of 0.3 leaves ${losing.success.rate!.toFixed(2)}. A leader that fails in its round is elected all the same and nobody notices, so strong success is at most 1 - p_fail.`,
      },
      {
        section: "section 5",
        statement: "The graphs of rounds for varying p_fail are very similar to those for message loss",
        paper: '"very similar"',
        ...measuredMean(failing.rounds),
        verdict: verdictIf(failing.rounds.high! > losing.rounds.low!),
        note: `At p_fail = 0.3 and N = ${N}; a loss of 0.3 takes ${losing.rounds.mean!.toFixed(2)} rounds.`,
      },
      {
        section: "section 5",
        statement: "The graphs of messages for varying p_fail are very similar to those for message loss",
        paper: '"very similar"',
        ...measuredMean(failing.measures.unicasts),
        verdict: verdictIf(failing.measures.unicasts.high! > losing.measures.unicasts.low!),
        note: `Unicasts at p_fail = 0.3 and N = ${N}; a loss of 0.3 takes ${losing.measures.unicasts.mean!.toFixed(0)}.`,
      },
      {
        section: "section 5",
        statement: "Weak success is close to 1 for varying p_fail",
        paper: "close to 1",
        ...exactly(leastWeak >= 0.99 ? "at least 0.99 up to p_fail = 0.5" : String(leastWeak)),
        verdict: verdictIf(leastWeak >= 0.99),
        note: "It counts those who agree, whether their leader lives or not.",
      },
    ],
    figures: [figure],
    text,
  };
}

export const guptaCrash: Reproduction = {
  paper: "gupta",
  name: "crash",
  title: "Section 5: varying the probability of failure",
  run,
};
