/** What has been found, as it is kept beside the figures: the page is written from it, and a test reads it. */
import { version } from "../version.ts";
import { reproductions } from "./all.ts";
import type { ReproductionFinding } from "./bench.ts";
import type { Bench, Figure, PaperClaim, Reproduction } from "./claim.ts";

export interface ReproductionRecord {
  readonly paper: Reproduction["paper"];
  readonly name: string;
  readonly title: string;
  readonly version: string;
  readonly effort: Bench["effort"];
  readonly seconds: number;
  readonly claims: readonly PaperClaim[];
  readonly figures: readonly Omit<Figure, "csv" | "picture">[];
  readonly text: string;
}

export function recordOf(
  { reproduction, part, seconds }: ReproductionFinding,
  effort: Bench["effort"],
): ReproductionRecord {
  const { paper, name, title } = reproduction;
  const figures = part.figures.map(({ name, title, caption }) => ({ name, title, caption }));
  const { claims, text } = part;
  return { paper, name, title, version, effort, seconds: Math.round(seconds * 10) / 10, claims, figures, text };
}

/** Earlier entries, of which those found again are replaced and those that no longer exist are left out; in order. */
export function merged(
  before: readonly ReproductionRecord[],
  now: readonly ReproductionRecord[],
): ReproductionRecord[] {
  const key = ({ paper, name }: Pick<ReproductionRecord, "paper" | "name">) => `${paper} ${name}`;
  const latest = new Map([...before, ...now].map((entry) => [key(entry), entry]));
  return reproductions.flatMap((reproduction) => latest.get(key(reproduction)) ?? []);
}

/** JSON lines: an entry, then its claims, so that a difference can be read. */
export function recordText(entries: readonly ReproductionRecord[]): string {
  const lines = entries.flatMap(({ claims, ...entry }) => [entry, ...claims]);
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

/** What `recordText` wrote; null where it is something else. */
export function parseRecord(text: string): ReproductionRecord[] | null {
  const entries: (Omit<ReproductionRecord, "claims"> & { claims: PaperClaim[] })[] = [];
  try {
    for (const line of text.split("\n").filter((some) => some !== "")) {
      const read = JSON.parse(line);
      if ("effort" in read) entries.push({ ...read, claims: [] });
      else entries[entries.length - 1].claims.push(read);
    }
  } catch {
    return null;
  }
  return entries;
}
