/**
 * The lumped kernels against the protocol on its host. Means are compared at 5 standard errors of their difference: a
 * false alarm has a chance of 6e-7 per comparison, about 7e-5 for all of this file. Seeds are fixed.
 */
import { expect, test } from "vitest";
import { effort } from "../../../test/support/effort.ts";
import { expectEqualMeans } from "../../../test/support/kernels.ts";
import { resolve } from "../../simulation/settings.ts";
import { runTrial } from "../../simulation/trial.ts";

const losses = { loss: 0.15, multicastLoss: 0.1, crash: 0.2 };
const cases = [
  ["naive", {}, {}],
  ["basic", {}, losses],
  ["basic", { confirm: true }, losses],
  ["skip-reset", { estimate: 0.3 }, {}],
  ["skip-reset", { reading: "printed" }, losses],
  ["choice", {}, losses],
  ["choice", { base: "basic", confirm: true }, losses],
  ["history", {}, losses],
  ["history", { reading: "printed" }, losses],
  ["unknown", { guess: 300 }, losses],
  ["unknown", { guess: 300, base: "naive" }, {}],
  ["masks", {}, losses],
  ["skip-reset", { L: 5, U: 60 }, losses],
  ["skip-reset", { L: 1, U: 1, limit: 2 }, losses],
] as const;

test.each(cases)("%s %o under %o: kernel and host agree in every mean", (name, params, faults) => {
  const request = { protocol: `council-${name}`, n: 40, params, faults };
  expect(resolve(request).kernel).toBe(`council-${name}, lumped`);
  expect(resolve({ ...request, kernel: "off" }).kernel).toBeNull();
  expectEqualMeans({ ...request, kernel: "off" }, effort(200, 400), { ...request, seed: 2 }, effort(4000, 8000));
});

test("they leave schedules of faults to the host", () => {
  const kernelUnder = (faults: object) => resolve({ protocol: "council-basic", n: 20, faults }).kernel;
  for (const plan of [{}, { crashes: [{ node: 3, at: 0 }] }]) expect(kernelUnder(plan)).toBe("council-basic, lumped");
  for (const plan of [
    { crashes: [{ node: 3, at: 2 }] },
    { crashes: [{ node: 0, at: 0 }] },
    { pauses: [{ node: 3, from: 0, to: 5 }] },
    { partitions: [{ groups: [[1, 2]], from: 0, to: 5 }] },
    { losses: [{ rate: 0.1, kind: "both", link: null, from: 0, to: 9 }] },
  ]) {
    expect(kernelUnder(plan)).toBeNull();
  }
});

test("a million hosts cost no more than a thousand, and values never drift", () => {
  const settings = resolve({ protocol: "council-skip-reset", n: 1_000_000, params: { c: 5.8 } });
  const [first, second] = [0, 1].map((trial) => runTrial(settings, trial));
  expect([first.rounds, first.messages, second.rounds, second.messages]).toMatchInlineSnapshot(`
    [
      1,
      7,
      3,
      12,
    ]
  `);
});
