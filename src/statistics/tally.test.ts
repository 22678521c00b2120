import { expect, test } from "vitest";
import { resolve } from "../simulation/settings.ts";
import type { Trial } from "../simulation/trial.ts";
import { reportOf } from "./report.ts";
import { TrialTally } from "./tally.ts";

const trialOf = (trial: number, outcome: Trial["outcome"], series: Trial["series"]): Trial => ({
  trial,
  outcome,
  leader: null,
  messages: 10 * trial,
  rounds: trial / 3,
  bits: 7,
  measures: { steps: trial, phases: 0.1 * trial },
  series,
});

const TRIALS = [
  trialOf(0, "one", { contenders: [8, 4, 2] }),
  trialOf(1, "many", { contenders: [8] }),
  trialOf(2, "none", {}),
  trialOf(3, "one", { load: [0.1], contenders: [8, 3] }),
  trialOf(4, "one", { load: [0.2] }),
  trialOf(5, "one", { load: [0.3] }),
];

const SETTINGS = resolve({ protocol: "chang-roberts", n: 8 });

function tallyOf(...chunks: readonly (readonly Trial[])[]): TrialTally {
  const whole = new TrialTally();
  for (const chunk of chunks) {
    const part = new TrialTally();
    for (const trial of chunk) part.add(trial);
    whole.merge(structuredClone(part.data()));
  }
  return whole;
}

test("a series is the mean over all trials, 0 where a trial did not get so far", () => {
  const { series } = reportOf(SETTINGS, tallyOf(TRIALS), 2, false);
  expect(series.contenders).toEqual([24 / 6, 7 / 6, 2 / 6]);
  expect(series.load).toEqual([0.6 / 6]);
});

test("outcomes, success and speed", () => {
  const report = reportOf(SETTINGS, tallyOf(TRIALS), 2, false);
  expect(report.outcomes).toEqual({ none: 1, one: 4, many: 1 });
  expect(report.success.rate).toBe(4 / 6);
  expect(report.messagesPerSecond).toBe(75);
  expect(report.measures.steps.mean).toBe(2.5);
});

test("the report is the same for every way to cut the trials into two chunks", () => {
  const expected = JSON.stringify(reportOf(SETTINGS, tallyOf(TRIALS), 1, false));
  for (let cut = 0; cut <= TRIALS.length; cut++) {
    const tally = tallyOf(TRIALS.slice(0, cut), TRIALS.slice(cut));
    expect(JSON.stringify(reportOf(SETTINGS, tally, 1, false))).toBe(expected);
  }
});

test("a report without trials is all nulls", () => {
  const report = reportOf(SETTINGS, new TrialTally(), 0, true);
  expect(report).toMatchObject({ trials: 0, partial: true, success: { rate: null }, messagesPerSecond: null });
  expect(report.messages.mean).toBeNull();
});

test("the fields and their order are the promised ones", () => {
  const report = reportOf(SETTINGS, tallyOf(TRIALS), 1, false);
  expect(Object.keys(report).join(" ")).toBe(
    "version protocol host kernel n trials seed topology parameters faults partial confidence outcomes success " +
      "messages rounds bits measures series seconds messagesPerSecond setting",
  );
  expect(Object.keys(report.outcomes).join(" ")).toBe("none one many");
  expect(Object.keys(report.success).join(" ")).toBe("rate low high");
  expect(Object.keys(report.messages).join(" ")).toBe("mean low high sd min p50 p90 p99 max");
});
