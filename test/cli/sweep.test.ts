import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, watch, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { ended, sortition, start } from "./run.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "sortition-sweep-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const sweep = (...args: string[]) => sortition("sweep", ...args);

test("a table, a CSV file and a figure, with theory and differences", async () => {
  const [out, svg] = [join(folder, "points.csv"), join(folder, "points.svg")];
  const args = ["chang-roberts,peterson", "--vary", "n=10..40:log:3", "--trials", "20", "--out", out, "--svg", svg];
  const { status, stdout, stderr } = await sweep(...args, "--log", "xy");
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(stdout).toMatch(/^protocol +n +trials +success +messages +95% interval +theory +difference to the first/);
  expect(stdout.match(/^(chang-roberts|peterson) +(10|20|40) +20 +100%/gm)).toHaveLength(6);

  expect(stdout).toContain("\nkernel chang-roberts (3 points); none (3 points)\n");

  const lines = readFileSync(out, "utf8").trimEnd().split("\n");
  expect(lines).toHaveLength(7);
  expect(lines[0]).toMatch(/^protocol,n,trials,none,one,many,success,success.low,success.high,messages,messages.low,/);
  const figure = readFileSync(svg, "utf8");
  for (const text of ["n (processes)", "messages per election", "chang-roberts", "theory"]) {
    expect(figure).toContain(`>${text}</text>`);
  }
  expect(figure).toContain("seed 1, 20 trials a point");

  const again = await sweep(...args);
  expect(again.stdout).toContain("6 points from");
  const more = await sweep(...args.with(2, "n=10,20,40,80"), "--json");
  expect(more.status).toBe(0);
  expect(readFileSync(out, "utf8").trimEnd().split("\n").slice(0, 7)).toEqual(lines);
});

test("--json, a second parameter, a measure, words along the axis", async () => {
  const { status, stdout } = await sweep(
    ...["chang-roberts", "--n", "20", "--initiators", "5", "--vary", "passive=relay,join", "--vary", "loss=0,0.1"],
    ...["--trials", "10", "--y", "measures.announcements", "--json", "--figure", join(folder, "words.pdf")],
  );
  expect(status).toBe(0);
  const found = JSON.parse(stdout);
  expect(Object.keys(found).join(" ")).toBe("version protocols vary y seed trials precision partial confidence points");
  expect(found.points.map(({ labels }: { labels: object }) => labels)).toEqual([
    { protocol: "chang-roberts", passive: "relay", loss: 0 },
    { protocol: "chang-roberts", passive: "relay", loss: 0.1 },
    { protocol: "chang-roberts", passive: "join", loss: 0 },
    { protocol: "chang-roberts", passive: "join", loss: 0.1 },
  ]);
  expect(found.points.map(({ kernel }: { kernel: string }) => kernel)).toEqual(Array(4).fill("chang-roberts"));
  expect(found.points[1].differences["measures.announcements"].mean).toBeLessThan(0);
  expect(readFileSync(join(folder, "words.pdf"), "latin1")).toMatch(/^%PDF-/);
});

test("--compare: p-values, Holm's correction, equivalence and a verdict for each", async () => {
  const args = ["chang-roberts,peterson", "--vary", "n=12,24", "--vary", "loss=0,0.001", "--trials", "60"];
  const tests = ["--compare", "protocol", "--margin", "10%"];
  const { status, stdout, stderr } = await sweep(...args, ...tests, "--json");
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  const { comparisons, margin, alpha, points } = JSON.parse(stdout);
  expect({ margin, alpha }).toEqual({ margin: 0.1, alpha: 0.05 });
  // Protocols at the same n and loss, and nothing else.
  expect(comparisons.map(({ labels, with: first }: { labels: object; with: object }) => [labels, first])).toEqual(
    [12, 24].flatMap((n) =>
      [0, 0.001].map((loss) => [
        { protocol: "peterson", n, loss },
        { protocol: "chang-roberts", n, loss },
      ]),
    ),
  );
  for (const { p, pHolm, equivalence, verdict } of comparisons) {
    expect(pHolm).toBeGreaterThanOrEqual(p);
    expect(equivalence).toBeGreaterThan(0.5);
    expect(verdict).toBe("different");
  }
  expect(points[2].differences.messages.p).toBe(comparisons[0].p);
  const text = await sweep(...args, ...tests);
  expect(text.stdout).toMatch(
    /^compared +with +difference +95% interval +p +p \(Holm\) +p, 10% margin +p \(Holm\) +verdict/m,
  );
  expect(text.stdout).toContain("Holm's correction over 4 comparisons: the chance that any of them");
  // Nothing differs where nothing is lost: equivalent, and not different.
  const same = await sweep(
    "chang-roberts",
    "--n",
    "12",
    "--vary",
    "loss=0,0.0000001",
    ...tests.with(1, "loss"),
    "--json",
  );
  expect(JSON.parse(same.stdout).comparisons).toMatchObject([{ p: 1, verdict: "equivalent" }]);
});

