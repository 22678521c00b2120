/** docs/reproduction.md is what `sortition reproduce` says: written from the record beside its figures, which are all there. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openPool } from "../../src/campaign/campaign.ts";
import { papers, reproductions } from "../../src/reproduce/all.ts";
import { benchOn, Interrupted } from "../../src/reproduce/bench.ts";
import { pageOf, paperPageOf } from "../../src/reproduce/page.ts";
import { merged, recordText } from "../../src/reproduce/record.ts";
import { parseTexts } from "../../src/reproduce/texts.ts";
import { root } from "../cli/run.ts";
import { entries, folder, record } from "./record.ts";

const page = readFileSync(`${folder}.md`, "utf8");
const pages = papers.map(({ name }) => [name, readFileSync(join(folder, `${name}.md`), "utf8")] as const);

describe("the page", () => {
  test("is written from the record, and the record has everything there is", () => {
    expect(page).toBe(pageOf(entries, "reproduction"));
    for (const [name, text] of pages) expect(text).toBe(paperPageOf(entries, name));
    expect(readFileSync(record, "utf8")).toBe(recordText(entries));
    expect(entries.map(({ paper, name }) => [paper, name])).toEqual(
      reproductions.map(({ paper, name }) => [paper, name]),
    );
    expect(entries.filter(({ effort }) => effort !== "full")).toEqual([]);
  });

  test("names figures and data that exist and are small, and nothing else lies there", () => {
    const named = entries.flatMap(({ figures }) => figures.flatMap(({ name }) => [`${name}.csv`, `${name}.svg`]));
    for (const file of named) {
      expect(pages.some(([, text]) => text.includes(`(${file})`))).toBe(true);
      expect(existsSync(join(folder, file)), file).toBe(true);
      expect(statSync(join(folder, file)).size, file).toBeLessThan(150_000);
    }
    expect(readdirSync(folder).sort()).toEqual(
      [...named, "claims.jsonl", ...pages.map(([name]) => `${name}.md`)].sort(),
    );
  });

  test("has links to pages and claims that exist", () => {
    const texts = new Map([["../reproduction", page], ...pages]);
    for (const [name, text] of texts) {
      for (const [, target] of text.matchAll(/\]\(([^)]+)\)/g)) {
        const [file, anchor] = target.split("#");
        const from = join(folder, name === "../reproduction" ? ".." : "");
        expect(existsSync(join(from, file)), `${name}: ${target}`).toBe(true);
        if (anchor !== undefined) expect(readFileSync(join(from, file), "utf8")).toContain(`<a id="${anchor}">`);
      }
    }
  });

  test("has the sentence of the text for every claim, and no words that nothing asks for", () => {
    const claims = entries.flatMap((entry) => entry.claims.map((claim) => ({ ...claim, of: entry.paper })));
    expect(claims.filter(({ kind, says }) => kind === "claim" && says === "").map(({ key }) => key)).toEqual([]);
    for (const [name] of pages) {
      const mine = entries.filter(({ paper }) => paper === name);
      const used = new Set([
        name,
        ...mine.flatMap((entry) => [entry.name, ...entry.figures.map((figure) => figure.name)]),
        ...claims.filter(({ of }) => of === name).map(({ key }) => key.split("/")[0]),
      ]);
      const words = readFileSync(join(root, `src/reproduce/texts/${name}.txt`), "utf8");
      expect([...parseTexts(words).keys()].filter((key) => !used.has(key))).toEqual([]);
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
  await expect(bench.runs({ one: [{ protocol: "chang-roberts", n: 5 }, 10] })).rejects.toThrow(Interrupted);
  await pool.close();
});
