/** Raz et al. by protocol: means, the chances of a single draw, and the constant c that a word such as auto-T stands for. */
import type { Losses } from "../prediction.ts";
import { bestForMessages, bestForRounds, heuristicMessages, heuristicRounds, type Tuned } from "./optimum.ts";
import {
  basicCost,
  type CouncilDesign,
  choiceCost,
  historyCost,
  masksCost,
  naiveCost,
  type Range,
  type Search,
  skipResetCost,
  unknownCost,
} from "./raz.ts";
import { binomialProbability, replies } from "./replies.ts";
import type { Cost } from "./restarts.ts";

/** The council protocols of Raz et al. by their short names. */
export type CouncilName = "naive" | "basic" | "skip-reset" | "choice" | "history" | "unknown";

/** What the means follow from: parameters of council-NAME, in full. */
export type CouncilSetting = CouncilDesign & Partial<Search>;

/** What theory expects of a council protocol. */
export interface CouncilTheory {
  /** approximation: under loss, where c(1-q) stands for c; that is exact for the first draw only. */
  readonly method: "exact" | "approximation";
  /** P(a council within [L, U]), P(fewer), P(more); null where losses leave hosts active of which the centre knows nothing. */
  readonly success: number | null;
  readonly pNone: number | null;
  readonly pMany: number | null;
  /** The mean number of replies: the paper's N. */
  readonly messages: number;
  /** The mean number of exchanges: the paper's T. */
  readonly rounds: number;
  /** What the first draw gives: P(fewer than L), P(within), P(more than U). */
  readonly factors: Readonly<Record<string, number>>;
  /** By the words that may stand for c. */
  readonly optimum: Readonly<Record<string, Tuned>>;
}

const costs: Readonly<Record<CouncilName, (n: number, setting: CouncilSetting) => Cost>> = {
  naive: naiveCost,
  basic: basicCost,
  "skip-reset": skipResetCost,
  choice: choiceCost,
  history: historyCost,
  unknown: (n, setting) => unknownCost(n, setting, setting as Search),
};

/** Means of a council with a given c, without loss. */
export const councilCost = (council: CouncilName, n: number, setting: CouncilSetting): Cost =>
  costs[council](n, setting);

/** What may be given for c: its best value for T or N, or the paper's rules of thumb. */
export const WORDS = ["auto-T", "auto-N", "heuristic-T", "heuristic-N"] as const;
type Word = (typeof WORDS)[number];

/** The number that a word stands for. Where n is unknown, the centre can tune c only for the n that it begins with. */
export function tune(council: CouncilName, word: Word, n: number, setting: Range & Partial<CouncilSetting>): number {
  const { L, U } = setting;
  const size = council === "unknown" ? Math.floor(setting.guess!) : n;
  if (word === "heuristic-T") return heuristicRounds(L, U);
  if (word === "heuristic-N") return heuristicMessages(size, L, U);
  // What is refused, or needs no draw, has no optimum.
  if (L > U || L > size || size <= U) return Math.min(size, heuristicRounds(L, U));
  const known = council === "unknown" ? (setting.base === "naive" ? "naive" : "skip-reset") : council;
  const polls = known === "basic" || setting.base === "basic";
  const tunable = {
    L,
    U,
    cost: (c: number) => costs[known](size, { ...setting, c, estimate: 1 }),
    messagesUnbounded: L === 1 && !polls,
  };
  return word === "auto-T" ? bestForRounds(tunable) : bestForMessages(tunable);
}

/** What to expect of a council protocol for n hosts, with losses. */
export function councilTheory(
  council: CouncilName,
  n: number,
  setting: CouncilSetting & { readonly confirm: boolean },
  losses: Losses,
): CouncilTheory {
  const heard = (1 - losses.multicastLoss) * (1 - losses.crash);
  const arrives = 1 - losses.loss;
  const exact = heard === 1 && arrives === 1;
  const certain = exact || (setting.confirm && heard === 1);
  const thinned = { ...setting, c: setting.c * heard * arrives };
  const { rounds, messages } = costs[council](n, thinned);
  return {
    method: exact ? "exact" : "approximation",
    ...(certain ? { success: 1, pNone: 0, pMany: 0 } : { success: null, pNone: null, pMany: null }),
    messages: messages / arrives,
    rounds,
    factors: firstDraw(council, n, thinned),
    optimum: Object.fromEntries(WORDS.map((word) => [word, tuned(council, word, n, setting)])),
  };
}

function tuned(council: CouncilName, word: Word, n: number, setting: CouncilSetting): Tuned {
  const c = tune(council, word, n, setting);
  const { rounds, messages } = costs[council](n, { ...setting, c });
  return { c, rounds, messages };
}

function firstDraw(council: CouncilName, n: number, setting: CouncilSetting): Record<string, number> {
  const believed = council === "unknown" ? setting.guess! : n * (setting.estimate ?? 1);
  const { under, within } = replies(n, Math.min(1, setting.c / believed), setting.L, setting.U);
  return { under, within, over: Math.max(0, 1 - under - within) };
}

/** Bolot et al., with at most U replies wanted. */
export function masksTheory(n: number, { U, bits }: { U: number; bits: number }, losses: Losses): CouncilTheory {
  const arrives = 1 - losses.loss;
  // A host that does not hear, or is not heard, is as good as absent in any one exchange.
  const heard = (1 - losses.multicastLoss) * (1 - losses.crash);
  const exact = heard === 1 && arrives === 1;
  const { rounds, messages } = masksCost(n * heard * arrives, bits);
  const pMany = tooManyMatch(n, U, bits);
  return {
    method: exact ? "exact" : "approximation",
    ...(exact ? { success: 1 - pMany, pNone: 0, pMany } : { success: null, pNone: null, pMany: null }),
    messages: messages / arrives,
    rounds,
    factors: {},
    optimum: {},
  };
}

/** P(more than U hosts reply in the exchange that ends the search). */
function tooManyMatch(n: number, U: number, bits: number): number {
  const more = (p: number) => {
    const { under, within } = replies(n, p, 0, U);
    return Math.max(0, 1 - under - within);
  };
  let total = more(2 ** -bits);
  for (let b = 0; b < bits; b++) {
    const next = 2 ** -(b + 1);
    // Nobody matches b+1 bits; of those others, each matches b bits with this chance.
    total += binomialProbability(0, n, next) * more(next / (1 - next));
  }
  return total;
}
