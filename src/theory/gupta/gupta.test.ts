import { describe, expect, test } from "vitest";
import { brokenE1 } from "./exact.ts";
import {
  detection,
  filterRelayTheory,
  type GuptaSetting,
  optimumK,
  roundCost,
  roundFactors,
  roundSuccess,
} from "./gupta.ts";

const FIG4: GuptaSetting = { n: 10_000, view: 0.4, loss: 0.01, multicastLoss: 0.01, crash: 0.01 };

test("the factors at K = 20, computed by hand from the printed formula", () => {
  const k1 = 0.99 * 20;
  const k2 = 0.99 * 0.99 * 20;
  const tail = (k: number) => 2 * Math.sqrt(2 / (Math.PI * k)) * Math.exp(-k / 8);
  const { E1, E2, E3, E4, E5 } = roundFactors(20, FIG4);
  expect(E1).toBeCloseTo(1 - tail(k1) - tail(k2), 14);
  expect(E2).toBeCloseTo(Math.exp(-(k2 / 2) * 0.6 ** (k2 / 2 - 1)), 14);
  expect(E3).toBeCloseTo(0.99 * 0.99 ** (1.5 * k2 - 1), 14);
  expect(E4).toBeCloseTo((0.01 + 0.99 * (1 - 0.01 ** (k2 / 2))) ** 10_000, 12);
  expect(E5).toBe(0.99);
  expect(roundSuccess(20, FIG4)).toBeCloseTo(E1 * E2 * E3 * E4 * E5, 14);
});

test("of all K up to 100, E1 strays too often first at 68 and last at 100: by the chances of all pairs of relays and survivors", () => {
  const { n, crash } = FIG4;
  const factorials = [0];
  for (let i = 1; i <= n; i++) factorials[i] = factorials[i - 1] + Math.log(i);
  const strays = (K: number) => {
    const [k1, k2] = [0.99 * K, 0.99 * 0.99 * K];
    const p = k1 / n;
    let sum = 0;
    // More than 400 relays are too rare to count.
    for (let relays = 0; relays <= 400; relays++) {
      for (let alive = 0; alive <= relays; alive++) {
        if (relays >= k1 / 2 && relays <= 1.5 * k1 && alive >= k2 / 2 && alive <= 1.5 * k2) continue;
        const dead = relays - alive;
        const ways = factorials[n] - factorials[n - relays] - factorials[alive] - factorials[dead];
        const chosen = relays * Math.log(p) + (n - relays) * Math.log1p(-p);
        sum += Math.exp(ways + chosen + alive * Math.log(1 - crash) + dead * Math.log(crash));
      }
    }
    return sum;
  };
  const broken = brokenE1(FIG4);
  expect([broken[0].K, broken.at(-1)!.K]).toEqual([68, 100]);
  for (const { K, exact } of [broken[0], broken.at(-1)!]) expect(exact / strays(K)).toBeCloseTo(1, 8);
});

test("probabilities stay probabilities for any K and any setting", () => {
  const ends = [0, 0.001, 0.5, 1];
  for (const k of [0.01, 1, 2, 7, 100, 1e6]) {
    for (const view of [0.01, 0.5, 1]) {
      for (const p of ends) {
        for (const crash of ends) {
          const setting = { n: 1000, view, loss: p, multicastLoss: p, crash };
          const values = [...Object.values(roundFactors(k, setting)), roundSuccess(k, setting), detection(k, setting)];
          for (const value of values) expect([k, setting, value >= 0 && value <= 1]).toEqual([k, setting, true]);
        }
      }
    }
  }
});

describe("the optimum", () => {
  test("is where the product peaks", () => {
    const { success } = optimumK(FIG4);
    for (let k = 1; k <= 200; k++) expect(roundSuccess(k, FIG4)).toBeLessThanOrEqual(success);
  });

  test("never asks for more relays than there are members", () => {
    expect(optimumK({ ...FIG4, n: 10 }).K).toBeLessThanOrEqual(10);
  });
});

test("what is printed by theory", () => {
  expect(filterRelayTheory(24, FIG4)).toMatchObject({
    method: "bound",
    success: roundSuccess(24, FIG4),
    factors: roundFactors(24, FIG4),
    optimum: { K: 24 },
  });
});

test("costs: both bounds grow as stated", () => {
  expect(roundCost(2000, FIG4).unicasts / roundCost(1000, FIG4).unicasts).toBeCloseTo(8, 1);
  expect(roundCost(2000, FIG4).multicasts / roundCost(1000, FIG4).multicasts).toBeCloseTo(2, 2);
});
