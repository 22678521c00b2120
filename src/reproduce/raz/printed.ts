/** Raz et al., section VII-B: lost feedback and lost replies; Table I; and the algorithms as printed. */
import { InputError } from "../../errors.ts";
import { basicRules } from "../../protocols/council/basic.ts";
import { choiceRules } from "../../protocols/council/choice.ts";
import { feedback, replyChance } from "../../protocols/council/council.ts";
import { historyRules } from "../../protocols/council/history.ts";
import { skipResetRules } from "../../protocols/council/skip-reset.ts";
import { type Request, resolve } from "../../simulation/settings.ts";
import type { Report } from "../../statistics/report.ts";
import { Descent } from "../../theory/raz/descent.ts";
import { historyCost, skipResetCost } from "../../theory/raz/raz.ts";
import { replies } from "../../theory/raz/replies.ts";
import { type Judged, over } from "../claim.ts";
import { afterRepair, all, always, atMost, given, is, near } from "../criteria.ts";
import { measured, theory } from "../draw.ts";
import { raz } from "../texts.ts";
import { deviation, SIGMAS } from "./figure.ts";
import { type AnyRules, choiceParamsOf } from "./lasting.ts";
import { councilRequest, N, spaced, WIDE } from "./setting.ts";

const PLAN = { ...WIDE, c: 5.8 };
/** The rate that claims are about. */
const RATE = 0.1;

/** What the paper says T is: an overestimate by 1/(1-a), or c(1-q). */
const overestimate = (rate: number) => skipResetCost(N, { ...PLAN, estimate: 1 / (1 - rate) }).rounds;
const thinned = (rate: number) => skipResetCost(N, { ...PLAN, c: PLAN.c * (1 - rate) }).rounds;

const losing = (faults: (rate: number) => NonNullable<Request["faults"]>, params = {}) =>
  over([0, 0.05, RATE, 0.2, 0.3], (rate) => [
    { ...councilRequest("skip-reset", N, { ...PLAN, ...params }), faults: faults(rate) },
    [8000, 40_000],
  ]);

raz("loss", {
  feedback: losing((multicastLoss) => ({ multicastLoss })),
  replies: losing((loss) => ({ loss, multicastLoss: 0 })),
  confirmed: losing((loss) => ({ loss, multicastLoss: 0 }), { confirm: true }),
})(({ feedback, replies, confirmed }, { tell, claims, draw }) => {
  const [heard, replied] = [feedback.of(RATE), replies.of(RATE)];
  const usual = skipResetCost(N, PLAN).rounds;
  const within = ({ rounds }: Report, exact: number, part: number) => near(rounds, exact, part * exact);
  const dense = spaced(0, 0.3, 0.01);
  const listed = all(...confirmed.map(({ success, trials }) => always(success, trials)));
  const success = (report: Report) => report.success;
  tell({ trials: heard.trials, usual, outside: 1 - replied.success.rate!, unheard: 1 - heard.success.rate! });
  tell({ over: overestimate(RATE), thin: thinned(RATE) });
  claims({
    "lost-multicasts": [heard.rounds, within(heard, overestimate(RATE), 0.02)],
    "lost-multicasts-minor": [heard.rounds, within(heard, usual, 0.1)],
    "lost-replies": [replied.rounds, within(replied, thinned(RATE), 0.02)],
    "lost-replies-minor": [replied.success, afterRepair(all(atMost(replied.success, 0.96), listed))],
  });
  draw("raz-loss", [
    [
      theory("lost feedback", dense, overestimate),
      theory("lost replies", dense, thinned),
      measured("lost feedback", feedback, ({ rounds }) => rounds),
      measured("lost replies", replies, ({ rounds }) => rounds),
    ],
    [
      measured("lost feedback", feedback, success),
      measured("lost replies", replies, success),
      measured("lost replies, closing list", confirmed, success),
    ],
  ]);
});

const FEEDBACK = feedback(1000, false);
const LOG_N = 10;

/** What Table I says: name, bits of a host, the centre's memory, bits of feedback beyond log n. */
const TABLE = [
  ["basic", 1, "–", 0, basicRules],
  ["Skip-Reset", 1, "log n bits", 1, skipResetRules],
  ["choice", 3, "log n bits", 2, choiceRules],
  ["history", 2, "log n bits", 1, historyRules],
] as const;
const withLog = (extra: number) => `${extra > 0 ? `${extra} + ` : ""}log n`;

