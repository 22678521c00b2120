/** The knobs of the council protocols, their checks, and how a finished run is judged. */
import type { Assumptions, Census, Outcome, Parameter } from "../../protocol.ts";
import { type CouncilName, type CouncilSetting, tune, WORDS } from "../../theory/raz/report.ts";

export interface CouncilParams {
  readonly L: number;
  readonly U: number;
  readonly c: number;
  readonly estimate: number;
  readonly reading: "repaired" | "printed";
  readonly confirm: boolean;
  readonly lists: number;
  readonly limit: number;
}

export interface SearchParams extends CouncilParams {
  readonly base: "skip-reset" | "naive";
  readonly guess: number;
  readonly alpha: number;
  readonly beta: number;
}

export const councilAssumptions: Assumptions = {
  topology: "star",
  identity: "anonymous",
  timing: "synchronous",
  start: "any",
  knows: ["n"],
  fifo: false,
  multicast: true,
  tolerates: ["loss", "crash"],
};

/**
 * `rounds` is the paper's T, `size` the true number of members, `poll` the replies that learning n has cost, `cut` 1 where
 * the centre gave up.
 */
export const councilMeasures = {
  rounds: "sum",
  size: "sum",
  poll: "sum",
  multicasts: "sum",
  cut: "sum",
} as const;

export const rangeParameters: readonly Parameter[] = [
  { name: "L", about: "the least number of members", type: "integer", min: 1, default: (n) => Math.min(4, n) },
  {
    name: "U",
    about: "the greatest number of members",
    type: "integer",
    min: 1,
    default: (_n, before) => Math.max(8, Number(before.L)),
  },
];

export const commonParameters: readonly Parameter[] = [
  {
    name: "confirm",
    about: "close with a list of the members heard: hosts whose reply was lost then know that they are not on it",
    type: "boolean",
    default: false,
  },
  {
    name: "lists",
    about: "confirm: how often the list is multicast; a member that misses all of them does not serve",
    type: "integer",
    min: 1,
    default: 3,
  },
  {
    name: "limit",
    about: "exchanges after which the centre gives up",
    type: "integer",
    min: 1,
    default: 1000,
  },
];

export const readingParameter: Parameter = {
  name: "reading",
  about: "repaired, or printed: the paper's figures and equations to the letter, slips included",
  type: ["repaired", "printed"],
  default: "repaired",
};

export const estimateParameter: Parameter = {
  name: "estimate",
  about: "the factor by which the n that the centre believes in differs from the real one",
  type: "number",
  min: 1e-9,
  default: 1,
};

/** The constant c, after all the others: its best value follows from them. */
export function cParameter(council: CouncilName): Parameter {
  return {
    name: "c",
    about:
      "replies expected from a draw, 0 < c < U+1: a number, its best value for T or N, or the paper's rule of thumb",
    type: "number",
    words: Object.fromEntries(
      WORDS.map((word) => [word, (n, before) => tune(council, word, n, before as unknown as CouncilSetting)]),
    ),
    default: "auto-T",
  };
}

/** Why no council can come of these parameters: both endless loops of the printed algorithms are among them. */
export function refuseCouncil({ L, U, c }: Pick<CouncilParams, "L" | "U" | "c">, n: number): string | null {
  if (L > U) return `L = ${L} is more than U = ${U}: lower L or raise U`;
  if (L > n) return `L = ${L} members cannot be found among ${n} hosts: lower L or raise n`;
  if (!(c > 0)) return `c = ${c} must be more than 0, or nobody ever replies`;
  if (c >= U + 1) return `c = ${c} must be less than U+1 = ${U + 1}, or ${U + 1} active hosts never become fewer`;
  return null;
}

export function refuseSearch(params: SearchParams, n: number): string | null {
  const { alpha, beta, guess, U, c } = params;
  if (!(guess >= 1)) return `guess = ${guess} must be at least 1`;
  if (!(alpha > 0 && alpha <= 1)) return `alpha = ${alpha} must be more than 0 and at most 1, or estimates never fall`;
  // Below U, or below c, everybody replies; an estimate that settles above both would be kept for ever.
  const settles = alpha < 1 ? beta ** (1 / (alpha - 1)) : beta > 1 ? 0 : guess;
  if (settles >= Math.max(U, c)) return `beta = ${beta} lets estimates settle at ${settles}: raise beta or lower alpha`;
  return refuseCouncil(params, n);
}

export const councilSize = (_params: unknown, { elected }: Census) => ({ size: elected });

export function judgeCouncil({ L, U }: { L: number; U: number }, { elected }: Census): Outcome {
  return elected < L ? "none" : elected > U ? "many" : "one";
}

/** What the elections of Raz et al. have in common. */
export const councilTraits = {
  assumes: councilAssumptions,
  measures: councilMeasures,
  rounds: "reported",
  judge: judgeCouncil,
  summarise: councilSize,
  refuse: refuseCouncil,
} as const;
