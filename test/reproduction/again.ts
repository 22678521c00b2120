/** Run again at the quick effort, everything of a paper has the verdicts of the page and values that agree with it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openPool } from "../../src/campaign/campaign.ts";
import type { CampaignCrew } from "../../src/campaign/ledger.ts";
import { parseCsv } from "../../src/plot/csv.ts";
import { papers } from "../../src/reproduce/all.ts";
import { benchOn } from "../../src/reproduce/bench.ts";
import type { PaperClaim, Reproduction } from "../../src/reproduce/claim.ts";
import { isLong } from "../support/effort.ts";
import { entries, folder } from "./record.ts";

/** A file for each paper, and a thread for each file: so they fill the cores that there are. */
export function runAgain(paper: Reproduction["paper"]): void {
  let pool: CampaignCrew;
  beforeAll(async () => {
    pool = await openPool(1);
  });
  afterAll(() => pool.close());

  const { reproductions } = papers.find(({ name }) => name === paper)!;
  // The seeds are fixed, so that a verdict cannot change by chance.
  test.each(reproductions.filter(({ name }) => isLong || !DEAR[paper].includes(name)))(
    "$paper $name has the verdicts and the values of the page",
    async ({ name, run }) => {
      const { claims, figures, text } = await run(benchOn({ effort: "quick", pool }));
      expect(text.length).toBeGreaterThan(60);
      // A longer caption would widen the picture.
      for (const { caption } of figures) expect(caption.length).toBeLessThan(130);
      const entry = entries.find((one) => one.paper === paper && one.name === name)!;
      // Fewer runs may leave open what more of them have decided.
      const decided = claims.map((claim, i) => (claim.verdict === "open" ? entry.claims[i] : claim));
      expect(claims.map(({ key }) => key)).toEqual(entry.claims.map(({ key }) => key));
      expect(decided.map(verdictOf)).toEqual(entry.claims.map(verdictOf));
      for (const [i, claim] of claims.entries()) expect(disagreement(claim, entry.claims[i])).toBeNull();
      for (const { name: figure, csv } of figures) expect(otherCurves(figure, csv)).toEqual([]);
    },
  );
}

/** Curves that are computed and not measured: what is at an x of both efforts is in the data beside the figure. */
function otherCurves(figure: string, csv: string): string[] {
  const computed = (text: string) => {
    const [header, ...lines] = parseCsv(text);
    const kind = header.indexOf("kind");
    const curves = lines.filter((line) => kind >= 0 && line[kind] !== "measured");
    return new Map(curves.map((line) => [line.slice(0, kind + 2).join(", "), line[kind + 2]]));
  };
  const kept = computed(readFileSync(join(folder, `${figure}.csv`), "utf8"));
  return [...computed(csv)].flatMap(([place, value]) => {
    const before = kept.get(place);
    return before === undefined || before === value ? [] : [`${figure}, ${place}: ${value} now, ${before} on the page`];
  });
}

/** They take most of the time of all: what they explore and compute is tested for itself in every run. */
const DEAR: Readonly<Record<Reproduction["paper"], readonly string[]>> = {
  lecture: ["requirements", "impossibility", "n-log-n"],
  ramanathan: ["lemma1", "theorems1to5", "theorems6to9", "table5", "figs3to5", "section6", "fig9", "accuracy"],
  kutten: ["theorem1", "corollary1", "theorem2", "theorem3"],
  gupta: ["fig2", "fig3", "fig4", "theorems", "steps"],
  raz: ["fig6", "fig10", "fig14", "fig17", "loss", "continuous"],
};

const verdictOf = ({ key, says, verdict }: PaperClaim) => `${key}: ${says}: ${verdict}`;

/** Extremes of more trials lie further out. */
const NEAR = 0.25;
/** The least of all trials: more of them can only make it less. */
const LEAST: readonly string[] = ["more-than-one"];

/**
 * Quick trials are the first of the full ones, so their 95% intervals overlap but for an accident; half a width more makes
 * it one in ten thousand. Values without an interval are equal or near.
 */
function disagreement(quick: PaperClaim, full: PaperClaim): string | null {
  if (typeof quick.ours !== "number" || typeof full.ours !== "number") return null;
  const text = `${quick.section}: ${quick.ours} now, ${full.ours} on the page`;
  if (LEAST.includes(quick.key)) return quick.ours >= full.ours ? null : text;
  if (quick.interval === null || full.interval === null) {
    const same = Math.abs(quick.ours - full.ours) <= NEAR * Math.max(Math.abs(quick.ours), Math.abs(full.ours));
    return same ? null : text;
  }
  const slack = (quick.interval[1] - quick.interval[0]) / 2;
  const apart = Math.max(quick.interval[0], full.interval[0]) - Math.min(quick.interval[1], full.interval[1]);
  return apart <= slack ? null : text;
}
