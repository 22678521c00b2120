import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { quickest } from "../bench/measured.ts";
import { writePages } from "../bench/pages.ts";
import { Progress } from "../bench/progress.ts";
import { busyCores } from "../bench/quiet.ts";

test("the bench counts the cores that others use, at any priority and in the kernel", () => {
  const core = (user: number, nice: number, sys: number, idle: number) => ({
    times: { user, nice, sys, idle, irq: 0 },
  });
  const before = [core(100, 0, 50, 1000), core(100, 0, 50, 1000)];
  const after = [core(400, 500, 150, 1100), core(100, 0, 50, 2000)];
  expect(busyCores(before, after)).toBeCloseTo(0.9, 10);
  expect(busyCores(before, [core(100, 0, 50, 2000), core(100, 0, 50, 2000)])).toBe(0);
});

test("the bench writes the page and the figures that belong to the results it wrote", async () => {
  const root = join(import.meta.dirname, "..");
  const docs = mkdtempSync(join(tmpdir(), "sortition-bench-"));
  try {
    mkdirSync(join(docs, "figures"));
    const page = readFileSync(join(root, "docs/performance.md"), "utf8");
    writeFileSync(join(docs, "performance.md"), page.replace(/^\| chang-roberts .*$/gm, "| an older row |"));
    await writePages(JSON.parse(readFileSync(join(root, "bench/results.json"), "utf8")), docs);
    expect(readFileSync(join(docs, "performance.md"), "utf8")).toBe(page);
    const drawn = [...page.matchAll(/figures\/(performance-\w+\.svg)/g)].map(([, name]) => name);
    expect(readdirSync(join(docs, "figures")).sort()).toEqual(drawn.sort());
  } finally {
    rmSync(docs, { recursive: true });
  }
});

test("the quickest run is looked for until two agree", () => {
  const times = [5, 4, 3.99, 1];
  const left = [...times];
  const run = () => ({ messages: 1, seconds: left.shift()! });
  expect(quickest(2, run).seconds).toBe(4);
  left.splice(0, Infinity, ...times);
  expect(quickest(4, run).seconds).toBe(3.99);
  expect(left).toEqual([1]);
});

test("what is left of a run is what its parts took before, less what is over", () => {
  const progress = new Progress(["limits", "peers"], { limits: 2, peers: 3, threads: 9 });
  expect(progress.left).toBe("5 min left");
  progress.end();
  expect(progress.left).toBe("3 min left");
  progress.end();
  expect(progress.left).toBe("0 min left");
  expect(Object.keys(progress.took)).toEqual(["limits", "peers"]);
});
