/** Every log line that docs/operations.md quotes is a line that the program can write: its sentence, its level and its reason. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";
import { EVENTS } from "../../src/events/table.ts";
import { root } from "../cli/run.ts";

const page = readFileSync(join(root, "docs/operations.md"), "utf8");
const quotes = [...page.matchAll(/^```log\n([\s\S]*?)^```$/gm)].flatMap(([, block]) => block.trim().split("\n"));

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
const pattern = (fixed: readonly string[]): RegExp => new RegExp(`^${fixed.map(escaped).join("(.+)")}$`);

/** Texts of the source, with what stands for a value left open. Short ones would match anything. */
function textsIn(file: string): RegExp[] {
  const found: RegExp[] = [];
  const keep = (fixed: readonly string[]) => {
    if (fixed.join("").length >= 10) found.push(pattern(fixed));
  };
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node)) keep([node.text]);
    if (ts.isTemplateExpression(node)) keep([node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)]);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, readFileSync(join(root, file), "utf8"), ts.ScriptTarget.Latest));
  return found;
}

const source = globSync("src/{elector,live,protocols/{lease,membership}}/**/*.ts", { cwd: root })
  .filter((file) => !file.endsWith(".test.ts"))
  .flatMap(textsIn);

const OPEN = "\u0000";
/** A sentence of the table: every field is left open; the reason is checked on its own. */
const sentences = Object.values(EVENTS).map(({ sentence, level }) => {
  const field = (_: object, name: string) =>
    name === "engine" ? "silent" : name === "why" ? `${OPEN}why${OPEN}` : OPEN;
  const said = (sentence as (fields: object) => string)(new Proxy({}, { get: (it, name) => field(it, String(name)) }));
  const words = escaped(said).replaceAll(`${OPEN}why${OPEN}`, "(?<why>.+)").replaceAll(OPEN, ".+");
  return { level: typeof level === "string" ? level : "warn", words: new RegExp(`^(leader: )?${words}$`) };
});

function canBeWritten(quote: string): boolean {
  const [, level, line] = /^(\w+) (.*)$/.exec(quote)!;
  return sentences.some((each) => {
    const found = each.level === level ? each.words.exec(line) : null;
    return found !== null && (found.groups?.why === undefined || source.some((text) => text.test(found.groups!.why)));
  });
}

test("log lines of the runbook are those of the program", () => {
  expect(quotes.length).toBeGreaterThan(12);
  expect(quotes.filter((quote) => !canBeWritten(quote))).toEqual([]);
});

test("a line that differs by a word, a reason or a level is found", () => {
  // Names and reasons are open in some texts, so not every word of a line counts.
  const misquotes = (quote: string) => quote.match(/[a-z]{4,}/g)!.map((word) => quote.replaceAll(word, "whatever"));
  expect(quotes.filter((quote) => misquotes(quote).every(canBeWritten))).toEqual([]);
  expect(canBeWritten("warn leader: the lease of this member is over: somebody else was faster")).toBe(false);
  expect(canBeWritten("info leader: the lease of this member is over: no renewal was confirmed in time")).toBe(false);
});
