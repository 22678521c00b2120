import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parquetReadObjects } from "hyparquet";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parseCsv, sixDigits } from "../../src/plot/csv.ts";
import { resolve } from "../../src/simulation/settings.ts";
import { runTrial } from "../../src/simulation/trial.ts";
import { ended, sortition, start } from "./run.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "sortition-reproduce-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

test("--list names papers and figures", async () => {
  const all = await sortition("reproduce", "--list");
  expect(all).toMatchObject({ status: 0, stderr: "" });
  for (const [paper, name] of [
    ["lecture", "impossibility"],
    ["ramanathan", "fig9"],
    ["kutten", "theorem3"],
  ]) {
    expect(all.stdout).toMatch(new RegExp(`^${paper} +${name} `, "m"));
  }
  expect(JSON.parse((await sortition("reproduce", "kutten", "--list", "--json")).stdout)[0]).toMatchObject({
    paper: "kutten",
    name: "theorem1",
  });
});

test.each([
  [["kuten"], 'unknown paper "kuten"; did you mean "kutten"?'],
  [["ramanathan", "fig99"], 'ramanathan has no "fig99" to reproduce; did you mean "fig9"?'],
])("%j is answered with the nearest name", async (names, answer) => {
  const { status, stderr } = await sortition("reproduce", ...names);
  expect([status, stderr]).toEqual([2, `sortition: ${answer}\n`]);
});

test("writes data, figures, a record and a page, which later runs add to", async () => {
  const out = join(folder, "deep", "out");
  const first = await sortition("reproduce", "ramanathan", "fig2", "--quick", "--out", out, "--json");
  expect(first).toMatchObject({ status: 0, stderr: "" });
  const found = JSON.parse(first.stdout);
  expect(found).toMatchObject({ effort: "quick", partial: false, counts: { holds: 2 } });
  expect(found.reproductions[0].claims[0]).toMatchObject({ section: "Fig. 2", verdict: "holds", interval: null });
  const second = await sortition(
    ..."reproduce lecture variable-time --quick --format png,pdf,json --width 500".split(" "),
    ...["--title", "By hand", "--out", out],
  );
  expect(second.status).toBe(0);
  expect(second.stdout).toMatch(/✓ holds: "Variable Time Algorithm"/);
  expect(readdirSync(out).sort()).toEqual([
    "claims.jsonl",
    "lecture-variable-time.csv",
    "lecture-variable-time.pdf",
    "lecture-variable-time.png",
    "lecture-variable-time.svg",
    "lecture-variable-time.vl.json",
    "ramanathan-fig2.csv",
    "ramanathan-fig2.svg",
  ]);
  const read = (ending: string) => readFileSync(join(out, `lecture-variable-time.${ending}`), "latin1");
  expect(read("svg")).toMatch(/^<svg[^>]* width="500".*>By hand</s);
  expect([read("png").slice(1, 4), read("pdf").slice(1, 4)]).toEqual(["PNG", "PDF"]);
  expect(JSON.parse(read("vl.json")).$schema).toContain("vega-lite");
  const page = readFileSync(`${out}.md`, "utf8");
  expect(page.indexOf("## Chakraborty")).toBeGreaterThan(0);
  expect(page.indexOf("## Ramanathan et al.")).toBeGreaterThan(page.indexOf("## Chakraborty"));
});

test("--archive: every trial of every campaign, an index, and a statement with the hashes", async () => {
  const out = join(folder, "archive");
  const { status, stderr } = await sortition(
    ..."reproduce lecture variable-time --quick --archive --json --out".split(" "),
    out,
  );
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  const [head, ...lines] = parseCsv(readFileSync(join(out, "rows.csv"), "utf8"));
  const index = lines.map((line) => Object.fromEntries(line.map((cell, i) => [head[i], cell])));
  expect(index.length).toBeGreaterThan(3);
  const data = parseCsv(readFileSync(join(out, "lecture-variable-time.csv"), "utf8"));
  // The rows are the trials of the request, and their means are what the figure shows.
  const means: number[] = [];
  for (const { file, protocol, n, seed, trials, request } of index) {
    const bytes = readFileSync(join(out, file));
    const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;
    const rows = await parquetReadObjects({ file: buffer });
    expect(rows).toHaveLength(Number(trials));
    expect([rows[0].protocol, String(rows[0].n), String(rows[0].seed)]).toEqual([protocol, n, seed]);
    const { messages } = runTrial(resolve(JSON.parse(request)), rows.length - 1);
    expect(Number(rows[rows.length - 1].messages)).toBe(messages);
    means.push(sixDigits(rows.reduce((sum, { rounds }) => sum + Number(rounds), 0) / rows.length));
  }
  for (const [, kind, , value] of data) if (kind === "measured") expect(means).toContain(Number(value));
  const { files, trials, seeds } = JSON.parse(readFileSync(join(out, "statement.json"), "utf8"));
  expect(trials).toBe(index.reduce((sum, line) => sum + Number(line.trials), 0));
  expect(seeds).toEqual([...new Set(index.map(({ seed }) => Number(seed)))].sort((a, b) => a - b));
  for (const { file, sha256 } of files) {
    expect(createHash("sha256").update(readFileSync(file)).digest("hex"), file).toBe(sha256);
  }
  expect(readFileSync(join(out, "statement.md"), "utf8")).toContain("| SHA-256 |");
});

test("a folder that cannot be used is refused before anything is run", async () => {
  const file = join(folder, "file");
  writeFileSync(file, "");
  const { status, stderr } = await sortition("reproduce", "--out", file);
  expect([status, stderr]).toEqual([
    2,
    `sortition: cannot use "${file}" as a folder: it is a file; choose another one with --out\n`,
  ]);
});

test("Ctrl-C ends it soon, keeps what is finished and says so", async () => {
  const out = join(folder, "interrupted");
  const child = start(["reproduce", "ramanathan", "accuracy", "--out", out]);
  // It listens for the signal in the very moment in which it has made its folder; the second look is for that moment.
  let seen = 0;
  const look = setInterval(() => {
    if (existsSync(out) && ++seen === 2) child.kill("SIGINT");
  }, 200);
  const { status, stdout } = await ended(child);
  clearInterval(look);
  expect(status).toBe(130);
  expect(stdout).toContain("interrupted: what was finished is kept");
  expect(readdirSync(out)).toEqual([]);
  expect(existsSync(`${out}.md`)).toBe(false);
});

test("--claim runs what judges one claim, prints it alone and writes nothing", async () => {
  const args = "reproduce raz --claim naive-p --quick".split(" ");
  const { status, stdout } = await sortition(...args, "--json");
  expect(status).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    effort: "quick",
    paper: "raz",
    item: "fig1",
    claim: { key: "naive-p", verdict: "holds", paper: "0.697365", severity: "number" },
  });
  expect(existsSync("reproduction")).toBe(false);
});

test.each([
  [["raz", "--claim", "naive-q"], 'raz has no claim "naive-q"; did you mean "naive-p"?'],
  [["raz", "--title", "All"], "--title is for one figure: name the paper and the figure"],
  [["raz", "fig1", "--format", "gif"], '--format has no "gif": choose from svg, png, pdf, json'],
])("%j is refused in one sentence", async (words, answer) => {
  const { status, stderr } = await sortition("reproduce", ...words);
  expect([status, stderr]).toEqual([2, `sortition: ${answer}\n`]);
});
