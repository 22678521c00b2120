import { describe, expect, test } from "vitest";
import { binomial } from "./binomial.ts";
import { exp, log1p } from "./elementary.ts";
import { NodeStream } from "./streams.ts";

/** Exact probabilities by multiplication from P(0), in quad-like safety: only where P(0) does not underflow. */
function probabilities(n: number, p: number): number[] {
  const result = [Math.exp(n * Math.log1p(-p))];
  for (let i = 0; i < n; i++) result.push((result[i] * (n - i) * p) / ((i + 1) * (1 - p)));
  return result;
}

describe("elementary functions", () => {
  test("exp and log1p agree with the engine's to the last bits", () => {
    for (let i = -700; i <= 700; i++) expect(Math.abs(exp(i * 1.001) / Math.exp(i * 1.001) - 1)).toBeLessThan(5e-16);
    for (let i = 0; i < 60; i++) {
      const x = -0.9 * 2 ** -i;
      expect(Math.abs(log1p(x) / Math.log1p(x) - 1)).toBeLessThan(7e-16);
    }
  });

  test("exp ends at 0 and at infinity", () => {
    expect([exp(-1000), exp(1000), exp(0)]).toEqual([0, Infinity, 1]);
  });
});

describe("binomial draws", () => {
  // Chi-square over cells of at least 20 expected, at 5.2 standard deviations above its mean by Wilson and Hilferty's
  // cube-root normal: a false alarm has a chance of 1e-7 per case. Inversion, rejection, and p above one half.
  test.each([
    [5, 0.3],
    [10_000, 5.8e-4],
    [40, 0.2],
    [40, 0.25],
    [200, 0.5],
    [200, 0.93],
    [3000, 0.2],
  ])("n = %d, p = %d follow the distribution", (n, p) => {
    const draws = 100_000;
    const source = new NodeStream(7, n, 0);
    const counts = new Map<number, number>();
    for (let i = 0; i < draws; i++) {
      const k = binomial(source, n, p);
      counts.set(k, (counts.get(k) ?? 0) + 1);
    }
    const cells: { seen: number; due: number }[] = [{ seen: 0, due: 0 }];
    probabilities(n, p).forEach((probability, k) => {
      const cell = cells[cells.length - 1];
      cell.seen += counts.get(k) ?? 0;
      cell.due += probability * draws;
      if (cell.due >= 20) cells.push({ seen: 0, due: 0 });
    });
    const rest = cells.pop()!;
    cells[cells.length - 1].seen += rest.seen;
    cells[cells.length - 1].due += rest.due;
    const chi = cells.reduce((sum, { seen, due }) => sum + (seen - due) ** 2 / due, 0);
    const f = cells.length - 1;
    const deviation = ((chi / f) ** (1 / 3) - 1 + 2 / (9 * f)) / Math.sqrt(2 / (9 * f));
    expect(deviation).toBeLessThan(5.2);
  });

  test("a billion coins: mean and variance at 5 standard errors", () => {
    for (const p of [3e-9, 0.001]) {
      const [n, draws] = [1e9, 20_000];
      const source = new NodeStream(3, 1, 0);
      let [sum, squares] = [0, 0];
      for (let i = 0; i < draws; i++) {
        const x = binomial(source, n, p) - n * p;
        sum += x;
        squares += x * x;
      }
      const variance = n * p * (1 - p);
      expect(Math.abs(sum / draws)).toBeLessThan(5 * Math.sqrt(variance / draws));
      expect(Math.abs(squares / draws / variance - 1)).toBeLessThan(5 * Math.sqrt((2 + 1 / variance) / draws));
    }
  });

  test("edges, and values that must never drift", () => {
    const source = new NodeStream(1, 0, 0);
    expect([binomial(source, 0, 0.5), binomial(source, 9, 0), binomial(source, 9, 1)]).toEqual([0, 0, 9]);
    const pinned = [
      [10, 0.3],
      [1000, 0.3],
      [1000, 0.99],
      [1e6, 1e-5],
    ].map(([n, p]) => binomial(source, n, p));
    expect(pinned).toMatchInlineSnapshot(`
      [
        4,
        281,
        990,
        12,
      ]
    `);
  });
});
