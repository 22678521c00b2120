/** The settings of Raz et al., and the best c. */
import type { Params } from "../../protocols/parameters.ts";
import type { Request } from "../../simulation/settings.ts";
import { type Range, type Search, unknownCost } from "../../theory/raz/raz.ts";
import type { Cost } from "../../theory/raz/restarts.ts";

export const N = 10_000;
export const WIDE: Range = { L: 4, U: 8 };
export const OPEN: Range = { L: 1, U: 8 };
export const SINGLE: Range = { L: 1, U: 1 };
export const RANGES: readonly (readonly [string, Range])[] = [
  ["[4, 8]", WIDE],
  ["[1, 8]", OPEN],
  ["[2, 4]", { L: 2, U: 4 }],
  ["[1, 1]", SINGLE],
];
export const CONSERVATIVE: Search = { guess: 100_000, alpha: 1, beta: 2 };
export const AGGRESSIVE: Search = { guess: 100_000, alpha: 0.7, beta: 1 };

/** Section VII-A with the paper's [1, 8] and c = 5.6. */
export const searched = (n: number, search: Search): Cost => unknownCost(n, { ...OPEN, c: 5.6 }, search);

export const councilRequest = (name: string, n: number, params: Params): Request => ({
  protocol: `council-${name}`,
  n,
  params,
});

/** The paper's number of runs a point. */
export const RUNS = 10_000;

/** Points evenly spaced on a logarithmic axis, as whole numbers. */
export function logSpaced(from: number, to: number, perDecade: number): number[] {
  const steps = Math.round(perDecade * Math.log10(to / from));
  const all = Array.from({ length: steps + 1 }, (_, i) => Math.round(from * (to / from) ** (i / steps)));
  return [...new Set(all)];
}

/** The n of figures over n. */
export const SIZES = { dense: logSpaced(20, 100_000, 6), sparse: logSpaced(20, 100_000, 2) };

export const spaced = (from: number, to: number, step: number): number[] =>
  Array.from({ length: Math.round((to - from) / step) + 1 }, (_, i) => Math.round((from + i * step) * 1e9) / 1e9);

/** All ranges with L < U up to the largest U. */
export const rangesUpTo = (largest: number): Range[] =>
  spaced(2, largest, 1).flatMap((U) => spaced(1, U - 1, 1).map((L) => ({ L, U })));