raz("table1")((_ran, { claims }) => {
  const rows = TABLE.flatMap(([name, memory, centre, extra, rules]): [string, Judged][] => {
    const states = hostStates(rules as AnyRules);
    const sent = withLog(rules.bits(FEEDBACK) - LOG_N);
    const kept = memoryText(centreBits(rules as AnyRules));
    const values = { name, memory, states, bits: withLog(extra), centre };
    const choice = name === "choice" ? "-choice" : "";
    return [
      [`table-host${choice}/${name}`, [Math.ceil(Math.log2(states)), (x) => x <= memory, values]],
      [`table-feedback/${name}`, [sent, is(sent, withLog(extra)), values]],
      [`table-centre${choice}/${name}`, [kept, is(kept, centre), values]],
    ];
  });
  claims(Object.fromEntries(rows));
});

const PARAMS = choiceParamsOf(1000);
const NO_CHANCE = { coin: () => false, choose: () => 0 };
const COUNTS = [0, 6, 500, 1000];

const memoryText = (bits: number) => (bits === 0 ? "–" : bits === LOG_N ? "log n bits" : `${bits} bits`);

/** Bits that the centre needs from one exchange to the next: two memories are one if they answer all replies alike. */
export function centreBits(rules: AnyRules): number {
  const tallies = COUNTS.flatMap((first) => COUNTS.map((second) => [first, second] as const));
  const opened = (n: number) => JSON.stringify(rules.open(PARAMS, n, NO_CHANCE).memory);
  const memories = new Set(Array.from({ length: 1000 }, (_, i) => opened(i + 1)));
  const answers = new Set<string>();
  for (const memory of memories) {
    const told = tallies.map((tally) => {
      const later = JSON.parse(memory);
      const feedback = rules.next(later, tally, PARAMS);
      memories.add(JSON.stringify(later));
      return feedback;
    });
    answers.add(JSON.stringify(told));
  }
  return Math.ceil(Math.log2(answers.size));
}

/** How many states a host can be in: all feedback, all coins, from every state found so far. */
function hostStates(rules: AnyRules): number {
  const found = new Set([JSON.stringify(rules.host(PARAMS))]);
  const heard = [0, 6, 1000].flatMap((population) =>
    [true, false].flatMap((reset) => ([1, 2] as const).map((draw) => feedback(population, reset, draw))),
  );
  for (const state of found) {
    for (const sent of heard) {
      for (const coins of [0, 1, 2, 3]) {
        let tossed = 0;
        const host = JSON.parse(state);
        rules.hear(host, sent, PARAMS, { ...NO_CHANCE, coin: () => ((coins >> tossed++) & 1) === 1 });
        found.add(JSON.stringify(host));
      }
    }
  }
  return found.size;
}

function refuses(params: Record<string, number>, n: number): boolean {
  try {
    resolve({ protocol: "council-basic", n, params });
    return false;
  } catch (error) {
    if (error instanceof InputError) return true;
    throw error;
  }
}

raz("figs8-13", {
  history: [councilRequest("history", 1000, PLAN), [8000, 20_000]],
  letter: [councilRequest("history", 1000, { ...PLAN, reading: "printed" }), [8000, 20_000]],
})(({ history, letter }, { tell, claims }) => {
  const exact = historyCost(1000, PLAN);
  const keeps = (reading: "printed" | "repaired") => replyChance(WIDE.U, { ...PLAN, reading });
  const thinning = (c: number) => new Descent({ ...WIDE, c, draws: 1, history: false }).at(9).rounds;
  const off = (report: Report) => deviation(report.rounds, exact.rounds);
  const endless = thinning(8.999999) > 1e5;
  const [tooFew, enough] = [3, WIDE.L].map((n) => replies(n, 1, WIDE.L, WIDE.U).within);
  tell({ exact, rounds: thinning(8.9), stay: replies(WIDE.U, PLAN.c / WIDE.U, WIDE.L, WIDE.U) });
  claims({
    "history-printed": [history.rounds, afterRepair(off(history) < SIGMAS && off(letter) > SIGMAS)],
    "council-stays": [
      keeps("printed") ** WIDE.U,
      given([keeps("printed"), keeps("repaired")], ([printed, repaired]) => afterRepair(printed < 1 && repaired === 1)),
    ],
    "ends-any-c": [
      endless ? "above 100,000 at c = 8.999999" : "few",
      given({ endless, usual: thinning(8.9), refused: refuses({ ...WIDE, c: 9 }, 100) }, (found) =>
        afterRepair(found.endless && found.usual < 100 && found.refused),
      ),
    ],
    "ends-any-n": [
      tooFew,
      given({ tooFew, enough, refused: refuses({ ...WIDE }, 3) }, (found) =>
        afterRepair(found.tooFew === 0 && found.enough === 1 && found.refused),
      ),
    ],
  });
});
