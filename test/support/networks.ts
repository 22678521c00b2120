/** Small networks of every kind, and what elections on them are held against. */
import { expect } from "vitest";
import { type Request, resolve } from "../../src/simulation/settings.ts";
import { runTrial, type Trial } from "../../src/simulation/trial.ts";
import { factsOf } from "../../src/topology/facts.ts";
import { networkOf } from "../../src/topology/spec.ts";

export const NETWORKS: readonly [topology: string, n: number][] = [
  ["complete", 1],
  ["complete", 2],
  ["complete", 7],
  ["ring", 9],
  ["star", 8],
  ["torus", 20],
  ["hypercube", 16],
  ["regular:3", 20],
  ["ba:1", 15],
  ["ba:2", 25],
];

/** Of the network that a simulation with seed 1 runs on. */
export const linksOf = (spec: string, n: number): number =>
  n === 1 ? 0 : factsOf(networkOf({ spec, n, seed: 1, largestComponent: false }).topology).links();

export function trialsOf(trials: number, request: Request): Trial[] {
  const settings = resolve(request);
  return Array.from({ length: trials }, (_, trial) => runTrial(settings, trial));
}

/** A mean within 4.5 standard errors, which chance alone breaks once in 140,000, and a slack where theory is only near. */
export function near(trials: readonly Trial[], quantity: "messages" | "rounds", expected: number, slack = 0): void {
  const values = trials.map((trial) => trial[quantity]);
  const mean = values.reduce((a, b) => a + b) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
  const allowed = 4.5 * Math.sqrt(variance / values.length) + slack * expected + 1e-9;
  expect(Math.abs(mean - expected), `${quantity}: ${mean}, not ${expected}`).toBeLessThanOrEqual(allowed);
}
