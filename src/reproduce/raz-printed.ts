/** Raz et al., Table I, and the algorithms as printed. */

import { InputError } from "../errors.ts";
import { basicRules } from "../protocols/council/basic.ts";
import { choiceRules } from "../protocols/council/choice.ts";
import { feedback, replyChance } from "../protocols/council/feedback.ts";
import { historyRules } from "../protocols/council/history.ts";
import { skipResetRules } from "../protocols/council/skip-reset.ts";
import { resolve } from "../simulation/settings.ts";
import { historyCost } from "../theory/raz.ts";
import { Descent } from "../theory/raz-descent.ts";
import { replies } from "../theory/raz-replies.ts";
import type { Claim } from "./claim.ts";
import { claim, deviation, item, SIGMAS } from "./raz-claim.ts";
import { type AnyRules, paramsOf } from "./raz-lasting.ts";
import { council, WIDE } from "./raz-setting.ts";
import { afterRepair } from "./verdict.ts";

const FEEDBACK = feedback(1000, false);
const LOG_N = 10;

/** What Table I says: name, bits of a host, the centre's memory, bits of feedback beyond log n. */
const TABLE = [
  ["basic", 1, "–", 0, basicRules],
  ["Skip-Reset", 1, "log n bits", 1, skipResetRules],
  ["choice", 3, "log n bits", 2, choiceRules],
  ["history", 2, "log n bits", 1, historyRules],
] as const;

export const table = item("table1", async () => {
  const claims = TABLE.flatMap(([name, memory, centre, extra, rules]): Claim[] => {
    const states = hostStates(rules as AnyRules);
    const sent = rules.bits(FEEDBACK) - LOG_N;
    const kept = (rules as AnyRules).open(PARAMS, 1000, NO_CHANCE).memory === null ? "–" : "log n bits";
    return [
      claim("table-host", Math.ceil(Math.log2(states)), (x) => x <= memory, {
        name,
        memory,
        states,
        more:
          name === "choice"
            ? " In which of the two draws it stayed active: two bits do where the table has three."
            : "",
      }),
      claim("table-feedback", withLog(sent), (x) => x === withLog(extra), { name, bits: withLog(extra) }),
      claim("table-centre", kept, (x) => x === centre, {
        name,
        centre,
        more: name === "choice" ? "And one bit, the draw taken, until the next multicast has named it." : "",
      }),
    ];
  });
  return {
    claims,
  };
});

const withLog = (extra: number) => `${extra > 0 ? `${extra} + ` : ""}log n`;

const PARAMS = paramsOf(1000);
const NO_CHANCE = { coin: () => false, choose: () => 0 };

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

export const printed = item("figs8-13", async (bench) => {
  const plan = { ...WIDE, c: 5.8 };
  const trials = bench.trials(8000, 20_000);
  const history = await bench.simulate(council("history", 1000, plan), trials);
  const letter = await bench.simulate(council("history", 1000, { ...plan, reading: "printed" }), trials);
  const exact = historyCost(1000, plan);
  const keeps = (reading: "printed" | "repaired") => replyChance(WIDE.U, { ...plan, reading });
  const stay = replies(WIDE.U, plan.c / WIDE.U, WIDE.L, WIDE.U);
  const thinning = (c: number) => new Descent({ ...WIDE, c, draws: 1, history: false }).at(9).rounds;
  const refuses = (params: Record<string, number>, n: number) => {
    try {
      resolve({ protocol: "council-basic", n, params });
      return false;
    } catch (error) {
      if (error instanceof InputError) return true;
      throw error;
    }
  };
  return {
    claims: [
      claim(
        "history-printed",
        history.rounds,
        afterRepair(
          deviation(history.rounds, exact.rounds) < SIGMAS && deviation(letter.rounds, exact.rounds) > SIGMAS,
        ),
        { exact, letter },
      ),
      claim("council-stays", keeps("printed") ** WIDE.U, afterRepair(keeps("printed") < 1 && keeps("repaired") === 1), {
        stay,
      }),
      claim(
        "ends-any-c",
        thinning(8.999999) > 1e5 ? "above 100,000 at c = 8.999999" : "few",
        (words) => words !== "few" && thinning(8.9) < 100 && refuses({ ...WIDE, c: 9 }, 100),
        { rounds: thinning(8.9) },
        "holds after repair",
      ),
      claim(
        "ends-any-n",
        replies(3, 1, WIDE.L, WIDE.U).within,
        (x) => x === 0 && replies(WIDE.L, 1, WIDE.L, WIDE.U).within === 1 && refuses({ ...WIDE }, 3),
        {},
        "holds after repair",
      ),
    ],
  };
});
