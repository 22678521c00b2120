import { describe, expect, test } from "vitest";
import { effort } from "../../../test/support/effort.ts";
import { expectEqualRuns, expectRefusal } from "../../../test/support/kernels.ts";
import { type Request, resolve } from "../../simulation/settings.ts";
import { quorumAsyncKernel, tournamentAsyncKernel } from "./tournament.ts";

const protocol = "quorum";
const TRIALS = effort(1, 40);

const faults: Partial<Request>[] = [
  {},
  { loss: 0.03 },
  { loss: 0.4 },
  { loss: 1 },
  { crash: 0.2 },
  { crash: 0.1, loss: 0.05, multicastLoss: 0.5 },
];

describe("the kernel of the asynchronous quorum is equal to the protocol, bit for bit, and it ran", () => {
  test.each([1, 2, 3, 5, 9, 25, 60])("n = %i, under every fault, reading and number of contenders", (n) => {
    for (const fault of faults) {
      for (const reading of ["repaired", "printed", "tables"]) {
        for (const initiators of ["all", 0, Math.ceil(n / 3)] as const) {
          expectEqualRuns(
            quorumAsyncKernel,
            { protocol, n, seed: 4, initiators, params: { reading }, ...fault },
            TRIALS,
          );
        }
      }
    }
  });

  test.each([
    { gamma: 0.2 },
    { gamma: 0.2, reading: "tables" },
    { s: 4, ask: 12 },
    { s: 2, ask: 3 },
    { s: 20, ask: 20 },
    { estimate: 0.3 },
    { tau: 3 },
    { tau: 2, s: 3, ask: 9, reading: "printed" },
  ])("with %j", (params) => {
    for (const fault of faults) {
      expectEqualRuns(quorumAsyncKernel, { protocol, n: 30, seed: 8, params, ...fault }, TRIALS);
      expectEqualRuns(quorumAsyncKernel, { protocol, n: 30, host: "lockstep", params, ...fault }, TRIALS);
    }
  });

  test("with other whole delays, ids that are listed, and at a larger size", () => {
    expectEqualRuns(quorumAsyncKernel, { protocol, n: 30, delay: "fixed:5" }, TRIALS);
    expectEqualRuns(quorumAsyncKernel, { protocol, n: 5, ids: [2 ** 50, 3, 900, 0, 12] }, TRIALS);
    for (const loss of [0, 0.01]) expectEqualRuns(quorumAsyncKernel, { protocol, n: 500, loss, crash: 0.02 }, 1);
  });
});

test.each([
  [{ params: { timing: "sync" } }, "timing=async"],
  [{ params: { spread: 1 } }, "spread=0"],
  [{ delay: "exp:1", params: { tau: 9 } }, "fixed delays"],
  [{ delay: "fixed:0.5" }, "whole delays"],
  [{ params: { tau: 1.5 } }, "whole delays"],
  [{ topology: "regular:4" }, "complete graphs"],
  [{ faults: { crashes: [{ node: 1, at: 1 }] } }, "no faults but"],
  [{ duplicate: 0.1 }, "no faults but"],
] as [Partial<Request>, string][])("it refuses %j", (rest, reason) => {
  const settings = resolve({ protocol, n: 20, ...rest });
  expect(quorumAsyncKernel.refuses(settings)).toContain(reason);
});

describe("the tournament-async kernel is equal to the protocol, bit for bit, and it ran", () => {
  const request = { protocol: "tournament-async", seed: 6 };

  test.each([1, 2, 3, 5, 9, 40, 150])("n = %i, under every fault and number of contenders", (n) => {
    for (const fault of faults) {
      for (const initiators of ["all", 0, Math.ceil(n / 3)] as const) {
        expectEqualRuns(tournamentAsyncKernel, { ...request, n, initiators, ...fault }, TRIALS);
      }
    }
  });

  test.each([
    { mediator: "eager" },
    { mediator: "eager", failures: "no-refusal", gamma: 0.1, sigma: "alpha" },
    { failures: "no-refusal" },
    { failures: "no-refusal", tau: 3, s: 3, ask: 9 },
    { rounding: "stochastic", sigma: "alpha", gamma: 0.1 },
    { reading: "tables", tau: 2 },
    { reading: "printed", gamma: 0.2, failures: "no-refusal", s: 2, ask: 20 },
    { J: 0 },
    { estimate: 4 },
  ])("with %j", (params) => {
    for (const fault of faults) {
      expectEqualRuns(tournamentAsyncKernel, { ...request, n: 60, params, ...fault }, TRIALS);
      expectEqualRuns(tournamentAsyncKernel, { ...request, n: 25, host: "lockstep", params, ...fault }, TRIALS);
    }
  });

  test("at a larger size", () => {
    for (const loss of [0, 0.002])
      expectEqualRuns(tournamentAsyncKernel, { ...request, n: 4000, loss, crash: 0.01 }, 1);
  });

  test.each([
    [{ params: { mediators: "reuse" } }, "mediators=fresh"],
    [{ params: { sigma: "alpha", alpha: 1.05, J: 40 } }, "J up to 31"],
    [{ params: { spread: 1 } }, "spread=0"],
    [{ delay: "uniform:0.5..1" }, "fixed delays"],
    [{ faults: { pauses: [{ node: 1, from: 1, to: 3 }] } }, "no faults but"],
  ] as [Partial<Request>, string][])("it refuses %j", (rest, reason) => {
    expectRefusal(tournamentAsyncKernel, { ...request, n: 100, ...rest }, reason);
  });
});

test("it refuses what it would have to remember", () => {
  expectRefusal(quorumAsyncKernel, { protocol, n: 200_000 }, "do not fit into memory");
});
