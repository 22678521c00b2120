/** The page on security names tests: each of them exists, and every kind of attacker has some. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "./cli/run.ts";

const read = (file: string): string => readFileSync(join(root, file), "utf8");
const page = read("docs/security.md");

/** A comment with the same words is no test. */
const TITLE = /\b(?:test|describe)(?:\.\w+)*(?:\((?:[^()]|\([^()]*\))*\))?\(\s*["`]([^"`]*)["`]/g;
const titlesIn = (text: string): string[] => [...text.matchAll(TITLE)].map(([, title]) => title);

test("each test that the threat model names is there", () => {
  const model = page.slice(page.indexOf("## Threat model"), page.indexOf("## What is promised"));
  const named = [...model.matchAll(/`([\w./-]+\.test\.ts)`: "([^"]+)"/g)].map(([, file, title]) => ({ file, title }));
  expect(named.filter(({ file, title }) => !titlesIn(read(file)).some((one) => one.includes(title)))).toEqual([]);
  const [, ...attackers] = model.split("\n### ");
  expect(attackers.map((part) => part.split("\n")[0])).toEqual([
    "A stranger on the network",
    "A local user",
    "A key holder",
    "A database user",
    "A page in a browser",
  ]);
  for (const part of attackers) expect(part).toMatch(/\.test\.ts`: "/);
  // No file is named without a test.
  expect(model.match(/\.test\.ts`/g)).toHaveLength(named.length + 1);
});
