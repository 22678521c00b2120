import { describe, expect, test } from "vitest";
import { effort } from "../../../test/support/effort.ts";
import { near, trialsOf } from "../../../test/support/networks.ts";
import { explore } from "../../explorer/explore.ts";
import { termination } from "../../properties/properties.ts";
import { predict } from "../../registry/all.ts";
import { questionOf } from "../../simulation/question.ts";
import { type Request, resolve } from "../../simulation/settings.ts";
import { untilRepeats } from "../../theory/network-size.ts";

const protocol = "network-size";

const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length;
const deviation = (values: readonly number[]) => Math.sqrt(mean(values.map((value) => (value - mean(values)) ** 2)));

function estimates(trials: number, request: Omit<Request, "protocol">): number[] {
  const runs = trialsOf(trials, { protocol, ...request });
  for (const { outcome, measures } of runs) {
    expect(outcome).toBe("one");
    expect(measures.estimate).toBeGreaterThanOrEqual(0);
  }
  return runs.map(({ measures }) => measures.estimate);
}

describe("theory of samples that are uniform", () => {
  test("by hand: two processes, one repeat", () => {
    // The second sample repeats with probability 1/2, otherwise the third does: 2.5 samples, and estimates of 1 and 3.
    expect(untilRepeats(2, 1)).toEqual({ samples: 2.5, relativeError: 0.5 });
  });

  test("against every sequence of draws from three, until the second repeat", () => {
    let [samples, first, second] = [0, 0, 0];
    const draw = (taken: number, repeats: number, exposure: number, drawn: number, p: number): void => {
      if (repeats === 2) {
        samples += p * drawn;
        first += (p * exposure) / 2;
        second += p * (exposure / 2) ** 2;
        return;
      }
      if (taken < 3) draw(taken + 1, repeats, exposure + taken, drawn + 1, p * (1 - taken / 3));
      if (taken > 0) draw(taken, repeats + 1, exposure + taken, drawn + 1, (p * taken) / 3);
    };
    draw(0, 0, 0, 0, 1);
    const expected = untilRepeats(3, 2);
    expect(first).toBeCloseTo(3, 12);
    expect(expected.samples).toBeCloseTo(samples, 12);
    expect(expected.relativeError).toBeCloseTo(Math.sqrt(second - 9) / 3, 12);
  });

  test("the relative error is at most 1/sqrt(repeats) and near it for large n; samples grow like sqrt(2 n repeats)", () => {
    for (const repeats of [1, 4, 16, 100]) {
      for (const n of [2, 10, 1000, 1e6])
        expect(untilRepeats(n, repeats).relativeError).toBeLessThanOrEqual(repeats ** -0.5);
      const { samples, relativeError } = untilRepeats(1e8, repeats);
      expect(relativeError * Math.sqrt(repeats)).toBeGreaterThan(0.99);
      expect(samples / Math.sqrt(2e8 * repeats)).toBeGreaterThan(0.88);
      expect(samples / Math.sqrt(2e8 * repeats)).toBeLessThan(1.01);
    }
  });
});

// Means within 4.5 standard errors: chance alone breaks one of the 30 comparisons below once in 4,000.
describe.each([
  ["complete", 2],
  ["complete", 300],
  ["hypercube", 64],
  ["regular:4", 100],
  ["ba:2", 60],
  ["star", 12],
])("%s of %i", (topology, n) => {
  // What is left of the start after the mixing time is up to 1/(2n) for every process.
  const request = { n, topology, params: { tau: 2 * Number(resolve({ protocol, n, topology }).params.tau) } };

  test("the mean estimate is n, with the error and as many samples as theory says", () => {
    const { factors, messages } = predict(questionOf({ protocol, ...request }))!;
    const trials = trialsOf(effort(120, 3000), { protocol, ...request });
    const found = trials.map(({ measures }) => measures.estimate);
    const allowed = (4.5 * factors!.relativeError) / Math.sqrt(found.length);
    expect(Math.abs(mean(found) / n - 1)).toBeLessThan(allowed + 1 / n ** 2);
    // The deviation of a deviation is about 1/sqrt(2 trials) of it, more where the distribution has a tail.
    expect(Math.abs(deviation(found) / n / factors!.relativeError - 1)).toBeLessThan(7 / Math.sqrt(2 * found.length));
    const samples = trials.map((trial) => trial.measures.samples);
    expect(Math.abs(mean(samples) - factors!.samples)).toBeLessThan(
      (4.5 * deviation(samples)) / Math.sqrt(found.length) + 0.01 * factors!.samples,
    );
    // The way home is not in it.
    if (messages !== null) near(trials, "messages", messages, 0.1);
  });
});

describe("what spoils it", () => {
  test("walks that prefer many links take the network for a smaller one, as much as theory says", () => {
    for (const topology of ["ba:2", "power-law:0.8"]) {
      const request = { n: 100, topology, params: { walk: "simple" } };
      const { estimate } = predict(questionOf({ protocol, ...request }))!.factors!;
      const found = mean(estimates(200, request));
      expect(estimate).toBeLessThan(80);
      expect(Math.abs(found / estimate - 1)).toBeLessThan(0.1);
    }
  });

  test("successive steps of one walk meet what they have just left: the estimate is far too low, and theory is silent", () => {
    const at = (gap: number) => mean(estimates(100, { n: 1000, topology: "regular:8", params: { gap } }));
    expect(at(1)).toBeLessThan(400);
    expect(at(3)).toBeGreaterThan(800);
    expect(predict(questionOf({ protocol, n: 1000, topology: "regular:8", params: { gap: 1 } })).reason).toContain(
      "depend on each other",
    );
  });

  test("a lost token leaves no estimate, and the run ends", () => {
    const trials = trialsOf(20, { protocol, n: 50, topology: "regular:4", loss: 1 });
    for (const trial of trials) expect(trial).toMatchObject({ outcome: "none", messages: 1 });
  });
});

test("several may ask, each for itself", () => {
  const trials = trialsOf(20, { protocol, n: 30, topology: "regular:4", initiators: 4 });
  for (const { outcome, measures } of trials) expect([outcome, measures.undecided]).toEqual(["one", 0]);
});

test("every draw of the first steps, on small networks: no run goes wrong", () => {
  for (const [n, topology] of [
    [3, "complete"],
    [3, "star"],
  ] as const) {
    const params = { repeats: 1, tau: 1, gap: 1 };
    const found = explore(protocol, {
      n,
      topology,
      initiators: [0],
      params,
      choices: 3,
      maxStates: 20_000,
      properties: [termination],
    });
    expect(found.violation).toBeNull();
  }
});
