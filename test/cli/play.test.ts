/** `play` as a teacher runs it: a scenario is told, drawn, and its mistakes are found by their line. */
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root, sortition } from "./run.ts";

const folder = mkdtempSync(join(tmpdir(), "sortition-play-"));
const shipped = join(root, "examples/scenarios");

test("a scenario that is shipped prints as it is, and is drawn with the paper's names", async () => {
  const file = join(shipped, "ramanathan-fig7.txt");
  const svg = join(folder, "fig7.svg");
  const { status, stdout } = await sortition("play", file, "--svg", svg, "--group", "2", "--theme", "print");
  expect(status).toBe(0);
  expect(stdout.trimEnd()).toBe(readFileSync(file, "utf8").trimEnd());
  const drawn = readFileSync(svg, "utf8");
  for (const text of [">M2<", ">C1<", "refuses C3", "quorum, n = 5: nobody is elected"]) expect(drawn).toContain(text);
});

test("a mistake is named with its line, and nothing is drawn", async () => {
  const file = join(folder, "mine.txt");
  writeFileSync(file, "network chang-roberts ids=3,1,2\nstart\ndeliver 2->1\n");
  const { status, stderr } = await sortition("play", file, "--svg", join(folder, "mine.svg"));
  expect(status).toBe(2);
  expect(stderr).toContain(`${file}, line 3: "deliver 2->1" cannot happen now`);
  expect(readdirSync(folder)).not.toContain("mine.svg");
});
