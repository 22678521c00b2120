import { describe, expect, test } from "vitest";
import { effort } from "../../../test/support/effort.ts";
import { expectEqualRuns, expectRefusal } from "../../../test/support/kernels.ts";
import { type Request, resolve } from "../../simulation/settings.ts";
import { runTrial } from "../../simulation/trial.ts";
import { quorumKernel, tournamentKernel } from "./tournament.ts";

const TRIALS = effort(2, 60);

const faults: Partial<Request>[] = [
  {},
  { loss: 0.02 },
  { loss: 0.4 },
  { loss: 1 },
  { crash: 0.15 },
  { crash: 1 },
  { crash: 0.1, loss: 0.05, multicastLoss: 0.5 },
  { faults: { crashes: [{ node: 0, at: 0 }] } },
];

describe("the tournament kernel is equal to the protocol, bit for bit, and it ran", () => {
  const all = (n: number, params: Request["params"] = {}, more: Partial<Request> = {}) => {
    for (const fault of faults) {
      expectEqualRuns(tournamentKernel, { protocol: "tournament", n, seed: 3, params, ...more, ...fault }, TRIALS);
    }
  };

  test.each([1, 2, 3, 4, 7, 20, 100])("n = %i, under every fault", (n) => all(n));

  test.each([
    { gamma: 0.2 },
    { gamma: 0.2, failures: "no-refusal" },
    { failures: "no-refusal" },
    { rounding: "stochastic", sigma: "alpha" },
    { rounding: "stochastic", sigma: "alpha", gamma: 0.1, failures: "no-refusal" },
    { sigma: "alpha", alpha: 1.3 },
    { J: 0 },
    { J: 0, s: 3, ask: 9 },
    { s: 50, ask: 60 },
    { estimate: 3 },
    { estimate: 0.2 },
    { J: 1, sigma: "alpha", alpha: 2500 },
  ])("with %j", (params) => all(60, params));

  test("with some initiators, and ids that are listed", () => {
    for (const initiators of [0, 1, 7, 30]) all(30, {}, { initiators });
    all(5, { J: 0 }, { ids: [2 ** 50, 3, 900, 0, 12] });
  });

  test("with more requests at a mediator than a byte has room for", () => {
    all(90, { J: 1, sigma: "alpha", alpha: 7000, failures: "no-refusal" });
  });

  test("with more rounds than marks of a round have room for", () => all(300, { sigma: "alpha", alpha: 1.01, J: 140 }));

  test("at a larger size", () => {
    for (const loss of [0, 0.01]) {
      expectEqualRuns(tournamentKernel, { protocol: "tournament", n: 5000, crash: 0.01, loss }, 2);
    }
  });
});

describe("the quorum kernel is equal to the protocol, bit for bit, and it ran", () => {
  test.each([1, 2, 3, 5, 20, 90])("n = %i, under every fault", (n) => {
    for (const fault of faults) {
      for (const params of [{}, { gamma: 0.2 }, n > 5 ? { s: 2, ask: n - 1 } : { s: 1 }]) {
        const request = { protocol: "quorum", n, seed: 5, params: { ...params, timing: "sync" }, ...fault };
        expectEqualRuns(quorumKernel, request, TRIALS);
        expectEqualRuns(quorumKernel, { ...request, initiators: Math.ceil(n / 2) }, TRIALS);
      }
    }
  });
});

const refused: [Partial<Request>, string][] = [
  [{ topology: "regular:4" }, "complete graphs"],
  [{ faults: { crashes: [{ node: 1, at: 1 }] } }, "no faults but"],
  [{ duplicate: 0.1 }, "no faults but"],
  [{ faults: { partitions: [{ groups: [[1]], from: 0, to: 5 }] } }, "no faults but"],
];

test.each([...refused, [{ params: { mediators: "reuse" } }, "mediators=fresh"]] as typeof refused)(
  "the tournament kernel refuses %j",
  (rest, reason) => expectRefusal(tournamentKernel, { protocol: "tournament", n: 20, ...rest }, reason),
);

test.each(refused)("the quorum kernel refuses %j", (rest, reason) =>
  expectRefusal(quorumKernel, { protocol: "quorum", n: 20, params: { timing: "sync" }, ...rest }, reason),
);

test("a quorum that would have to remember too many requests is left to the host", () => {
  const request = { protocol: "quorum", n: 200_000, params: { timing: "sync" } };
  expect(resolve(request).kernel).toBe("quorum, sync");
  expectRefusal(quorumKernel, { ...request, loss: 0.1 }, "do not fit into memory");
  expect(quorumKernel.refuses(resolve({ protocol: "quorum", n: 20 }))).toContain("timing=sync");
});

test("more processes than ranks are exact for are refused by their number, and not by a factor that nobody gave", () => {
  const ask = (estimate?: number) => () =>
    resolve({ protocol: "tournament", n: 1e8, params: estimate ? { estimate } : {} });
  expect(ask()).toThrow("tournament: ranks for n = 100000000 are not exact any more: choose an n of at most 94906265");
  expect(ask(0.5)).not.toThrow();
  expect(() => resolve({ protocol: "tournament", n: 1e6, params: { estimate: 1000 } })).toThrow(
    "choose a smaller factor",
  );
});

test("a million contenders: about half of them go on in each round, and one leads", () => {
  const { outcome, series, messages } = runTrial(resolve({ protocol: "tournament", n: 1_000_000 }), 0);
  expect(outcome).toBe("one");
  expect(messages).toBeLessThan(9e6);
  const [first, second] = series.contenders;
  expect(first).toBe(1_000_000);
  // Alone at one mediator of n with probability 1/e; the variance of their number is n (1/e - 1/e^2) or less.
  expect(Math.abs(second - first / Math.E)).toBeLessThan(5 * Math.sqrt(0.24 * first));
});
