/** What `npm run fuzz` does for hours, for a moment: changes of examples, from a fixed seed; and the fuzzer itself, on a planted fault. */
import { describe, expect, test } from "vitest";
import { effort } from "../support/effort.ts";
import { instrumented, noCoverage } from "./instrument.ts";
import { fuzz, type Target } from "./loop.ts";
import { target as config } from "./targets/config.ts";
import { target as flight } from "./targets/flight.ts";
import { target as http } from "./targets/http.ts";
import { target as messages } from "./targets/messages.ts";
import { target as rows } from "./targets/rows.ts";
import { target as state } from "./targets/state.ts";
import { target as wire } from "./targets/wire.ts";

const shown = ({ findings }: Awaited<ReturnType<typeof fuzz>>) =>
  findings.map(({ input, error }) => `${Buffer.from(input).toString("hex")}: ${error}`);

test.each<[string, Target, number]>([
  ["wire", wire, 3000],
  ["rows", rows, 1000],
  ["state", state, 1000],
  ["config", config, 60],
  ["http", http, 80],
  ["messages", messages, 200],
  ["flight", flight, 40],
])("%s: refused in words, or read", async (_, target, runs) => {
  const fuzzed = await fuzz(target, { runs: effort(runs, 50 * runs), seed: 36, coverage: null });
  target.close?.();
  expect(shown(fuzzed)).toEqual([]);
});

describe("the fuzzer", () => {
  /** Fails for one sequence of bytes, byte by byte: without coverage it takes 256^3 draws. */
  const WANTED = [70, 85, 90];
  const source = `for (const [i, byte] of ${JSON.stringify(WANTED)}.entries()) if (input[i] !== byte) return; throw new Error("found");`;

  function planted(coverage: ReturnType<typeof noCoverage>): Target {
    (globalThis as Record<string, unknown>).fuzzCounters = coverage.counters;
    const run = new Function("input", `${instrumented(`function run(input) { ${source} }`, coverage)}; run(input);`);
    return { seeds: [Uint8Array.of(0)], longest: 20, run: (input) => run(input) };
  }

  test("finds what only coverage leads to", async () => {
    const coverage = noCoverage();
    const options = { runs: 60_000, seed: 1, coverage, mostFindings: 1 };
    const { findings, runs } = await fuzz(planted(coverage), options);
    expect(findings.map(({ input }) => [...input.subarray(0, 3)])).toEqual([WANTED]);
    expect((await fuzz(planted(noCoverage()), { ...options, runs, coverage: null })).findings).toEqual([]);
  });

  test("counts every branch, and changes nothing else", () => {
    const coverage = noCoverage();
    const text = instrumented("const f = (a) => (a > 1 ? 'x' : a && 2); for (;;) if (a) b(); else { c() }", coverage);
    expect([coverage.used, [...coverage.words]]).toEqual([7, ["x"]]);
    expect(text.replaceAll(/fuzzCounters\[\d\]\+\+[,;]|const fuzzCounters.*?; /g, "")).toBe(
      "const f = (a) => (((a > 1 ? (('x')) : ((a && ((2))))))); for (;;) {if (a) {b();} else { c() }}",
    );
  });
});
