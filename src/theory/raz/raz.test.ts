/** The recursions against the linear systems they solve, set up and eliminated without any of their short cuts. */
import { describe, expect, test } from "vitest";
import { bestForMessages, bestForRounds, PATIENCE } from "./optimum.ts";
import { basicCost, choiceCost, historyCost, skipResetCost, unknownCost } from "./raz.ts";
import { binomialProbability, replies } from "./replies.ts";

type Mean = { rounds: number; messages: number };

/** P(i of m) by logarithms of factorials: good to 1e-12 at these sizes. */
const factorials = [0];
for (let i = 1; i <= 1000; i++) factorials[i] = factorials[i - 1] + Math.log(i);
function p(i: number, m: number, chance: number): number {
  if (chance >= 1) return i === m ? 1 : 0;
  const ways = factorials[m] - factorials[i] - factorials[m - i];
  return Math.exp(ways + i * Math.log(chance) + (m - i) * Math.log1p(-chance));
}

/** x = b + Ax by Gauss with pivots; states 0 .. n are numbers of active hosts, with one column each for T and N. */
function solve(size: number, row: (m: number) => { cost: Mean; to: Map<number, number> }): Mean[] {
  const matrix = Array.from({ length: size }, (_, m) => {
    const { cost, to } = row(m);
    const line = new Float64Array(size + 2);
    for (const [next, weight] of to) line[next] -= weight;
    line[m] += 1;
    line[size] = cost.rounds;
    line[size + 1] = cost.messages;
    return line;
  });
  for (let k = 0; k < size; k++) {
    let pivot = k;
    for (let i = k + 1; i < size; i++) if (Math.abs(matrix[i][k]) > Math.abs(matrix[pivot][k])) pivot = i;
    [matrix[k], matrix[pivot]] = [matrix[pivot], matrix[k]];
    for (let i = 0; i < size; i++) {
      const factor = i === k ? 0 : matrix[i][k] / matrix[k][k];
      if (factor !== 0) for (let j = k; j < size + 2; j++) matrix[i][j] -= factor * matrix[k][j];
    }
  }
  return matrix.map((line, k) => ({ rounds: line[size] / line[k], messages: line[size + 1] / line[k] }));
}

const NONE: Mean = { rounds: 0, messages: 0 };

function brute(kind: "basic" | "skip-reset", draws: 1 | 2, n: number, L: number, U: number, c: number): Mean {
  const means = solve(n + 1, (m) => {
    if (m >= L && m <= U) return { cost: NONE, to: new Map() };
    if (m < L) return { cost: kind === "basic" ? { rounds: 1, messages: n } : NONE, to: new Map([[n, 1]]) };
    const chance = c / m;
    const to = new Map<number, number>();
    let messages = 0;
    for (let i = 0; i <= m; i++) {
      if (draws === 1) {
        to.set(i, p(i, m, chance));
        messages += i * p(i, m, chance);
        continue;
      }
      for (let j = 0; j <= m; j++) {
        const within = (x: number) => x >= L && x <= U;
        const over = [i, j].filter((x) => x > U);
        const taken = within(i) ? i : within(j) ? j : over.length > 0 ? Math.min(...over) : 0;
        to.set(taken, (to.get(taken) ?? 0) + p(i, m, chance) * p(j, m, chance));
      }
    }
    return { cost: { rounds: 1, messages: draws === 1 ? messages : m * (1 - (1 - chance) ** 2) }, to };
  });
  return means[n];
}

const settings = [
  [60, 4, 8, 5.8],
  [12, 4, 8, 6],
  [9, 4, 8, 8.9],
  [40, 1, 1, 1.1],
  [50, 1, 8, 5.6],
  [70, 20, 30, 26],
  [30, 5, 5, 1],
] as const;

function close(actual: Mean, expected: Mean): void {
  expect(Math.abs(actual.rounds / expected.rounds - 1)).toBeLessThan(1e-10);
  expect(Math.abs(actual.messages / expected.messages - 1)).toBeLessThan(1e-10);
}

test("a part of the range that no number of replies can reach has no weight", () => {
  // Two hosts with fair coins: 0, 1 and 2 replies in 1, 2 and 1 of 4 draws.
  const nothingBelow = replies(2, 0.5, 0, 1);
  expect(nothingBelow).toMatchObject({ under: 0, underMean: 0, first: 2 });
  expect(nothingBelow.within).toBeCloseTo(0.75, 14);
  expect([...nothingBelow.over]).toEqual([0.25]);
  const neverSoMany = replies(2, 0.5, 3, 4);
  expect(neverSoMany).toMatchObject({ within: 0, over: new Float64Array(0) });
  expect(neverSoMany.under).toBeCloseTo(1, 14);
  expect(neverSoMany.underMean).toBeCloseTo(1, 14);
});

test("if every host replies for certain, their number is the only one that is kept", () => {
  expect(replies(3, 1, 1, 1)).toEqual({ under: 0, underMean: 0, within: 0, first: 3, over: Float64Array.of(1) });
});

