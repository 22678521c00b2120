/**
 * The lumped kernel of the lasting council against the protocol on its host. Means are compared at 5 standard errors: a false
 * alarm has a chance of 6e-7 per comparison, about 1e-4 for all of this file. Seeds are fixed.
 */
import { expect, test } from "vitest";
import { effort } from "../../../test/support/effort.ts";
import { expectEqualMeans, expectRefusal } from "../../../test/support/kernels.ts";
import { type Request, resolve } from "../../simulation/settings.ts";
import { runTrial } from "../../simulation/trial.ts";
import { councilContinuousKernel } from "./continuous.ts";

const protocol = "council-continuous";
const losses = { loss: 0.1, multicastLoss: 0.15, crash: 0.2 };

const cases: Partial<Request>[] = [
  {},
  { params: { stay: 0 }, ...losses },
  { params: { stay: 0.004, away: 0.002 } },
  { params: { stay: 0.004, away: 0.002 }, ...losses },
  { params: { stay: 0.004, away: 0.002, policy: "restart" }, ...losses },
  { params: { stay: 0.01, away: 0.01, policy: "restart", reading: "printed", L: 3, U: 4 } },
  { params: { stay: 0.004, away: 0, crashes: 0, lease: 1 }, multicastLoss: 0.5 },
  { params: { stay: 0.0004, away: 0.0002, hours: 0.0014, crashes: 1, lease: 2 }, multicastLoss: 0.3 },
  { params: { stay: 0.01, hours: 0.001, period: 20 } },
  { params: { stay: 0.0003, away: 0.0001, hours: 0.003, low: 7 }, loss: 0.9 },
];

test.each(cases)("%j: every mean is that of the protocol", (rest) => {
  const params = { hours: 0.01, ...rest.params };
  const request = { protocol, n: 30, ...rest, params };
  expect(resolve(request).kernel).toBe("council-continuous, lumped");
  expectEqualMeans({ ...request, kernel: "off" }, effort(80, 5000), { ...request, seed: 2 }, effort(320, 20_000));
});

test("what tells hosts apart is left to the host", () => {
  for (const faults of [{ crashes: [{ node: 3, at: 2 }] }, { partitions: [{ groups: [[1, 2]], from: 0, to: 5 }] }]) {
    expectRefusal(councilContinuousKernel, { protocol, n: 20, faults }, "tells hosts apart");
  }
});

test("a million hosts that come and go cost no more than a thousand", () => {
  const settings = resolve({ protocol, n: 1_000_000 });
  const { outcome, measures, messages } = runTrial(settings, 0);
  expect(outcome).toBe("one");
  expect(measures.availability).toBeGreaterThan(0.95);
  expect(messages).toBeLessThan(3000);
});
