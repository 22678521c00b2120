/** The texts and the code know the same keys. */
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { papers } from "./all.ts";
import { filled, parseTexts, textsOf } from "./texts.ts";

const here = (file: string) => readFileSync(new URL(file, import.meta.url), "utf8");
const sources = readdirSync(new URL(".", import.meta.url)).filter((file) => /(?<!\.test)\.ts$/.test(file));

describe.each([...papers.map(({ name }) => name), "page"])("texts/%s.txt", (paper) => {
  const keys = [...parseTexts(here(`./texts/${paper}.txt`)).keys()];
  const code = sources.filter((file) => file.startsWith(paper)).map((file) => here(`./${file}`));
  const calls = code.flatMap((text) => [
    ...text.matchAll(/\b(?:item|claim|worded|decimal|lineFigure|panelFigure|drawn|movesOf)\(\s*"([^"]+)"/g),
  ]);

  test("has every key that is asked for", () => {
    expect(calls.map(([, key]) => key).filter((key) => !keys.includes(key))).toEqual([]);
  });

  test("has no key that nobody asks for", () => {
    const quoted = new Set([paper, "agreement", ...code.flatMap((text) => text.match(/(?<=")[\w-]+(?=")/g) ?? [])]);
    expect(keys.filter((key) => !quoted.has(key))).toEqual([]);
  });
});

test("values are found by path and written as asked", () => {
  const values = { share: 0.1234, report: { rounds: [{ mean: 1234.5 }] }, many: [1, 2] };
  const text = ["share:3", "share:1%", "share:1e", "share:~", "report.rounds.0.mean:,", "many:1"];
  const written = text.map((one) => filled(`$\{${one}}`, values, "key"));
  expect(written).toEqual(["0.123", "12.3%", "1.2e-1", "0.1234", "1,235", "1.0, 2.0"]);
});

test("a key or a value that is missing is named", () => {
  expect(() => textsOf("raz").say("nothing", "note")).toThrow('texts/raz.txt has no "nothing"');
  expect(() => textsOf("raz").say("naive-c", "note")).toThrow('"naive-c" wants a value for "p"');
});
