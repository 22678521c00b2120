import { describe, expect, test } from "vitest";
import { elect } from "../../../test/support/rings.ts";
import { catalogue } from "../../protocols/catalogue.ts";
import { resolveParameters } from "../../protocols/parameters.ts";
import { predict } from "../../registry/all.ts";
import { arrangements } from "./arrangements.ts";
import { itaiRodehMeans, tie } from "./itai-rodeh.ts";
import {
  changRobertsBest,
  changRobertsMean,
  changRobertsWorst,
  harmonic,
  hirschbergSinclairBound,
  hirschbergSinclairMean,
  hirschbergSinclairPhases,
  hirschbergSinclairSharpBound,
  petersonBound,
  petersonPhasesBound,
} from "./rings.ts";

describe("harmonic numbers", () => {
  test("small ones are exact, and the series meets the sum where it takes over", () => {
    expect([0, 1, 2].map(harmonic)).toEqual([0, 1, 1.5]);
    expect(harmonic(8)).toBeCloseTo(761 / 280, 14);
    let sum = 0;
    for (let k = 1; k <= 5000; k++) {
      sum += 1 / k;
      if (k > 200) expect(harmonic(k)).toBeCloseTo(sum, 12);
    }
  });

  test("H_n of a million, as tabulated", () => {
    expect(harmonic(1e6)).toBeCloseTo(14.392726722865723, 12);
  });
});

/** The average-case slide, summed as printed for ids 1..n: E = n + sum over i, k of k P(i, k). */
function slide(n: number): number {
  const choose = (a: number, b: number): number => {
    let ways = 1;
    for (let i = 1; i <= b; i++) ways = (ways * (a - b + i)) / i;
    return a < b ? 0 : ways;
  };
  let sum = n;
  for (let i = 1; i < n; i++) {
    for (let k = 1; k < n; k++) sum += (k * choose(i - 1, k - 1) * (n - i)) / (choose(n - 1, k - 1) * (n - k));
  }
  return sum;
}

test("the slide's double sum is n·H_n", () => {
  for (let n = 1; n <= 30; n++) expect(changRobertsMean(n)).toBeCloseTo(slide(n), 8);
});

test("best <= mean <= worst, and mean <= bound", () => {
  for (let n = 1; n <= 300; n++) {
    expect(changRobertsBest(n)).toBeLessThanOrEqual(changRobertsMean(n) + 1e-9);
    expect(changRobertsMean(n)).toBeLessThanOrEqual(changRobertsWorst(n) + 1e-9);
    expect(hirschbergSinclairMean(n)).toBeLessThanOrEqual(hirschbergSinclairSharpBound(n) + 1e-9);
    expect(hirschbergSinclairSharpBound(n)).toBeLessThanOrEqual(hirschbergSinclairBound(n));
    expect(hirschbergSinclairMean(n, "known-n")).toBeLessThanOrEqual(hirschbergSinclairMean(n) + 1e-9);
  }
});

test("phases at powers of two and beside them", () => {
  expect([1, 2, 3, 4, 5, 8, 9].map((n) => hirschbergSinclairPhases(n))).toEqual([1, 2, 3, 3, 4, 4, 5]);
  expect([1, 2, 3, 4, 5, 8, 9].map((n) => hirschbergSinclairPhases(n, "known-n"))).toEqual([1, 1, 2, 2, 3, 3, 4]);
  expect([1, 2, 3, 4, 7, 8].map(petersonPhasesBound)).toEqual([1, 2, 2, 3, 3, 4]);
  expect([1, 2, 4].map(petersonBound)).toEqual([1, 6, 20]);
});

describe("Itai-Rodeh", () => {
  test.each([
    [2, 2],
    [4, 3],
    [5, 2],
  ])("%d nodes drawing from 1..%d: ties at the maximum, by enumeration", (active, range) => {
    const found = new Array(active + 1).fill(0);
    for (let code = 0; code < range ** active; code++) {
      const draws = Array.from({ length: active }, (_, i) => Math.floor(code / range ** i) % range);
      found[draws.filter((draw) => draw === Math.max(...draws)).length]++;
    }
    for (let tied = 1; tied <= active; tied++) {
      expect(tie(active, tied, range)).toBeCloseTo(found[tied] / range ** active, 12);
    }
  });

  test("two nodes with two ids: half the phases decide, 2n-1 = 3 messages or 4", () => {
    expect(itaiRodehMeans(2, 2)).toEqual({ phases: expect.closeTo(2, 12), messages: expect.closeTo(7, 12) });
  });

  test("at most e·n/(n-1) phases on average for range=n, as the paper says", () => {
    for (const n of [2, 3, 5, 10, 100, 1000]) {
      expect(itaiRodehMeans(n).phases).toBeLessThanOrEqual((Math.E * n) / (n - 1));
    }
  });

  test("with a huge range ties vanish and it costs what Chang-Roberts costs", () => {
    expect(itaiRodehMeans(20, 1e5).messages).toBeCloseTo(changRobertsMean(20), 1);
  });

  test("one id never breaks the symmetry", () => {
    expect(() => itaiRodehMeans(3, 1)).toThrow(RangeError);
  });
});

test("every ring protocol of the catalogue has something to be compared with", () => {
  const asked = { loss: 0, multicastLoss: 0, crash: 0 };
  const rings = catalogue.filter(({ assumes }) => assumes.topology === "ring");
  for (const protocol of rings) {
    const params = resolveParameters(protocol, {}, 100);
    const prediction = predict({ protocol: protocol.name, n: 100, params, initiators: 100, ...asked });
    expect(prediction?.messages).not.toBeNull();
    const { worst, atMost } = prediction?.factors ?? {};
    expect(prediction?.messages).toBeLessThanOrEqual(worst ?? atMost ?? Infinity);
  }
});

test("only what some run attains is called the worst, or the best", () => {
  const n = 5;
  for (const protocol of catalogue.filter(({ assumes }) => assumes.topology === "ring")) {
    const params = resolveParameters(protocol, {}, n);
    const { factors } = predict({ protocol, n, params, initiators: n, loss: 0, multicastLoss: 0, crash: 0 })!;
    const { worst, best } = factors ?? {};
    if (worst === undefined) continue;
    const counts = arrangements(n).map((ids) => elect({ protocol: protocol.name, ids }).messages);
    expect([protocol.name, Math.max(...counts)]).toEqual([protocol.name, worst]);
    if (best !== undefined) expect([protocol.name, Math.min(...counts)]).toEqual([protocol.name, best]);
  }
});
