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
    [["chang-roberts"], "--vary must be given once or twice, not 0 times: --vary n=100..10000:log:5"],
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
    [["chang-roberts", "--vary", "n=5,6", "--out", "x.json"], '--out must end in .csv, not "x.json"'],
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