const STUDY = `
protocols: [chang-roberts, peterson]
vary:
  n: 8..16:log:2
  loss: [0, 0.01]
  initiators: [50%, 100%]
params: { passive: relay }
trials: 5
compare: protocol
`;

test("a file with three variables: rows of all trials, --resume, and a statement whose hashes are those of the files", async () => {
  const [study, out] = [join(folder, "study.yaml"), join(folder, "study.csv")];
  const [rows, statement] = [join(folder, "rows"), join(folder, "study.json")];
  // A parameter is for all protocols.
  writeFileSync(study, STUDY.replace(", peterson", ""));
  expect((await sweep("--file", study)).stderr).toContain("--compare has nothing to compare");
  writeFileSync(study, STUDY.replace(/^params.*$/m, ""));
  const args = ["--file", study, "--seed", "3", "--out", out, "--rows", rows, "--statement", statement];
  const { status, stdout, stderr } = await sweep(...args, "--json");
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  const found = JSON.parse(stdout);
  expect(found).toMatchObject({ seed: 3, trials: 5, vary: [{ name: "n" }, { name: "loss" }, { name: "initiators" }] });
  expect(found.points).toHaveLength(16);
  expect(found.comparisons).toHaveLength(8);

  const keys = found.points.map(({ key }: { key: string }) => key);
  expect(readdirSync(rows).sort()).toEqual(keys.map((key: string) => `${key}.parquet`).sort());
  const trials = await rowsIn(join(rows, `${keys[5]}.parquet`));
  expect(
    trials.map(({ protocol, n, loss, initiators, trial }) => [protocol, Number(n), loss, initiators, Number(trial)]),
  ).toEqual(Array.from({ length: 5 }, (_, trial) => ["peterson", 8, 0, "100%", trial]));
  const mean = trials.reduce((sum, { messages }) => sum + Number(messages), 0) / 5;
  expect(mean).toBeCloseTo(found.points[5].values.messages.mean, 12);

  const stated = JSON.parse(readFileSync(statement, "utf8"));
  expect(stated).toMatchObject({ sortition: { version: found.version }, seeds: [3], trials: 80, partial: false });
  expect(stated.files).toHaveLength(18);
  for (const { file, bytes, sha256 } of stated.files) {
    const data = readFileSync(file);
    expect([data.length, createHash("sha256").update(data).digest("hex")]).toEqual([bytes, sha256]);
  }

  // One point less in the rows: it alone is run again, with the same numbers.
  rmSync(join(rows, `${keys[5]}.parquet`));
  const before = readFileSync(out, "utf8");
  const again = await sweep(...args, "--resume");
  expect(again.stdout).toContain("15 points from");
  expect(readFileSync(out, "utf8")).toBe(before);
  expect(JSON.parse(readFileSync(statement, "utf8"))).toMatchObject({ results: stated.results, files: stated.files });
});

async function rowsIn(file: string) {
  const { parquetReadObjects } = await import("hyparquet");
  const bytes = readFileSync(file);
  return parquetReadObjects({
    file: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer,
  });
}

test("the points as Parquet are those of the CSV file", async () => {
  const [csv, parquet] = [join(folder, "same.csv"), join(folder, "same.parquet")];
  const args = ["peterson,franklin", "--vary", "n=8,9", "--trials", "5", "--compare"];
  for (const out of [csv, parquet]) expect((await sweep(...args, "--out", out)).status).toBe(0);
  const [head, ...lines] = readFileSync(csv, "utf8").trimEnd().split("\n");
  const rows = await rowsIn(parquet);
  expect(Object.keys(rows[0]).join(",")).toBe(head);
  expect(rows.map((row) => Object.values(row).join(","))).toEqual(lines);
  expect((await sweep(...args, "--out", parquet)).stderr).toContain("add --force to overwrite it");
});

test.each([
  ["trails: 5", 'sweep has no option "trails"; did you mean "trials"?'],
  ["trials: -1", "--trials must be a whole number from 1"],
  ["vary: [n]", 'vary must have names and values, such as "n: [10, 20]"'],
  ["json: 7", "json must be true or false, not 7"],
  ["log: z", 'log must be one of x, y, xy, none, not "z"'],
  ["a: [", "is not YAML"],
  ["- 1", 'must have names and values, such as "trials: 200"'],
])("a file with %s is refused in one line", async (line, message) => {
  const study = join(folder, "wrong.yaml");
  writeFileSync(study, `${line}\n`);
  const { status, stderr } = await sweep("chang-roberts", "--file", study);
  expect({ status, lines: stderr.split("\n").length }).toEqual({ status: 2, lines: 2 });
  expect(stderr).toContain(message);
});

