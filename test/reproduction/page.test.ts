/** docs/reproduction.md is what `sortition reproduce` says: written from the record beside its figures, which are all there. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openPool } from "../../src/campaign/campaign.ts";
import { reproductions } from "../../src/reproduce/all.ts";
import { benchOn, Interrupted } from "../../src/reproduce/bench.ts";
import { pageOf } from "../../src/reproduce/page.ts";
import { merged, recordText } from "../../src/reproduce/record.ts";
import { root } from "../cli/run.ts";
import { entries, folder, record } from "./record.ts";

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

describe("the record", () => {
  test("keeps earlier entries, replaces those found again, and is in the order of the papers", () => {
    const [first, second] = entries;
    const again = { ...first, seconds: first.seconds + 1 };
    expect(merged([second, first], [again])).toEqual([again, second]);
  });
});

test("an interrupted bench stops at the next step or campaign", async () => {
  const pool = await openPool(1);
  const bench = benchOn({ effort: "quick", pool, signal: AbortSignal.abort() });
  expect(() => bench.step("anything")).toThrow(Interrupted);
  await expect(bench.simulate({ protocol: "chang-roberts", n: 5 }, 10)).rejects.toThrow(Interrupted);
  await pool.close();
});
