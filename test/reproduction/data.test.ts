/** The data beside the figures: every curve of a formula is computed here once more, and measured points agree with theory. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parseCsv } from "../../src/plot/csv.ts";
import { entries, folder } from "./record.ts";

interface Row {
  readonly panel: string;
  readonly series: string;
  readonly kind: string;
  readonly x: string;
  readonly value: number | null;
  readonly low: number | null;
  readonly high: number | null;
}

const numberIn = (cell: string) => (cell === "" ? null : Number(cell));

/** Null where the data are no curves: diagrams of schedules, and a table. */
function rowsOf(figure: string): Row[] | null {
  const [header, ...lines] = parseCsv(readFileSync(join(folder, `${figure}.csv`), "utf8"));
  if (!header.includes("kind")) return null;
  return lines.map((line) => {
    const [panel, series, kind, x, value, low, high] = header[0] === "panel" ? line : ["", ...line];
    return { panel, series, kind, x, value: numberIn(value), low: numberIn(low), high: numberIn(high) };
  });
}

const figures = entries.flatMap((entry) => entry.figures.map(({ name }) => name));

test("every figure has its data, and no data lie about that no figure shows", () => {
  const files = readdirSync(folder).filter((name) => name.endsWith(".csv"));
  expect(files.sort()).toEqual(figures.map((name) => `${name}.csv`).sort());
});

test.each(figures)("%s: points lie in their intervals, and theory has every x that was measured", (figure) => {
  const rows = rowsOf(figure) ?? [];
  const wrong = rows.filter(({ value, low, high }) => low !== null && !(low <= value! && value! <= high!));
  expect(wrong).toEqual([]);
  const measured = rows.filter(({ kind }) => kind === "measured");
  // A curve that ends before the points leaves the reader without it where it matters.
  const missing = measured.filter(({ panel, series, x }) => {
    const curve = rows.filter((row) => row.kind === "theory" && row.series === series && row.panel === panel);
    const xs = curve.map((row) => Number(row.x));
    if (curve.length === 0 || curve.some((row) => row.x === x)) return false;
    return Number.isNaN(Number(x)) || !(Math.min(...xs) <= Number(x) && Number(x) <= Math.max(...xs));
  });
  expect(missing).toEqual([]);
});

/** Curves that are called theory and are none of these points': what they leave out is said on the page. */
const APPROXIMATE: Readonly<Record<string, number>> = {
  // Three messages for each contender and mediator; a contender sends itself none.
  "ramanathan-fig9": 0.002,
  "ramanathan-table1": 0.05,
  "ramanathan-lemma1": 0.02,
  "ramanathan-theorem5": 0.02,
  "ramanathan-failures": 0.02,
  // "As the paper says", which does not count members that the centre has not heard of.
  "raz-loss": 0.015,
};

test("measured points agree with theory of the same name, but for as many as chance allows", () => {
  let compared = 0;
  const apart: string[] = [];
  for (const figure of figures) {
    const rows = rowsOf(figure) ?? [];
    for (const { panel, series, x, value, low, high } of rows.filter(({ kind }) => kind === "measured")) {
      const curve = rows.filter((row) => row.kind === "theory" && row.series === series && row.panel === panel);
      const expected = curve.find((row) => row.x === x)?.value ?? null;
      if (expected === null || low === null) continue;
      compared++;
      // Six digits are kept. Chance exceeds 1.7 half-widths once in a thousand times.
      const slack = Math.max(1e-5 * Math.abs(expected), (APPROXIMATE[figure] ?? 0) * Math.abs(expected));
      const [down, up] = [value! - low, high! - value!].map((half) => 1.7 * half + slack);
      if (expected < value! - down || expected > value! + up)
        apart.push(`${figure}, ${series}, ${x}: ${value}, not ${expected}`);
    }
  }
  expect(compared).toBeGreaterThan(150);
  expect(apart).toEqual([]);
});

const harmonic = (n: number) => Array.from({ length: n }, (_, i) => 1 / (i + 1)).reduce((a, b) => a + b);

/** The chance that k of n reply, each with probability p. */
function binomial(k: number, n: number, p: number): number {
  let chance = (1 - p) ** (n - k);
  for (let i = 1; i <= k; i++) chance *= ((n - k + i) / i) * p;
  return chance;
}

/** The chance that no bin has exactly one of n balls in n bins, by inclusion and exclusion. */
function nobodyAlone(n: number): number {
  let sum = 0;
  let ways = 1;
  for (let k = 0; k <= n; k++) {
    sum += (k % 2 === 0 ? 1 : -1) * ways * (n - k) ** (n - k);
    // Which balls, which bins, in which order.
    ways *= (n - k) ** 2 / (k + 1);
  }
  return sum / n ** n;
}

/** The naive algorithm: every poll is a new one. */
const within = (least: number, most: number, n: number, c: number) =>
  Array.from({ length: most - least + 1 }, (_, i) => binomial(least + i, n, c / n)).reduce((a, b) => a + b);

/**
 * Rounds of the basic algorithm for [4, 8] among 500, equation (2): too many poll among themselves, too few
 * begin anew, with a round in which all n reply.
 */
