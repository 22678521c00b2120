/** Every transcript is what the group does today. `npm run scenarios` writes them anew: read the difference before you commit it. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import { catalogue } from "../../src/protocols/catalogue.ts";
import { play } from "./runner.ts";

const folder = import.meta.dirname;
const files = readdirSync(folder).filter((name) => name.endsWith(".txt"));
const transcript = (name: string) => readFileSync(join(folder, name), "utf8");

test.each(files)("%s", (name) => {
  const written = transcript(name);
  const played = play(written);
  if (process.env.SCENARIOS === "write") writeFileSync(join(folder, name), played);
  else expect(played).toBe(written);
});

test("every ring protocol has a few", () => {
  const texts = files.map(transcript).join("\n");
  for (const { name, assumes } of catalogue) {
    if (assumes.topology === "ring") expect(texts).toContain(`\nnetwork ${name} `);
  }
});

test("what the page shows is what the files say", () => {
  const page = readFileSync(join(folder, "../../docs/scenarios.md"), "utf8");
  const shown = [...page.matchAll(/`(\S+\.txt)`[^`]*```text\n([\s\S]*?)```/g)];
  expect(shown.length).toBeGreaterThanOrEqual(3);
  for (const [, name, block] of shown) expect(transcript(basename(name))).toContain(block);
});

describe("mistakes in a transcript", () => {
  test.each([
    ["start\n----\n", "comes before any network"],
    ["network chang-roberts ids=1,2\n----\n\ndeliver 0->1\n----\n", "«deliver 0->1» cannot happen now"],
    ["network chang-roberts ids=1,2\n----\n\nlaunch\n----\n", "no scenario knows «launch»"],
    ["network itai-rodeh n=2\n----\n\nstart 0\n----\n", "a node draws here, one of 0,1"],
    ["network chang-roberts ids=1,2\n----\n\nstart 0 with 1\n----\n", "nobody drew 1"],
    ["network chang-roberts ids=1,2\n----\n\nstart\n", "«start» has no line ----"],
  ])("%j", (text, complaint) => {
    expect(() => play(text)).toThrow(complaint);
  });
});
