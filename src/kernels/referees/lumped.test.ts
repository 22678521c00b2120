/**
 * The lumped kernel of the referees against the exact one, which is the protocol bit for bit. Means are compared at 5 standard
 * errors: a false alarm has a chance of 6e-7 per comparison, about 1e-4 for all of this file. Seeds are fixed.
 */
import { expect, test } from "vitest";
import { effort } from "../../../test/support/effort.ts";
import { expectEqualMeans, expectRefusal } from "../../../test/support/kernels.ts";
import { predict } from "../../registry/all.ts";
import { type Request, resolve } from "../../simulation/settings.ts";
import { runTrial } from "../../simulation/trial.ts";
import { refereesLumpedKernel } from "./lumped.ts";

const request = (n: number, rest: Partial<Request> = {}): Request => ({ protocol: "referees", n, ...rest });
const lumped = (n: number, rest: Partial<Request> = {}): Request => request(n, { ...rest, seed: 2, kernel: "lumped" });

const losses = { loss: 0.1, crash: 0.15 };
const cases: [number, Partial<Request>][] = [
  [2, {}],
  [3, { params: { explicit: true } }],
  [12, { params: { candidates: 4, referees: 5 } }],
  [12, { params: { candidates: 4, referees: 5, threshold: 0.6, explicit: true }, ...losses }],
  [40, { params: { answers: "all", threshold: 0.5, explicit: true }, ...losses }],
  [40, { params: { candidates: 12, referees: 4 } }],
  [40, { params: { candidates: 12, referees: 9, answers: "all", threshold: 0.2 }, ...losses }],
  [500, {}],
  [500, { params: { referees: 30, answers: "all", threshold: 0.7 }, ...losses }],
  [500, { params: { referees: 30 }, faults: { crash: 0.3, crashes: [{ node: 7, at: 0 }] } }],
];

test.each(cases)("n = %i, %j: every mean is that of the protocol", (n, rest) => {
  expect(resolve(request(n, rest)).kernel).toBe("referees");
  expect(resolve(lumped(n, rest)).kernel).toBe("referees, lumped");
  const trials = effort(n > 100 ? 200 : 800, 20_000);
  expectEqualMeans(request(n, rest), trials, lumped(n, rest), 4 * trials);
});

test("as many messages as exact theory says, and as many elections without a leader or with several", () => {
  const n = 200;
  const rest = { params: { candidates: 3, referees: 12 } };
  const { messages, pNone, pMany } = predict({ protocol: "referees", ...questionOf(n, rest) })!;
  const trials = effort(8000, 40_000);
  const runs = Array.from({ length: trials }, (_, trial) => runTrial(resolve(lumped(n, rest)), trial));
  const share = (outcome: string) => runs.filter((run) => run.outcome === outcome).length / trials;
  for (const [outcome, p] of [
    ["none", pNone!],
    ["many", pMany!],
  ] as const) {
    expect(Math.abs(share(outcome) - p)).toBeLessThan(5 * Math.sqrt((p * (1 - p)) / trials));
  }
  const mean = runs.reduce((sum, run) => sum + run.messages, 0) / trials;
  const variance = runs.reduce((sum, run) => sum + (run.messages - mean) ** 2, 0) / trials;
  expect(Math.abs(mean - messages!)).toBeLessThan(5 * Math.sqrt(variance / trials));
});

function questionOf(n: number, rest: Partial<Request>) {
  const { params } = resolve(request(n, rest));
  return { n, params, loss: 0, multicastLoss: 0, crash: 0, initiators: n, graph: null };
}

test("it takes what is too large for the exact one, and a billion processes with faults cost nothing", () => {
  expect(resolve(request(1e12)).kernel).toBe("referees, lumped");
  const settings = resolve(lumped(1e9, { ...losses, params: { answers: "all", threshold: 0.6 } }));
  const runs = Array.from({ length: 20 }, (_, trial) => runTrial(settings, trial));
  for (const { outcome } of runs) expect(outcome).toBe("one");
});

test("what it does not know it refuses, and so does lumped where there is no such kernel", () => {
  const adversarial = { params: { wakeup: "adversarial" } };
  expectRefusal(refereesLumpedKernel, request(100, adversarial), "wakeup=simultaneous");
  expectRefusal(refereesLumpedKernel, request(100, { faults: { crashes: [{ node: 1, at: 1 }] } }), "no faults but");
  expect(() => resolve(lumped(100, adversarial))).toThrow("set kernel to auto");
  expect(() => resolve({ protocol: "peterson", n: 10, kernel: "lumped" })).toThrow("peterson has no lumped kernel");
});