function basicRounds(c: number): number {
  const [least, most, all] = [4, 8, 500];
  // From m that remain: rounds, and the chance to begin anew.
  const known = new Map<number, readonly [rounds: number, again: number]>();
  const from = (m: number): readonly [number, number] => {
    const before = known.get(m);
    if (before !== undefined) return before;
    let rounds = 1;
    let again = 0;
    let stays = 0;
    // More than 60 replies of so few expected never come.
    for (let k = 0; k <= Math.min(m, 60); k++) {
      const chance = binomial(k, m, Math.min(1, c / m));
      if (k < least) again += chance;
      else if (k === m && k > most) stays += chance;
      else if (k > most) {
        const [more, anew] = from(k);
        rounds += chance * more;
        again += chance * anew;
      }
    }
    const found = [rounds / (1 - stays), again / (1 - stays)] as const;
    known.set(m, found);
    return found;
  };
  const [rounds, again] = from(all);
  return (rounds + again) / (1 - again);
}

interface Formula {
  readonly figure: string;
  readonly series: string;
  readonly kind: string;
  /** Null where nothing simple is known. */
  readonly at: (x: number) => number | null;
  readonly panel?: string;
}

/** By figure and curve: what it is at x, written down here and nowhere else. Panels are told apart where they must be. */
const FORMULAS: readonly Formula[] = [
  { figure: "gupta-crash", series: "processes fail", kind: "bound", at: (x) => 1 - x },
  { figure: "gupta-theorem4", series: "K³", kind: "reference", at: (k) => k ** 3 },
  { figure: "gupta-theorem4", series: "K", kind: "reference", at: (k) => k },
  { figure: "kutten-mixing", series: "2 ln n", kind: "reference", at: (n) => 2 * Math.log(n) },
  { figure: "kutten-lemma1", series: "uniform", kind: "reference", at: () => 1 },
  { figure: "kutten-theorem1", series: "n", kind: "reference", at: (n) => n },
  { figure: "kutten-theorem1", series: "√n, Theorem 3", kind: "reference", at: (n) => Math.sqrt(n) },
  { figure: "kutten-theorem2", series: "n", kind: "reference", at: (n) => n },
  { figure: "kutten-theorem3", series: "1/e", kind: "reference", at: () => Math.exp(-1) },
  { figure: "lecture-chang-roberts", series: "decreasing ids", kind: "theory", at: (n) => (n * (n + 1)) / 2 },
  { figure: "lecture-chang-roberts", series: "random ids", kind: "theory", at: (n) => n * harmonic(n) },
  { figure: "lecture-chang-roberts", series: "increasing ids", kind: "theory", at: (n) => 2 * n - 1 },
  { figure: "lecture-n-log-n", series: "ln n", kind: "reference", at: (n) => Math.log(n) },
  { figure: "lecture-n-log-n", series: "peterson", kind: "bound", at: (n) => 2 * Math.floor(Math.log2(n)) + 2 },
  { figure: "lecture-variable-time", series: "rounds", kind: "theory", at: (place) => 64 * place },
  { figure: "ramanathan-fig9", series: "PQ (quorum)", kind: "theory", at: (share) => 3 * 736 * share * 500 },
  { figure: "ramanathan-fig1-rounds", series: "no leader", kind: "theory", at: (j) => [0, nobodyAlone(8), null][j] },
  { figure: "ramanathan-lemma1", series: "n/2^(i-1)", kind: "reference", at: (i) => 1024 / 2 ** (i - 1) },
  { figure: "ramanathan-table1", series: "Gupta et al., K^4·n as quoted", kind: "bound", at: (n) => 10 ** 4 * n },
  { figure: "ramanathan-theorems6to9", series: "α = 2", kind: "bound", at: (j) => 2048 / 2 ** (j - 1) },
  { figure: "ramanathan-theorems6to9", series: "α = 3", kind: "bound", at: (j) => 2048 / 3 ** (j - 1) },
  { figure: "ramanathan-theorems6to9", series: "10 n", kind: "reference", at: (n) => 10 * n },
  { figure: "raz-fig1", series: "naive", kind: "theory", at: (c) => within(4, 8, 10_000, c) },
  { figure: "raz-fig2", series: "naive", kind: "theory", at: (c) => 1 / within(1, 1, 10_000, c) },
  { figure: "raz-fig5", series: "basic", kind: "theory", at: basicRounds, panel: "T" },
  { figure: "raz-fig7", series: "basic", kind: "theory", at: basicRounds, panel: "T" },
  { figure: "raz-fig14", series: "bound 2.467", kind: "bound", at: () => 2.467 },
];

describe("a formula", () => {
  test.each(FORMULAS)("of $figure, $series ($kind), is what its curve shows", ({ figure, series, kind, at, panel }) => {
    const curve = rowsOf(figure)!.filter(
      (row) => row.kind === kind && row.series === series && (panel === undefined || row.panel === panel),
    );
    expect(curve.length).toBeGreaterThan(0);
    for (const { x, value } of curve) {
      const expected = at(Number(x));
      if (expected !== null) expect(Math.abs(value! - expected), `x = ${x}`).toBeLessThanOrEqual(1e-5 * expected);
    }
  });
});
