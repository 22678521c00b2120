import { describe, expect, test } from "vitest";
import { type Request, resolve } from "../../simulation/settings.ts";
import { runTrial } from "../../simulation/trial.ts";
import { refereesFor } from "../../theory/kutten/referees-async.ts";
import { refereesAsync } from "./referees-async.ts";

const run = (n: number, trials: number, rest: Partial<Request> = {}) => {
  const settings = resolve({ protocol: "referees-async", n, seed: 3, ...rest });
  return Array.from({ length: trials }, (_, trial) => runTrial(settings, trial));
};

test("one process elects itself at once, without a message", () => {
  expect(run(1, 1)[0]).toMatchObject({ outcome: "one", messages: 0, rounds: 0 });
});

test("groups of 2 and 3 elect one, for all candidates and delays", () => {
  for (const n of [2, 3]) {
    for (const candidates of [1, n]) {
      for (const trial of run(n, 50, { params: { candidates }, delay: { kind: "uniform", min: 0.1, max: 1 } })) {
        expect(trial.outcome).toBe(trial.measures.candidates === 0 ? "none" : "one");
      }
    }
  }
});

test("every request is answered once: 2 (n - 1) messages a candidate; a candidate that starts late is refused at once", () => {
  for (const { messages, measures, outcome } of run(10, 30, { params: { candidates: 3, spread: 20 } })) {
    expect(messages).toBe(2 * 9 * measures.candidates);
    if (measures.candidates > 0) expect(outcome).toBe("one");
    expect(measures.endorsements).toBeLessThanOrEqual(10);
  }
});

test("a referee endorses one candidate, however many ask and ask again", () => {
  for (const { measures } of run(12, 40, { params: { candidates: 12 }, faults: { loss: 0.4 } })) {
    expect(measures.endorsements).toBeLessThanOrEqual(12);
  }
});

describe("faults", () => {
  test("a minority of dead referees spoils nothing, a majority does", () => {
    for (const [dead, outcome] of [
      [[8], "one"],
      [[5, 6, 7, 8], "one"],
      [[4, 5, 6, 7, 8], "none"],
    ] as const) {
      const crashes = dead.map((node) => ({ at: 0, node }));
      for (const trial of run(9, 20, { params: { candidates: 9 }, faults: { crashes } })) {
        expect(trial.outcome).toBe(outcome);
      }
    }
  });

  test("loss: those who are silent are asked again, and one leads nearly always", () => {
    const trials = run(25, 200, { params: { candidates: 3 }, faults: { loss: 0.2 } });
    const stood = trials.filter(({ measures }) => measures.candidates > 0);
    expect(stood.filter(({ outcome }) => outcome === "one").length).toBeGreaterThan(0.97 * stood.length);
    expect(trials.some(({ outcome }) => outcome === "many")).toBe(false);
  });

  test("every run ends, whatever is lost", () => {
    for (const trial of run(20, 10, { faults: { loss: 1 } })) {
      expect(trial).toMatchObject({ outcome: "none", measures: { undecided: 0 } });
    }
  });
});

test("the smallest number of referees: all of a small group, and about sqrt(n ln(3/epsilon)) of a large one", () => {
  expect([1, 2, 64].map((n) => refereesFor({ n, loss: 0, epsilon: 1e-6 }))).toEqual([1, 2, 64]);
  for (const n of [1000, 100_000, 1e7]) {
    const m = refereesFor({ n, loss: 0, epsilon: 1e-6 });
    expect(m / Math.sqrt(n * Math.log(3e6))).toBeGreaterThan(0.9);
    expect(m / Math.sqrt(n * Math.log(3e6))).toBeLessThan(1.02);
  }
});

test("what strangers may send, and what is too little to go by", () => {
  const good = [{ kind: "request", rank: 7 }, { kind: "endorsed" }, { kind: "refused" }];
  const bad = [{ kind: "request" }, { kind: "request", rank: -1 }, { kind: "request", rank: "7" }, { kind: "leader" }];
  for (const message of good) expect(refereesAsync.accepts!(message)).toBe(true);
  for (const message of bad) expect(refereesAsync.accepts!(message)).toBe(false);
  expect(() => run(5, 1, { params: { threshold: 0.4 } })).toThrow("must be a share from 0.5 to 1");
  expect(() => run(5, 1, { delay: { kind: "exponential", mean: 1 } })).toThrow("tau");
});
