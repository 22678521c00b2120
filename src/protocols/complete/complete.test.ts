/** tournament, tournament-async and quorum as whole runs: edges, refusals, faults. */
import { describe, expect, test } from "vitest";
import { effort } from "../../../test/support/effort.ts";
import { runs } from "../../../test/support/samples.ts";
import { faultPlan } from "../../../test/support/swarm.ts";
import { resolve } from "../../simulation/settings.ts";

const variants = [
  { protocol: "tournament" },
  {
    protocol: "tournament",
    params: { failures: "no-refusal", mediators: "reuse", rounding: "stochastic", gamma: 0.1 },
  },
  { protocol: "tournament-async" },
  { protocol: "tournament-async", params: { reading: "tables", spread: 3 } },
  { protocol: "tournament-async", params: { failures: "no-refusal", mediator: "eager", gamma: 0.1, sigma: "alpha" } },
  { protocol: "quorum" },
  { protocol: "quorum", params: { reading: "tables", gamma: 0.2 } },
  { protocol: "quorum", params: { timing: "sync", gamma: 0.1 } },
] as const;

describe.each(variants)("$protocol $params", (given) => {
  const variant = { ...given, kernel: "off" } as const;

  test("runs of one to five processes end decided", () => {
    for (let n = 1; n <= 5; n++) {
      for (const trial of runs({ ...variant, n }, 30)) expect(trial.measures.undecided).toBe(0);
    }
  });

  test("a run with one contender elects it, one without elects nobody", () => {
    const request = { ...variant, params: { ...("params" in variant ? variant.params : {}), gamma: 0 }, n: 50 };
    for (const trial of runs({ ...request, initiators: 1 }, 20)) expect(trial.outcome).toBe("one");
    for (const trial of runs({ ...request, initiators: 0 }, 2)) {
      expect(trial).toMatchObject({ outcome: "none", messages: 0 });
    }
  });

  test("the phases add up to the messages", () => {
    for (const { messages, measures } of runs({ ...variant, n: 60 }, 10)) {
      expect(measures.firstPhase + measures.secondPhase).toBe(messages);
    }
  });

  test("whatever fails, every live contender decides, and a run without a leader says why", () => {
    for (let number = 0; number < effort(60, 3000); number++) {
      const n = 30;
      const faults = faultPlan(number, n);
      const [trial] = runs({ ...variant, n, seed: number, faults }, 1);
      const { refused, unanswered, undecided } = trial.measures;
      expect(undecided).toBe(0);
      const started = trial.series.contenders?.[0] ?? 0;
      expect(refused + unanswered).toBeLessThanOrEqual(started);
      // A leader can only be missing beside them where it crashed.
      if (trial.outcome === "none" && faults.crashes!.length === 0) expect(refused + unanswered).toBe(started);
    }
  });
});

test("failed mediators never answer: with every answer missing all contenders give up", () => {
  const sample = runs({ protocol: "tournament", n: 20, faults: { loss: 1 }, params: { J: 1 } }, 3);
  for (const { outcome, measures } of sample) {
    expect(outcome).toBe("none");
    expect(measures.unanswered).toBe(20);
    expect(measures.survivors).toBe(0);
  }
});

test("an answer later than tau counts as missing", () => {
  const request = { protocol: "quorum", n: 30, delay: { kind: "uniform", min: 0, max: 1 } } as const;
  for (const { measures, outcome } of runs({ ...request, initiators: 1, params: { tau: 0.05 } }, 10)) {
    expect(outcome).toBe("none");
    expect(measures.unanswered).toBe(1);
  }
});

test.each([0.1, 0.3, 1 / 3, 7.7])("delays of exactly tau = %f are in time", (tau) => {
  const request = { n: 40, delay: { kind: "fixed", value: tau } } as const;
  for (const protocol of ["tournament-async", "quorum"]) {
    for (const { measures } of runs({ ...request, protocol, params: { tau } }, 20)) expect(measures.unanswered).toBe(0);
    const spread = runs({ ...request, protocol, params: { tau, spread: 4 } }, 20);
    for (const { measures } of spread) expect(measures.unanswered).toBe(0);
  }
});

test("timing=sync runs in rounds and counts exchanges, async in units of the delay", () => {
  expect(resolve({ protocol: "quorum", n: 20, params: { timing: "sync" } }).host).toBe("lockstep");
  expect(resolve({ protocol: "quorum", n: 20 }).host).toBe("events");
  expect(runs({ protocol: "quorum", n: 20, params: { timing: "sync" } }, 1)[0].rounds).toBe(1);
  expect(() => resolve({ protocol: "quorum", n: 20, host: "events", params: { timing: "sync" } })).toThrow(/lockstep/);
});

test("a wrong estimate changes what processes plan, never more mediators than there are", () => {
  for (const estimate of [0.01, 0.5, 2, 1000]) {
    for (const protocol of ["tournament", "tournament-async", "quorum"]) {
      const [trial] = runs({ protocol, n: 10, params: { estimate } }, 1);
      expect(trial.measures.undecided).toBe(0);
    }
  }
  expect(resolve({ protocol: "quorum", n: 1000, params: { estimate: 2 } }).params.s).toBe(124);
  expect(resolve({ protocol: "quorum", n: 10, params: { estimate: 1000 } }).params.s).toBe(10);
});

test.each([
  ["tournament", { s: 101 }, /s = 101 mediators are more than the 100 processes: choose s of at most 100/],
  ["tournament", { s: 20, ask: 19 }, /ask = 19 .* choose ask of at least 20/],
  ["quorum", { ask: 101 }, /ask = 101 mediators are more than the 100 processes: choose ask of at most 100/],
  ["quorum", { gamma: 1.5 }, /gamma must be a share from 0 to 1/],
  ["tournament", { J: 8 }, /J = 8 is too large for n = 100.*choose J of at most 7/],
  ["tournament", { sigma: "alpha", alpha: 1e6, J: 1 }, /sigma = 1000 mediators in round 1.*choose J of at most 0/],
  ["tournament-async", { gamma: 1 }, /gamma = 1 leaves no mediator alive: choose a probability below 1/],
  ["tournament", { delta: 1e-50 }, /no J meets delta = 1e-50.*raise delta to at least e\^-100/],
  ["tournament", { delta: 0 }, /no J meets delta = 0/],
  ["tournament", { delta: 5e-324 }, /no J meets delta/],
  ["quorum", { tau: 0 }, /tau must be positive, not 0/],
  ["quorum", { estimate: 1e6, timing: "sync" }, /choose a smaller factor/],
  ["tournament", { alpha: 1 }, /alpha must be a number of at least 1.01/],
  ["quorum", { J: 3 }, /quorum has no parameter "J"/],
] as const)("%s refuses %o", (protocol, params, message) => {
  expect(() => resolve({ protocol, n: 100, params })).toThrow(message);
});
