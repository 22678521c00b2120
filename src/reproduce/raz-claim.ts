/** How the claims of Raz et al. are made: from exact values, from runs, and from the two held against each other. */
import type { Summary } from "../statistics/report.ts";
import type { Claim, Reproduction, Verdict } from "./claim.ts";
import { exactly, verdictIf } from "./verdict.ts";

/** A claim about a computed value. */
export function value<V extends number | string>(
  section: string,
  statement: string,
  paper: string,
  ours: V,
  test: (ours: V) => boolean,
  note = "",
  holding: Verdict = "holds",
): Claim {
  return { section, statement, paper, ...exactly(ours), verdict: verdictIf(test(ours), holding), note };
}

/** A claim about a decimal that the paper prints: less than a unit of its last digit off, be it rounded or cut. */
export function decimal(section: string, statement: string, paper: string, ours: number, note = ""): Claim {
  const digits = digitsOf(paper);
  const more = `${ours.toFixed(digits + 1)} to one digit more.`;
  return value(
    section,
    statement,
    paper,
    ours,
    (x) => Math.abs(x - Number(paper)) < 10 ** -digits,
    `${more} ${note}`.trim(),
  );
}

const digitsOf = (number: string) => number.length - number.indexOf(".") - 1;

/** Of some hundred comparisons none should be this many standard errors off: a false alarm has a chance of 1e-4. */
export const SIGMAS = 5;

/** How many standard errors, or least errors where these are larger, a mean is off. */
export function deviation({ mean, low, high }: Summary, exact: number, least = 0): number {
  const error = Math.max((high! - low!) / 2 / 1.96, least);
  const off = Math.abs(mean! - exact);
  return off < 1e-9 * Math.abs(exact) ? 0 : off / error;
}

const EXACT = "Exact recursions of ours against runs of the protocol, for T and N.";

/** That runs meet theory, where the worst of their means is this many standard errors off. */
export const agreement = (section: string, worst: number, note = EXACT): Claim =>
  value(
    section,
    "Analysis and simulation agree at every simulated point",
    "agreement",
    worst < SIGMAS ? `all within ${SIGMAS} standard errors` : `${worst.toFixed(1)} standard errors`,
    () => worst < SIGMAS,
    note,
  );

export const item = (name: string, title: string, run: Reproduction["run"]): Reproduction => ({
  paper: "raz",
  name,
  title,
  run,
});

export const percent = (share: number, digits = 1) => `${(100 * share).toFixed(digits)}%`;