describe("exact means", () => {
  test.each(settings)("n = %d, [%d, %d], c = %d: basic, Skip-Reset and choice solve their systems", (n, L, U, c) => {
    close(basicCost(n, { L, U, c }), brute("basic", 1, n, L, U, c));
    close(skipResetCost(n, { L, U, c }), brute("skip-reset", 1, n, L, U, c));
    close(choiceCost(n, { L, U, c }), brute("skip-reset", 2, n, L, U, c));
    close(choiceCost(n, { L, U, c, base: "basic" }), brute("basic", 2, n, L, U, c));
  });

  test.each(settings)("n = %d, [%d, %d], c = %d: history solves (8) and (9)", (n, L, U, c) => {
    const means = solve(n + 1, (m) => {
      if (m <= U) return { cost: NONE, to: new Map() };
      const to = new Map<number, number>();
      for (let i = 0; i <= m; i++) {
        const next = i < L ? m : i;
        to.set(next, (to.get(next) ?? 0) + p(i, m, c / m));
      }
      return { cost: { rounds: 1, messages: c }, to };
    });
    close(historyCost(n, { L, U, c }), means[n]);
  });

  test("a centre that is wrong about n: states are (population believed, hosts active)", () => {
    const [n, L, U, c] = [24, 2, 3, 2.6];
    for (const estimate of [0.1, 0.3, 0.7, 3]) {
      // Believed populations: the first one, or any number of replies above it. A state is (belief, active or "reset").
      const first = n * estimate;
      const beliefs = [first, ...Array.from({ length: n }, (_, i) => i + 1).filter((i) => i > first)];
      const width = n + 2;
      const at = (belief: number, active: number) => beliefs.indexOf(belief) * width + active;
      const means = solve(beliefs.length * width, (state) => {
        const belief = beliefs[Math.floor(state / width)];
        const active = state % width;
        const reset = active === n + 1;
        if (!reset && active >= L && active <= U) return { cost: NONE, to: new Map() };
        if (!reset && active < L) return { cost: NONE, to: new Map([[at(belief, n + 1), 1]]) };
        const drawing = reset ? n : active;
        const named = reset ? belief : active;
        const chance = named <= U ? 1 : Math.min(1, c / named);
        const to = new Map<number, number>();
        for (let i = 0; i <= drawing; i++) {
          const next = at(Math.max(belief, i), i);
          to.set(next, (to.get(next) ?? 0) + p(i, drawing, chance));
        }
        return { cost: { rounds: 1, messages: drawing * chance }, to };
      });
      close(skipResetCost(n, { L, U, c, estimate }), means[at(first, n + 1)]);
    }
  });

  test("unknown n that is polled in the end costs the search, the poll, and the election of a known n", () => {
    const plan = { L: 20, U: 25, c: 22 };
    const search = { guess: 1e9, alpha: 1, beta: 1e7 };
    // The guess is so large that nobody replies, and the next, 100, is still above U.
    const { rounds, messages } = unknownCost(30, plan, search);
    const lucky = replies(30, 0.22, 20, 25).within;
    expect(lucky).toBeLessThan(1e-6);
    expect(rounds).toBeCloseTo(3 + skipResetCost(30, plan).rounds, 4);
    expect(messages).toBeCloseTo(30 * 0.22 + 30 + skipResetCost(30, plan).messages, 4);
  });

  test("nothing overflows, and nothing is lost, far from the range and at n = 10^9", () => {
    expect(skipResetCost(1e9, { L: 4, U: 8, c: 5.8 }).rounds).toBeCloseTo(1.3859872, 6);
    const rare = skipResetCost(1e6, { L: 50, U: 50, c: 1 });
    expect(rare.messages / rare.rounds).toBeCloseTo(1, 10);
    expect(rare.rounds).toBeGreaterThan(1e64);
    expect(binomialProbability(500_000, 1e6, 0.5)).toBeCloseTo(Math.sqrt(2 / (Math.PI * 1e6)), 9);
  });
});

describe("the best c", () => {
  const tunable = (L: number, U: number, n: number) => ({
    L,
    U,
    cost: (c: number) => skipResetCost(n, { L, U, c }),
    messagesUnbounded: L === 1,
  });

  test.each([
    [4, 8, 500],
    [1, 1, 1000],
    [20, 30, 1000],
    [3, 3, 100],
  ])("no c on a fine grid beats auto-T or auto-N for [%d, %d], n = %d", (L, U, n) => {
    const { cost, ...rest } = tunable(L, U, n);
    const quick = bestForRounds({ cost, ...rest });
    const thrifty = bestForMessages({ cost, ...rest });
    const limit = rest.messagesUnbounded ? cost(quick).rounds + PATIENCE : Infinity;
    expect(cost(thrifty).rounds).toBeLessThanOrEqual(limit);
    for (let c = 0.01; c < U + 1; c += (U + 1) / 400) {
      expect(cost(c).rounds).toBeGreaterThan(cost(quick).rounds - 1e-9);
      if (cost(c).rounds <= limit) expect(cost(c).messages).toBeGreaterThan(cost(thrifty).messages - 1e-6);
    }
  });

  test("L = 1: N falls towards 1 with c, so only a limit on T gives auto-N a meaning", () => {
    const { cost } = tunable(1, 8, 1000);
    expect(cost(0.001).messages).toBeLessThan(1.001);
    expect(cost(0.001).rounds).toBeGreaterThan(900);
  });
});
