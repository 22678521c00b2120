/**
 * docs/reproduction.md is what `sortition reproduce` says: written from the record beside its figures, which are all there; and
 * run again at the quick effort, everything has the same verdicts and values that agree.
 */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openPool } from "../src/campaign/campaign.ts";
import type { WorkerPool } from "../src/campaign/pool.ts";
import { reproductions } from "../src/reproduce/all.ts";
import { benchOn, Interrupted } from "../src/reproduce/bench.ts";
import type { Claim } from "../src/reproduce/claim.ts";
import { pageOf } from "../src/reproduce/page.ts";
import { merged, parseRecord, recordText } from "../src/reproduce/record.ts";
import { root } from "./cli/run.ts";

const folder = join(root, "docs/reproduction");
const record = join(folder, "claims.jsonl");
const entries = parseRecord(readFileSync(record, "utf8"))!;
const page = readFileSync(`${folder}.md`, "utf8");

describe("the page", () => {
  test("is written from the record, and the record has everything there is", () => {
    expect(page).toBe(pageOf(entries, "reproduction"));
    expect(readFileSync(record, "utf8")).toBe(recordText(entries));
    expect(entries.map(({ paper, name }) => [paper, name])).toEqual(
      reproductions.map(({ paper, name }) => [paper, name]),
    );
    expect(entries.filter(({ effort }) => effort !== "full")).toEqual([]);
  });

  test("names figures and data that exist and are small, and nothing else lies there", () => {
    const named = entries.flatMap(({ figures }) => figures.flatMap(({ name }) => [`${name}.csv`, `${name}.svg`]));
    for (const file of named) {
      expect(page).toContain(`(reproduction/${file})`);
      expect(existsSync(join(folder, file)), file).toBe(true);
      expect(statSync(join(folder, file)).size, file).toBeLessThan(150_000);
    }
    expect(readdirSync(folder).sort()).toEqual([...named, "claims.jsonl"].sort());
  });

  test("has links to pages and headings that exist", () => {
    const headings = [...page.matchAll(/^#+ (.+)$/gm)].map(([, title]) =>
      title
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\- ]/gu, "")
        .replaceAll(" ", "-"),
    );
    for (const [, target] of page.matchAll(/\]\(([^)]+)\)/g)) {
      if (target.startsWith("#")) expect(headings).toContain(target.slice(1));
      else expect(existsSync(join(root, "docs", target)), target).toBe(true);
    }
  });
});

describe("run again, quickly", () => {
  let pool: WorkerPool;
  beforeAll(async () => {
    pool = await openPool(2);
  });
  afterAll(() => pool.close());

  // The seeds are fixed, so that a verdict cannot change by chance.
  test.each(reproductions)("$paper $name has the verdicts and the values of the page", async ({ paper, name, run }) => {
    const { claims, figures, text } = await run(benchOn({ effort: "quick", pool }));
    expect(text.length).toBeGreaterThan(60);
    // A longer caption would widen the picture.
    for (const { caption } of figures) expect(caption.length).toBeLessThan(130);
    const entry = entries.find((one) => one.paper === paper && one.name === name)!;
    expect(claims.map(verdictOf)).toEqual(entry.claims.map(verdictOf));
    for (const [i, claim] of claims.entries()) expect(disagreement(claim, entry.claims[i])).toBeNull();
  });

  test("an interrupted bench stops at the next step or campaign", async () => {
    const bench = benchOn({ effort: "quick", pool, signal: AbortSignal.abort() });
    expect(() => bench.step("anything")).toThrow(Interrupted);
    await expect(bench.simulate({ protocol: "chang-roberts", n: 5 }, 10)).rejects.toThrow(Interrupted);
  });
});

const verdictOf = ({ section, statement, verdict }: Claim) => `${section}: ${statement}: ${verdict}`;

/** Extremes of more trials lie further out. */
const NEAR = 0.25;

/**
 * Quick trials are the first of the full ones, so their 95% intervals overlap but for an accident; half a width more makes
 * it one in ten thousand. Values without an interval are equal or near.
 */
function disagreement(quick: Claim, full: Claim): string | null {
  if (typeof quick.ours !== "number" || typeof full.ours !== "number") return null;
  const text = `${quick.section}: ${quick.ours} now, ${full.ours} on the page`;
  if (quick.interval === null || full.interval === null) {
    const same = Math.abs(quick.ours - full.ours) <= NEAR * Math.max(Math.abs(quick.ours), Math.abs(full.ours));
    return same ? null : text;
  }
  const slack = (quick.interval[1] - quick.interval[0]) / 2;
  const apart = Math.max(quick.interval[0], full.interval[0]) - Math.min(quick.interval[1], full.interval[1]);
  return apart <= slack ? null : text;
}

describe("the record", () => {
  test("keeps earlier entries, replaces those found again, and is in the order of the papers", () => {
    const [first, second] = entries;
    const again = { ...first, seconds: first.seconds + 1 };
    expect(merged([second, first], [again])).toEqual([again, second]);
  });
});
