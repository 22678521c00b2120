import { expect, test } from "vitest";
import { resolve } from "../../simulation/settings.ts";
import { runTrial } from "../../simulation/trial.ts";
import { type CouncilName, type CouncilSetting, councilTheory, masksTheory } from "./report.ts";

const about = (council: CouncilName, n: number, params = {}, faults = {}) => {
  const settings = resolve({ protocol: `council-${council}`, n, params, faults });
  const setting = settings.params as unknown as CouncilSetting & { confirm: boolean };
  return { settings, theory: councilTheory(council, n, setting, settings.faults) };
};

test("n = 10^6 takes less than seconds, with the best c beside what was asked for", () => {
  const { theory } = about("skip-reset", 1_000_000, { c: 5 });
  expect(theory).toMatchObject({ method: "exact", success: 1, pNone: 0, pMany: 0 });
  expect(theory.optimum["auto-T"].c).toBeCloseTo(6.102608, 5);
  expect(theory.optimum["auto-T"].rounds).toBeLessThan(theory.rounds);
  expect(theory.optimum["auto-N"].messages).toBeLessThan(theory.messages);
  expect(theory.factors.under + theory.factors.within + theory.factors.over).toBeCloseTo(1, 12);
});

// 20,000 runs; 5 standard errors: a false alarm has a chance of 6e-7.
test("masks: the chance of more than U replies", () => {
  const settings = resolve({ protocol: "council-masks", n: 300, params: { U: 2 } });
  const theory = masksTheory(300, { U: 2, bits: 16 }, settings.faults);
  const trials = 20_000;
  let many = 0;
  for (let trial = 0; trial < trials; trial++) many += Number(runTrial(settings, trial).outcome === "many");
  const p = theory.pMany!;
  expect(p).toBeGreaterThan(0.05);
  expect(Math.abs(many / trials - p)).toBeLessThan(5 * Math.sqrt((p * (1 - p)) / trials));
});

test("under loss it calls itself an approximation: right for a single draw, near for the whole", () => {
  const faults = { loss: 0.2, multicastLoss: 0.1 };
  const { settings, theory } = about("naive", 2000, { c: 7 }, faults);
  expect(theory).toMatchObject({ method: "approximation", success: null });
  const trials = 20_000;
  let rounds = 0;
  for (let trial = 0; trial < trials; trial++) rounds += runTrial(settings, trial).rounds;
  // Draws of the naive algorithm are independent, so for it even the whole is right: geometric, 5 standard errors.
  const error = Math.sqrt((theory.rounds ** 2 - theory.rounds) / trials);
  expect(Math.abs(rounds / trials - theory.rounds)).toBeLessThan(5 * error);
  expect(about("naive", 2000, { confirm: true }, { loss: 0.2, multicastLoss: 0 }).theory.success).toBe(1);
});
