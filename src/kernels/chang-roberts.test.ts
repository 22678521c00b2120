import { describe, expect, test } from "vitest";
import { effort } from "../../test/support/effort.ts";
import { expectEqualRuns, expectRefusal } from "../../test/support/kernels.ts";
import type { FaultPlan } from "../host/faults/faults.ts";
import { type Request, resolve } from "../simulation/settings.ts";
import { runTrial } from "../simulation/trial.ts";
import { changRobertsKernel } from "./chang-roberts.ts";

const protocol = "chang-roberts";
const TRIALS = effort(2, 60);

/** Crashes in the middle of things: two at the same instant, one of a process that crashes twice, one that comes too late. */
const crashes = (n: number): FaultPlan["crashes"] =>
  [
    { node: 1, at: 2.5 },
    { node: Math.floor(n / 2), at: 2.5 },
    { node: Math.floor(n / 2), at: 4 },
    { node: n - 1, at: n + 1 },
    { node: 0, at: 3 * n },
    { node: 2, at: 0 },
  ].filter(({ node }) => node < n);

const faulty: Partial<Request>[] = [
  {},
  { loss: 0.01 },
  { loss: 0.3, multicastLoss: 0.5 },
  { loss: 1 },
  { crash: 0.2 },
  { crash: 1 },
  { crash: 0.1, loss: 0.02 },
];

describe("the chang-roberts kernel is equal to the protocol, bit for bit, and it ran", () => {
  test.each([1, 2, 3, 4, 5, 8, 13, 64, 200])("n = %i, under every fault, host and way to start", (n) => {
    for (const faults of faulty) {
      for (const host of ["events", "lockstep"] as const) {
        for (const initiators of ["all", 0, 1, Math.ceil(n / 3)] as const) {
          for (const passive of initiators === "all" ? ["relay"] : ["relay", "join"]) {
            const request = { protocol, n, host, initiators, params: { passive }, seed: 7, ...faults };
            expectEqualRuns(changRobertsKernel, request, TRIALS);
            const plan = { ...request, faults: { crashes: crashes(n) } };
            expectEqualRuns(changRobertsKernel, plan, TRIALS);
          }
        }
      }
    }
  });

  test.each(["fixed:0.1", "fixed:0.3", "fixed:7"])("with a delay of %s, whose sums are rounded", (delay) => {
    for (const more of [{}, { loss: 0.001 }, { faults: { crashes: [{ node: 9, at: 0.1 * 3 }] } }]) {
      expectEqualRuns(changRobertsKernel, { protocol, n: 300, delay, ...more }, TRIALS);
    }
  });

  test.each(["increasing", "decreasing", [2 ** 52, 5, 2 ** 33, 0, 77]] as const)("with ids %s", (ids) => {
    const n = typeof ids === "string" ? 50 : ids.length;
    for (const loss of [0, 0.01]) expectEqualRuns(changRobertsKernel, { protocol, n, ids, loss }, TRIALS);
  });

  test("at a larger size", () => {
    for (const loss of [0, 1e-4]) expectEqualRuns(changRobertsKernel, { protocol, n: 20_000, loss, crash: 0.01 }, 2);
  });
});

test.each([
  [{ params: { reading: "printed" } }, "reading=repaired"],
  [{ params: { spread: 2 } }, "spread=0"],
  [{ delay: "exp:1" }, "fixed delays"],
  [{ delay: "uniform:1..2" }, "fixed delays"],
  [{ duplicate: 0.1 }, "no faults but"],
  [{ reorder: 0.1 }, "no faults but"],
  [{ faults: { pauses: [{ node: 1, from: 1, to: 3 }] } }, "no faults but"],
  [{ faults: { crashes: [{ node: 1, at: 1, sends: 0 }] } }, "no faults but"],
  [{ faults: { restarts: [{ node: 1, at: 1, saved: true }] } }, "no faults but"],
  [{ faults: { partitions: [{ groups: [[1]], from: 0, to: 5 }] } }, "no faults but"],
] as [Partial<Request>, string][])("it refuses %j", (rest, reason) => {
  expectRefusal(changRobertsKernel, { protocol, n: 20, ...rest }, reason);
});

test("a delay that the lock-step host does not read is no reason to refuse", () => {
  expectEqualRuns(changRobertsKernel, { protocol, n: 20, host: "lockstep", delay: "exp:1" }, TRIALS);
});

test("a million processes cost what theory says: about n H_n messages, and n to announce", () => {
  const n = 1_000_000;
  const { outcome, leader, messages, rounds } = runTrial(resolve({ protocol, n }), 0);
  expect([outcome, leader, rounds]).toEqual(["one", n, 2 * n]);
  // The standard deviation of messages is below n: sqrt(2 - pi^2/6) n, 0.6 n.
  const mean = n * (Math.log(n) + 0.5772156649) + n;
  expect(Math.abs(messages - mean)).toBeLessThan(4 * n);
});
