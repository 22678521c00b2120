import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ln } from "./ln.ts";
import { HostStream } from "./streams.ts";
import { bernoulliSubset, permutation, sample } from "./subsets.ts";

const stream = (trial: number) => new HostStream(2, trial, "ids");

/** Chi-square statistic of counts against one expectation, standardised: about normal for many cells. */
function excess(counts: readonly number[], expected: number): number {
  const chi = counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
  return (chi - (counts.length - 1)) / Math.sqrt(2 * (counts.length - 1));
}

// A standardised chi-square beyond 6 has probability below 1e-6 for the numbers of cells used here.
const LIMIT = 6;

test("ln agrees with Math.log to the last two bits", () => {
  fc.assert(
    fc.property(fc.double({ min: 2 ** -1000, max: 2 ** 1000, noNaN: true }), (x) => {
      expect(Math.abs(ln(x) - Math.log(x))).toBeLessThanOrEqual(Math.abs(Math.log(x)) * 2 ** -51);
    }),
    { seed: 1, numRuns: 2000 },
  );
  expect(ln(1)).toBe(0);
});

describe("choose", () => {
  test.each([1, 2, 3, 7, 64, 1000])("is uniform in 0 .. %i - 1", (n) => {
    const source = stream(n);
    const counts = new Array(n).fill(0);
    for (let i = 0; i < 200 * n; i++) counts[source.choose(n)]++;
    if (n > 1) expect(Math.abs(excess(counts, 200))).toBeLessThan(LIMIT);
    else expect(counts).toEqual([200]);
  });

  test("covers ranges beyond 32 bits", () => {
    const n = 3 * 2 ** 40;
    const source = stream(0);
    const counts = new Array(48).fill(0);
    for (let i = 0; i < 9600; i++) counts[Math.floor((source.choose(n) / n) * 48)]++;
    expect(Math.abs(excess(counts, 200))).toBeLessThan(LIMIT);
  });
});

test("exponential has mean and variance 1", () => {
  const source = stream(1);
  const size = 200_000;
  let sum = 0;
  let squares = 0;
  for (let i = 0; i < size; i++) {
    const x = source.exponential();
    sum += x;
    squares += x * x;
  }
  // Five standard errors (1 and sqrt(20) over sqrt(size)): a false alarm has probability 6e-7 each.
  expect(Math.abs(sum / size - 1)).toBeLessThan(5 / Math.sqrt(size));
  expect(Math.abs(squares / size - 2)).toBeLessThan((5 * Math.sqrt(20)) / Math.sqrt(size));
});

describe("subsets", () => {
  test("sample: every subset of 2 of 5 equally likely", () => {
    const source = stream(2);
    const counts = new Map<string, number>();
    for (let i = 0; i < 20_000; i++) {
      const key = sample((n) => source.choose(n), 2, 5)
        .sort()
        .join();
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    expect(counts.size).toBe(10);
    expect(Math.abs(excess([...counts.values()], 2000))).toBeLessThan(LIMIT);
  });

  test("sample: always k distinct members", () => {
    fc.assert(
      fc.property(fc.nat(50), fc.nat(50), fc.nat(1000), (a, b, trial) => {
        const source = stream(trial);
        const [k, n] = [Math.min(a, b), Math.max(a, b)];
        const drawn = sample((m) => source.choose(m), k, n);
        expect(new Set(drawn).size).toBe(k);
        for (const member of drawn) expect(member).toBeLessThan(n);
      }),
      { seed: 1 },
    );
  });

  test.each([0.5, 0.01, 1e-9])("bernoulliSubset: each member with probability %d, also among a billion", (p) => {
    const n = Math.min(1e9, 1e4 / p);
    let total = 0;
    for (let trial = 0; trial < 10; trial++) {
      const drawn = bernoulliSubset(stream(trial), n, p);
      for (let i = 1; i < drawn.length; i++) expect(drawn[i]).toBeGreaterThan(drawn[i - 1]);
      total += drawn.length;
    }
    const mean = 10 * n * p;
    expect(Math.abs(total - mean)).toBeLessThan(5 * Math.sqrt(mean * (1 - p)) + 1);
  });

  test("bernoulliSubset: none at 0, all at 1", () => {
    expect(bernoulliSubset(stream(0), 4, 0)).toEqual([]);
    expect(bernoulliSubset(stream(0), 4, 1)).toEqual([0, 1, 2, 3]);
  });

  test("permutation: all 24 arrangements of 4 equally likely", () => {
    const source = stream(3);
    const counts = new Map<string, number>();
    for (let i = 0; i < 24_000; i++) {
      const key = permutation(source, 4).join();
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    expect(counts.size).toBe(24);
    expect(Math.abs(excess([...counts.values()], 1000))).toBeLessThan(LIMIT);
  });
});
