/** What plans promise, held against simulations: settings are drawn from a fixed seed. */
import { expect, test } from "vitest";
import { effort } from "../../test/support/effort.ts";
import { HostStream } from "../random/streams.ts";
import { resolve } from "../simulation/settings.ts";
import { runTrial } from "../simulation/trial.ts";
import { rateOf } from "../statistics/intervals.ts";
import { attemptRequest } from "./attempt.ts";
import { carriageOf } from "./carriage.ts";
import { simulated } from "./pilot.ts";
import { type Candidate, plan } from "./plan.ts";
import { checkPlan, type PlanRequest } from "./setting.ts";

/** Messages that one candidate may take: those that cost more are left to the long run. */
const MESSAGES = effort(4_000, 60_000);
const TRIALS = effort(50, 300);

/** Among so many comparisons one in 500 runs would be refused by chance if every plan just met its target. */
const CONFIDENCE = 1 - 1e-6;

function drawn(draw: HostStream): PlanRequest {
  const pick = <T>(...of: readonly T[]): T => of[draw.choose(of.length)];
  const base = {
    n: pick(3, 4, 5, 7, 10, 15, 20, 30, 40, 50, 70),
    success: pick(0.8, 0.9, 0.95, 0.98),
    loss: pick(0, 0, 0.01, 0.05, 0.1, 0.2),
    crash: pick(0, 0, 0.01, 0.05),
    seed: 1 + draw.choose(1000),
  };
  const extra = pick<PlanRequest>(
    {},
    {},
    { multicast: true },
    { reliable: true, crash: 0 },
    { council: "2..6", n: 60 },
    { council: "1..3", multicast: true, n: 40 },
    { topology: "hypercube", n: pick(16, 32) },
    { topology: "torus:5x5", n: 25 },
    { denseIds: true, loss: 0, crash: 0 },
    { initiators: 2 },
    { within: pick("6tau", "30tau", "200tau") },
    { none: 0.15, several: 0.01 },
  );
  return { ...base, ...extra };
}

/** How many elections end with exactly one leader within the time that was said. */
function kept(
  request: PlanRequest,
  { protocol, parameters, time, messages }: Candidate,
): { one: number; trials: number } {
  const asked = checkPlan(request);
  const found = resolve({ protocol, n: asked.n }).protocol;
  const carriage = carriageOf(asked, found);
  const { setting, protocol: run } = simulated(asked, carriage, found);
  const given = Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== null));
  const settings = resolve(attemptRequest(setting, run, given));
  const trials = Math.min(TRIALS, Math.ceil(MESSAGES / Math.max(1, messages)));
  let one = 0;
  for (let trial = 20_000; trial < 20_000 + trials; trial++) {
    const { outcome, measures } = runTrial(settings, trial);
    if (outcome === "one" && carriage.lengthen(measures.steps) <= time + 1e-6) one++;
  }
  return { one, trials };
}

test("no plan falls below its target, and none takes longer than it says", { timeout: 7_200_000 }, async () => {
  const broken: unknown[] = [];
  let checked = 0;
  for (let i = 0; i < effort(2, 60); i++) {
    const request = drawn(new HostStream(20, i, "plan"));
    const { candidates } = await plan(request);
    for (const candidate of candidates) {
      const { one, trials } = kept(request, candidate);
      if (trials < 20) continue;
      checked++;
      const { high } = rateOf(one, trials, CONFIDENCE);
      const { success } = checkPlan(request);
      const { protocol, parameters, time } = candidate;
      if (high! < success) broken.push({ request, protocol, parameters, time, one, trials });
    }
  }
  expect(checked).toBeGreaterThan(effort(8, 250));
  expect(broken).toEqual([]);
});