test("Ctrl-C keeps the finished points, and the same command goes on from them", async () => {
  const out = join(folder, "cut.csv");
  const args = ["chang-roberts", "--vary", "n=10,1e5", "--trials", "300", "--out", out, "--json"];
  const written = new Promise<void>((resolve) => {
    const watcher = watch(folder, () => {
      if (!existsSync(out)) return;
      watcher.close();
      resolve();
    });
  });
  const child = start(["sweep", ...args]);
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  const end = ended(child);
  await Promise.race([written, end]);
  child.kill("SIGINT");
  const { status, stdout, stderr } = await end;
  expect({ status, stderr }).toEqual({ status: 130, stderr: "" });
  expect(JSON.parse(stdout)).toMatchObject({ partial: true, points: [{ labels: { n: 10 }, trials: 300 }] });
  const lines = readFileSync(out, "utf8");
  expect(lines.trimEnd().split("\n")).toHaveLength(2);
  const rest = await sweep(...args.with(2, "n=10,20"));
  expect(JSON.parse(rest.stdout).points).toHaveLength(2);
  expect(readFileSync(out, "utf8").startsWith(lines)).toBe(true);
});

describe("what cannot work: one line, status 2, nothing left behind", () => {
  test.each([
    [["chang-roberts"], "nothing varies: give --vary n=100..10000:log:5, or a --file"],
    [["chang-roberts", "--vary", "n"], "--vary must be NAME=FROM..TO:COUNT, NAME=FROM..TO:log:COUNT or NAME=A,B,C"],
    [["chang-roberts", "--vary", "n=1..10"], "--vary must be NAME=FROM..TO:COUNT"],
    [["chang-roberts", "--vary", "los=0,1"], 'cannot vary "los"; did you mean "loss"?'],
    [["chang-roberts", "--vary", "n=0..10:log:3"], "a logarithmic range must be above 0"],
    [["chang-roberts", "--vary", "loss=0..2:3"], "--loss must be a probability from 0 to 1, not 2"],
    [["chang-roberts", "--vary", "n=100,1e2"], "100 is given twice"],
    [["chang-roberts", "--vary", "n=5,6", "--n", "7"], "n is varied and given as well"],
    [["chang-roberts,chang-roberts", "--vary", "n=5,6"], "a protocol is named twice"],
    [["chang-roberts,petersn", "--vary", "n=5,6"], 'unknown protocol "petersn"; did you mean "peterson"?'],
    [["chang-roberts", "--vary", "n=5,6", "--y", "anouncements"], 'did you mean "measures.announcements"?'],
    [["chang-roberts", "--vary", "n=5,6", "--y", "message"], '--y cannot be "message"; did you mean "messages"?'],
    [["chang-roberts", "--vary", "n=5,6", "--y", "measures.x"], "measures.announcements"],
    [["chang-roberts", "--vary", "n=5,6", "--out", "x.json"], '--out must end in .csv or .parquet, not "x.json"'],
    [["chang-roberts", "--vary", "n=5,6", "--margin", "5%"], "--margin is for --compare"],
    [["chang-roberts", "--vary", "n=5,6", "--compare"], "--compare has nothing to compare: name two protocols"],
    [["chang-roberts", "--vary", "n=5,6", "--compare", "n"], "--compare n: its values differ in everything"],
    [["chang-roberts", "--vary", "loss=0,0.1", "--compare", "los"], '--compare cannot be "los"; did you mean "loss"?'],
    [
      ["chang-roberts", "--vary", "loss=0,0.1", "--compare", "--precision", "1%"],
      "--compare does not go with --precision",
    ],
    [["chang-roberts", "--vary", "n=5,6", "--resume"], "--resume goes on from the points of an earlier run"],
    [["chang-roberts", "--vary", "n=5,6", "--statement", "x.txt"], "--statement must end in .md or .json"],
    [["chang-roberts", "--vary", "n=5,6", "--vary", "n=7"], "--vary n is given twice"],
    [["chang-roberts", "--vary", "loss=0,0.1", "--log", "xy"], "loss 0 has no place on a logarithmic axis"],
    [
      ["chang-roberts", "--vary", "n=5,6", "--precision", "5"],
      "--precision must be between 0 and 1, such as 1%, not 5",
    ],
  ])("%j", async (args, message) => {
    const { status, stdout, stderr } = await sweep(...args);
    expect({ status, stdout, lines: stderr.split("\n").length }).toEqual({ status: 2, stdout: "", lines: 2 });
    expect(stderr).toContain(message);
  });

  test("a file that is somebody else's is left alone", async () => {
    const out = join(folder, "other.csv");
    writeFileSync(out, "a,b\n1,2\n");
    const args = ["chang-roberts", "--vary", "n=5,6", "--trials", "3", "--out", out];
    expect((await sweep(...args)).stderr).toContain("was not written by sweep");
    expect(readFileSync(out, "utf8")).toBe("a,b\n1,2\n");
    rmSync(out);
    expect((await sweep(...args)).status).toBe(0);
    const before = readdirSync(folder);
    expect((await sweep(...args, "--seed", "2")).stderr).toContain("holds 2 points of another sweep");
    expect(readdirSync(folder)).toEqual(before);
  });
});
