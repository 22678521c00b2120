/** Claims as text, for the terminal and the page. */
import type { ClaimVerdict, PaperClaim } from "./claim.ts";

export const VERDICTS: readonly ClaimVerdict[] = [
  "holds",
  "holds after repair",
  "does not hold",
  "open",
  "not testable",
];

export const MARKS: Readonly<Record<ClaimVerdict, string>> = {
  holds: "✓",
  "holds after repair": "◐",
  "does not hold": "✗",
  open: "○",
  "not testable": "–",
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
export function oursText({ ours, interval }: Pick<PaperClaim, "ours" | "interval">): string {
  const value = ours === null ? "-" : typeof ours === "number" ? numberText(ours) : ours;
  return interval === null ? value : `${value} (${numberText(interval[0])} to ${numberText(interval[1])})`;
}

export function countsOf(claims: readonly PaperClaim[]): Record<ClaimVerdict, number> {
  const counts = Object.fromEntries(VERDICTS.map((verdict) => [verdict, 0])) as Record<ClaimVerdict, number>;
  for (const { verdict } of claims) counts[verdict]++;
  return counts;
}

/** What the texts say; checks and answers of our own are told apart. */
export const claimsOf = (entries: readonly { readonly claims: readonly PaperClaim[] }[]): PaperClaim[] =>
  entries.flatMap(({ claims }) => claims).filter(({ kind }) => kind === "claim");

const SEVERITIES = ["theorem", "proof step", "number", "wording"];

/** The errors behind the claims with one of the verdicts: each once, with its gravest claim and the others; the gravest first. */
export function errorsBehind(
  entries: readonly { readonly claims: readonly PaperClaim[] }[],
  verdicts: readonly ClaimVerdict[],
) {
  const groups = new Map<string, PaperClaim[]>();
  for (const claim of claimsOf(entries).filter((one) => verdicts.includes(one.verdict))) {
    const error = claim.error || claim.key;
    groups.set(error, [...(groups.get(error) ?? []), claim]);
  }
  const rank = ({ severity }: PaperClaim) => SEVERITIES.indexOf(severity);
  return [...groups.values()]
    .map((claims) => claims.toSorted((a, b) => rank(a) - rank(b)))
    .sort(([a], [b]) => rank(a) - rank(b))
    .map(([claim, ...more]) => ({ claim, more }));
}
