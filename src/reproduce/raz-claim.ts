/** How the claims of Raz et al. are made: from exact values, from runs, and from the two held against each other. */
import type { Summary } from "../statistics/report.ts";
import type { Claim } from "./claim.ts";
import { textsOf, type Values } from "./texts.ts";

export const { claim, item, say, worded } = textsOf("raz");

/** A claim about a decimal that the paper prints: less than a unit of its last digit off, be it rounded or cut. */
export function decimal(key: string, ours: number, values?: Values): Claim {
  const paper = say(key, "paper");
  const digits = digitsOf(paper);
  const made = claim(key, ours, (x) => Math.abs(x - Number(paper)) < 10 ** -digits, values);
  return { ...made, note: `${ours.toFixed(digits + 1)} to one digit more. ${made.note}`.trim() };
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

/** That runs meet theory, where the worst of their means is this many standard errors off. */
export const agreement = (section: string, worst: number, key = "agreement"): Claim =>
  claim(
    key,
    worst < SIGMAS ? `all within ${SIGMAS} standard errors` : `${worst.toFixed(1)} standard errors`,
    () => worst < SIGMAS,
    { section },
  );

export const percent = (share: number, digits = 1) => `${(100 * share).toFixed(digits)}%`;
