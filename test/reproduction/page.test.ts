/** docs/reproduction.md is what `sortition reproduce` says: written from the record beside its figures, which are all there. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { paperPageOf } from "../../scripts/site/reproduction.ts";
import { openPool } from "../../src/campaign/campaign.ts";
import { papers, reproductions } from "../../src/reproduce/all.ts";
import { benchOn, Interrupted } from "../../src/reproduce/bench.ts";
import { pageOf } from "../../src/reproduce/page.ts";
import { merged, recordText } from "../../src/reproduce/record.ts";
import { parseTexts } from "../../src/reproduce/texts.ts";
import { claimsOf, errorsBehind, oursText } from "../../src/reproduce/words.ts";
import { root } from "../cli/run.ts";
import { entries, folder, record } from "./record.ts";

const page = readFileSync(`${folder}.md`, "utf8");
/** Pages that only the site has. */
const pages = papers.map(({ name }) => [name, paperPageOf(entries, name)] as const);

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
      expect(pages.some(([, text]) => text.includes(`(${file})`))).toBe(true);
      expect(existsSync(join(folder, file)), file).toBe(true);
      expect(statSync(join(folder, file)).size, file).toBeLessThan(150_000);
    }
    expect(readdirSync(folder).sort()).toEqual([...named, "claims.jsonl"].sort());
  });

  test("has a line for every claim, whose cells have at most 15 words", () => {
    const rows = page.split("\n").filter((line) => /^\| [✓◐✗○–] /.test(line));
    expect(rows).toHaveLength(claimsOf(entries).length);
    const cells = claimsOf(entries).flatMap((claim) => [claim.section, claim.paper, oursText(claim)]);
    expect(cells.filter((cell) => cell.split(/\s+/).length > 15)).toEqual([]);
  });

  test("has at most three sentences about every error, of at most 25 words each", () => {
    const wrong = papers.flatMap(({ name }) => {
      const mine = entries.filter(({ paper }) => paper === name);
      const words = parseTexts(readFileSync(join(root, `src/reproduce/texts/${name}.txt`), "utf8"));
      return errorsBehind(mine, ["does not hold", "holds after repair"]).flatMap(({ claim, more }) => {
        const briefs = [claim, ...more].flatMap(({ key }) => words.get(key.split("/")[0])?.get("brief") ?? []);
        const sentences = briefs.join(" ").split(/(?<=[.?!]) /);
        const isShort = sentences.length <= 3 && sentences.every((sentence) => sentence.split(" ").length <= 25);
        return briefs.length === 1 && isShort ? [] : [`${name} ${claim.key}: ${briefs.join(" ")}`];
      });
    });
    expect(wrong).toEqual([]);
  });

  test("has links that lead somewhere, as the pages of the site have", () => {
    for (const [from, text] of [[`${folder}.md`, page], ...pages.map(([name, text]) => [join(folder, name), text])]) {
      for (const [, target] of text.matchAll(/\]\(([^)#]+)[^)]*\)/g)) {
        expect(existsSync(join(from, "..", target)), `${from}: ${target}`).toBe(true);
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
