/** What the pages for users show has been run: by this test. */
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseFaultFile } from "../src/host/faults/fault-file.ts";
import { root, sortition, sortitionIn } from "./cli/run.ts";
import { effort } from "./support/effort.ts";

const run = promisify(execFile);
const pages = [
  "README.md",
  ...readdirSync(join(root, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
];

/** Fences are taken in pairs from the top, so that the end of one is not the start of the next. */
const blocks = (page: string, language: string): string[] =>
  [...readFileSync(join(root, page), "utf8").matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)]
    .filter(([, named]) => named === language)
    .map(([, , block]) => block);

/** The dearest commands do less in `npm test`: of an option that is given twice, the second counts. */
const LESS: ReadonlyMap<string, readonly string[]> = new Map([
  ["npx sortition explore anonymous-ring --n 3", ["--n", "2"]],
  ["npx sortition plan --n 5000 --loss 0.01 --crash 0.001 --success 0.999999", ["--n", "5"]],
  ["npx sortition plan --n 500 --loss 0.01 --crash 0.001", ["--n", "5"]],
  ["npx sortition plan --n 12 --loss 0.02 --reliable", ["--n", "2"]],
  ["npx sortition graph power-law:0.8:50 --n 500 --json", ["--n", "100"]],
  ["npx sortition simulate tournament-async --n 100 --trials 1000 --delay uniform:0..1", ["--trials", "100"]],
  [
    "npx sortition simulate tournament-async --n 100 --trials 1000 --delay uniform:0..1 --param reading=tables",
    ["--trials", "20"],
  ],
  ["npx sortition plan --n 1000 --council 4..8 --loss 0.05 --multicast", ["--n", "9"]],
  ["npx sortition plan --n 20 --success 0.99 --loss 0.01 --verify", ["--n", "2"]],
  ["npx sortition plan --n 50 --loss 0.1 --multicast", ["--n", "8"]],
  ["npx sortition plan --n 100 --loss 0.01 --within 300ms --tau 50", ["--n", "8"]],
  ["npx sortition plan --topology torus:8x8 --loss 0.0001 --success 0.99", ["--topology", "torus:3x3"]],
  ["npx sortition simulate network-size --n 1000 --topology regular:8 --trials 50", ["--trials", "10"]],
]);

/** What a search says every ten seconds, on a slow machine. */
const PROGRESS = /^.* configurations, case .* a second\n/gm;

describe("commands", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "sortition-docs-"));
    for (const name of ["docs", "examples"]) symlinkSync(join(root, name), join(folder, name));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const lines = pages.flatMap((page) =>
    blocks(page, "sh").flatMap((block) =>
      block
        .trim()
        .split("\n")
        .map((line) => [page, line] as const),
    ),
  );
  /** Where a page says what another one says, once is enough; what needs an earlier command's file comes after it on its page. */
  const commands = lines.filter(([, line], i) => lines.findIndex(([, other]) => other === line) === i);

  test("those that do less are on a page", () => {
    expect([...LESS.keys()].filter((line) => !lines.some(([, shown]) => shown === line))).toEqual([]);
  });

  test("there are some in the README and on each page of a command", () => {
    expect(new Set(lines.map(([page]) => page))).toContain("README.md");
    expect(lines.length).toBeGreaterThan(10);
  });

  test.each(commands)("%s: %s", async (_page, line) => {
    const [npx, name, ...args] = line.split(" ");
    expect([npx, name]).toEqual(["npx", "sortition"]);
    const { status, stdout, stderr } = await sortitionIn({ cwd: folder }, ...args, ...effort(LESS.get(line) ?? [], []));
    expect({ status, stderr: stderr.replace(PROGRESS, "") }).toEqual({ status: 0, stderr: "" });
    expect(stdout.length).toBeGreaterThan(0);
  });
});

test("npx finds the command in a clone", async () => {
  // As on a new machine, whose cache is empty. With scripts npm would build the clone again, under the feet of the other tests.
  const npm_config_cache = mkdtempSync(join(tmpdir(), "sortition-npx-"));
  const env = { ...process.env, npm_config_cache, npm_config_offline: "true", npm_config_ignore_scripts: "true" };
  const { stdout } = await run("npx", ["sortition", "--version"], { cwd: root, env });
  expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});

/** Output that a page shows, by how it begins, and the command that prints it with the same digits on every machine. */
const SHOWN: readonly (readonly [page: string, begins: string, line: string])[] = [
  ["docs/simulate.md", "chang-roberts: 100 trials", "simulate chang-roberts --n 1000"],
  ["docs/plan.md", "tournament, n = 5,000", "theory tournament --n 5000 --param J=9"],
  ["docs/simulate.md", "quorum-miss:", "rare quorum-miss --n 5000 --s 310"],
  ["docs/explore.md", "peterson, n = 4", "explore peterson --n 4 --max-messages 24"],
  ["docs/explore.md", "                    probability", "explore referees --n 3 --probabilities"],
  ["docs/explore.md", "✗ some-leader does not hold", "explore chang-roberts --n 3 --crashes 1"],
];
/** How long it took. */
const TIMES = /[\d.,]+ s, [\d.,]+ (configurations|messages) a second/;

test.each(SHOWN)("%s shows what is really printed: %s", async (page, begins, line) => {
  const { stdout } = await sortition(...line.split(" "));
  const plain = (text: string) =>
    text
      .trimEnd()
      .split("\n")
      .filter((some) => !TIMES.test(some))
      .join("\n");
  const shown = plain(blocks(page, "").find((block) => block.startsWith(begins))!);
  // A page may leave something out, and stop before the end.
  const parts = shown.split(/\n? *\.\.\.\n?/).filter((part) => part !== "");
  const found = parts.map((part) => plain(stdout).indexOf(part));
  expect(found.map((at, i) => (at < 0 ? parts[i] : ""))).toEqual(parts.map(() => ""));
  expect(found).toEqual(found.toSorted((one, other) => one - other));
});

test("the page's program runs", async () => {
  const [program] = blocks("docs/simulate.md", "js");
  const { stdout } = await run(process.execPath, ["--input-type=module", "-e", program], { cwd: root });
  expect(stdout).toMatch(/^100% with one leader, 8\d\d\d\.?\d* messages on average\n$/);
});

test("the fault file of the page is the one beside it, and is accepted", () => {
  const text = readFileSync(join(root, "docs/example-faults.json"), "utf8");
  expect(JSON.parse(blocks("docs/simulate.md", "json")[0])).toEqual(JSON.parse(text));
  expect(parseFaultFile(text, "docs/example-faults.json").pauses).toEqual([{ node: 2, from: 5, to: 15 }]);
});

test("links between pages lead somewhere", () => {
  const broken = pages.flatMap((page) =>
    [...readFileSync(join(root, page), "utf8").matchAll(/\]\((?!https?:)([^)#]+)\)/g)]
      .map(([, target]) => join(root, page, "..", target))
      .filter((path) => !existsSync(path)),
  );
  expect(broken).toEqual([]);
});

test("the page of a fail-over names functions that exist", () => {
  const page = readFileSync(join(root, "docs/how-it-works.md"), "utf8");
  const steps = [...page.matchAll(/`(src\/[\w/-]+\.ts)` `(\w+)`/g)].map(([, file, name]) => ({ file, name }));
  expect(steps).toHaveLength(19);
  const missing = steps.filter(
    ({ file, name }) =>
      !new RegExp(`(function|private|^ ) ?${name}\\(`, "m").test(readFileSync(join(root, file), "utf8")),
  );
  expect(missing).toEqual([]);
});
