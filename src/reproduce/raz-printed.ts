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
import type { Bench, Claim, Part } from "./claim.ts";
import { deviation, item, SIGMAS, value } from "./raz-claim.ts";
import { type AnyRules, paramsOf } from "./raz-lasting.ts";
import { council, WIDE } from "./raz-setting.ts";
import { exactly, measuredMean, verdictIf } from "./verdict.ts";

const FEEDBACK = feedback(1000, false);
const LOG_N = 10;

/** What Table I says: name, bits of a host, the centre's memory, bits of feedback beyond log n. */
const TABLE = [
  ["basic", 1, "–", 0, basicRules],
  ["Skip-Reset", 1, "log n bits", 1, skipResetRules],
  ["choice", 3, "log n bits", 2, choiceRules],
  ["history", 2, "log n bits", 1, historyRules],
] as const;

async function table(bench: Bench): Promise<Part> {
  bench.step("Raz, Table I");
  const claims = TABLE.flatMap(([name, memory, centre, extra, rules]): Claim[] => {
    const states = hostStates(rules as AnyRules);
    const sent = rules.bits(FEEDBACK) - LOG_N;
    const kept = (rules as AnyRules).open(PARAMS, 1000, NO_CHANCE).memory === null ? "–" : "log n bits";
    return [
      value(
        "Table I",
        `${name}: host memory, in bits`,
        String(memory),
        Math.ceil(Math.log2(states)),
        (x) => x <= memory,
        `A host of ours has ${states} states, found by letting it hear every kind of feedback in each of them.${name === "choice" ? " In which of the two draws it stayed active: two bits do where the table has three." : ""}`,
      ),
      value(
        "Table I",
        `${name}: size of the feedback`,
        withLog(extra),
        withLog(sent),
        (x) => x === withLog(extra),
        "For n = 1000, where log n is 10 bits.",
      ),
      value(
        "Table I",
        `${name}: memory of the centre`,
        centre,
        kept,
        (x) => x === centre,
        name === "choice" ? "And one bit, the draw taken, until the next multicast has named it." : "",
      ),
    ];
  });
  return {
    claims,
    figures: [],
    text: "Table I is right, bit by bit, as our messages and hosts measure it; for choice two bits of a host suffice where the table has three. What the table does not show: with choice the centre must multicast once more when it is content, or the hosts do not know which of their draws counted, and with confirmed lists under loss messages carry names.",
  };
}

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

async function printed(bench: Bench): Promise<Part> {
  const plan = { ...WIDE, c: 5.8 };
  const trials = bench.trials(8000, 20_000);
  bench.step("Raz, Figs. 12 and 13 as printed");
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
      {
        section: "Figs. 12, 13",
        statement: "Skip-Reset with history works as printed: T for [4, 8], n = 1000, c = 5.8",
        paper: exact.rounds.toFixed(3),
        ...measuredMean(history.rounds),
        verdict: verdictIf(
          deviation(history.rounds, exact.rounds) < SIGMAS && deviation(letter.rounds, exact.rounds) > SIGMAS,
          "holds after repair",
        ),
        note: `As printed lines 5 to 17 of Fig. 12 belong to "if r = 1", so hosts ignore every feedback without a reset, and line 8 of Fig. 13 stores an undershoot as the population to go back to, which makes everybody reply. To the letter T is ${letter.rounds.mean!.toFixed(1)} and N is ${letter.messages.mean!.toFixed(0)}. Repaired: the lines apply always, and only an overshoot is stored; that is what (8) to (11) describe.`,
      },
      {
        section: "Fig. 8",
        statement:
          "A council that stands stays if the algorithm runs on (section VIII): chance that one of U = 8 keeps all its members, c = 5.8",
        paper: "1",
        ...exactly(keeps("printed") ** WIDE.U),
        verdict: verdictIf(keeps("printed") < 1 && keeps("repaired") === 1, "holds after repair"),
        note: `Figs. 8 and 12 print "N_c < U" where Fig. 3 and (3) have "≤": eight members who hear N_c = 8 draw again with c/8, and with probability ${stay.under.toFixed(2)} fewer than four remain. In a single election the centre has stopped by then; in continuous mode, and in Fig. 16, which sends one more feedback, it matters.`,
      },
      value(
        "Figs. 3, 4",
        "The election ends, with no condition on c: mean rounds of nine active hosts, [4, 8], as c comes near U + 1 = 9",
        "no condition",
        thinning(8.999999) > 1e5 ? "above 100,000 at c = 8.999999" : "few",
        (words) => words !== "few" && thinning(8.9) < 100 && refuses({ ...WIDE, c: 9 }, 100),
        `At c ≥ U + 1 the U + 1 active hosts all stay with probability c/N_c = 1, for ever. With c < U + 1 it ends: ${thinning(8.9).toFixed(0)} rounds at c = 8.9. Sortition refuses any other.`,
        "holds after repair",
      ),
      value(
        "Figs. 3, 4",
        "The election ends, with no condition on n and L: chance that a poll of three hosts ends it, L = 4",
        "no condition",
        replies(3, 1, WIDE.L, WIDE.U).within,
        (x) => x === 0 && replies(WIDE.L, 1, WIDE.L, WIDE.U).within === 1 && refuses({ ...WIDE }, 3),
        "With fewer than L hosts every round polls all of them, for ever. With L ≤ n it ends; Sortition refuses the rest.",
        "holds after repair",
      ),
    ],
    figures: [],
    text: 'The pseudocode was programmed twice, repaired and to the letter (`reading=printed`). To the letter, Skip-Reset with history is unusable: hosts hear nothing but resets, and one undershoot makes all n reply. The other slips are harmless in the paper\'s own experiments and not in a service: "< U" for "≤ U" dissolves a standing council of exactly U, and two settings that nobody forbids, c ≥ U + 1 and L > n, run for ever. Equations (8) to (11) describe the repaired algorithm, so the authors\' simulation can hardly have followed their figures.',
  };
}

export const razPrinted = [
  item("table1", "Table I: memory and feedback", table),
  item("figs8-13", "Figs. 3 to 16: the algorithms as printed", printed),
];
