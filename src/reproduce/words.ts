/** Claims as text, for the terminal and the page. */
import type { Claim, Verdict } from "./claim.ts";

export const VERDICTS: readonly Verdict[] = ["holds", "holds after repair", "does not hold"];

export const MARKS: Readonly<Record<Verdict, string>> = {
  holds: "✓",
  "holds after repair": "◐",
  "does not hold": "✗",
};

/** About four digits, thousands apart; small numbers with an exponent. */
export function numberText(value: number): string {
  const magnitude = Math.abs(value);
  if (Number.isInteger(value) && magnitude < 1e15) return value.toLocaleString("en-GB");
  if (magnitude < 1e-3 || magnitude >= 1e15) return value.toExponential(2);
  if (magnitude >= 1000) return Math.round(value).toLocaleString("en-GB");
  return String(Number(value.toPrecision(4)));
}

/** What we found, with its interval. */
export function oursText({ ours, interval }: Claim): string {
  const value = ours === null ? "-" : typeof ours === "number" ? numberText(ours) : ours;
  return interval === null ? value : `${value} (${numberText(interval[0])} to ${numberText(interval[1])})`;
}

export function countsOf(claims: readonly Claim[]): Record<Verdict, number> {
  const counts: Record<Verdict, number> = { holds: 0, "holds after repair": 0, "does not hold": 0 };
  for (const { verdict } of claims) counts[verdict]++;
  return counts;
}
