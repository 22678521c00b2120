/**
 * Councils (Raz et al.): their means, and the chance that the council ends outside its range. The centre counts replies and
 * stops only inside [L, U], so without loss nothing can go wrong. Under loss a host whose reply is lost stays active
 * without the centre's knowledge; with a confirmed list only hosts that the centre has heard serve, and of these a member
 * fails that misses every copy of the list.
 */
import { binomialBelow } from "./chance.ts";
import type { Prediction, Question } from "./prediction.ts";
import { probability } from "./raz-replies.ts";
import { type Council, councilTheory, masksTheory, type Setting } from "./raz-report.ts";

interface Params extends Setting {
  readonly confirm: boolean;
  readonly lists: number;
  readonly limit: number;
  readonly bits: number;
}

const FAMILY: readonly string[] = ["naive", "basic", "skip-reset", "choice", "history", "unknown"];

export function predictCouncil(question: Question): Prediction | null {
  const { n, protocol } = question;
  const council = protocol.replace("council-", "");
  const params = question.params as unknown as Params;
  if (council === "masks") return masksTheory(n, params, question);
  if (!FAMILY.includes(council)) return null;
  if (n <= params.U && (params.estimate ?? 1) === 1 && council !== "unknown" && council !== "naive") {
    return everybodyServes(question, params);
  }
  const theory = councilTheory(council as Council, n, params, question);
  if (theory.success !== null || !params.confirm) return theory;
  // The list that a member misses: all copies, each for itself.
  const missed = question.multicastLoss ** params.lists;
  const sizes = finalSizes(n, params);
  let none = 0;
  for (const { size, p } of sizes) none += p * binomialBelow(size, 1 - missed, params.L);
  return { ...theory, success: 1 - none, pNone: none, pMany: 0 };
}

/** n is known to be within the range: the centre says so once, and whoever is alive and hears it serves. */
function everybodyServes({ n, multicastLoss, crash }: Question, { L }: Params): Prediction {
  const none = binomialBelow(n, (1 - multicastLoss) * (1 - crash), L);
  return {
    method: "exact",
    ...{ success: 1 - none, pNone: none, pMany: 0, messages: 0, rounds: 0 },
    ...{ factors: null, optimum: null },
  };
}

/** How large a council is that ends within [L, U]: as the last draw, of about c replies. */
function finalSizes(n: number, { L, U, c }: Params): { size: number; p: number }[] {
  const sizes = Array.from({ length: Math.min(U, n) - L + 1 }, (_, k) => ({
    size: L + k,
    p: probability(L + k, n, Math.min(1, c / n)),
  }));
  const total = sizes.reduce((sum, { p }) => sum + p, 0);
  return sizes.map(({ size, p }) => ({ size, p: p / total }));
}
