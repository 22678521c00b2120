import { describe, expect, test } from "vitest";
import { congestLimit } from "../../host/congest.ts";
import { type Request, resolve } from "../../simulation/settings.ts";
import { runTrial } from "../../simulation/trial.ts";
import { spreadWalks } from "./random-walks.ts";

const settings = (topology: string, n: number | null, params: Request["params"] = {}, rest: Partial<Request> = {}) =>
  resolve({ protocol: "random-walks", n, seed: 11, topology, params: params!, ...rest });
const run = (trials: number, ...what: Parameters<typeof settings>) => {
  const resolved = settings(...what);
  return Array.from({ length: trials }, (_, trial) => runTrial(resolved, trial));
};
const share = (trials: readonly { outcome: string }[], outcome: string) =>
  trials.filter((trial) => trial.outcome === outcome).length / trials.length;

describe("random walks", () => {
  test.each([
    ["complete", 60],
    ["ring", 15],
    ["torus", 36],
    ["hypercube", 64],
    ["star", 30],
    ["regular:4", 60],
    ["ba:2", 60],
    ["er:0.2", 40],
  ])("%s of %i: messages are tokens and notifications, within 2 tau rounds, and everybody decides", (topology, n) => {
    // A run that breaks CONGEST throws, so this also says that none does.
    for (const { messages, rounds, bits, measures } of run(20, topology, n, { candidates: 6 })) {
      expect(messages).toBe(measures.tokens + measures.wins);
      expect(rounds).toBeLessThanOrEqual(2 * measures.tau);
      expect(measures.undecided).toBe(0);
      expect(bits).toBeLessThanOrEqual(messages * congestLimit(n));
    }
  });

  test("the only candidate always leads: all its walks survive and all notifications come home", () => {
    for (const topology of ["complete", "star", "ba:2", "regular:4"]) {
      for (const trial of run(60, topology, 40, { candidates: 1 })) {
        if (trial.measures.candidates === 1) expect(trial.outcome).toBe("one");
        if (trial.measures.candidates === 0) expect(trial).toMatchObject({ outcome: "none", messages: 0 });
      }
    }
  });

  test("a link carries the walks of one round as one message", () => {
    // One step of 1000 walks on a star: the centre reaches all 9 others, each of them only the centre.
    for (const { measures } of run(30, "star", 10, { candidates: 1, walks: 1000, tau: 1, lazy: "true" })) {
      if (measures.candidates === 1) expect([1, 9]).toContain(measures.tokens);
    }
  });

  test("explicit: flooding reaches everybody, with at most two messages per link", () => {
    for (const [topology, n, links] of [
      ["torus", 36, 72],
      ["star", 20, 19],
      ["regular:4", 40, 80],
    ] as const) {
      for (const { outcome, measures } of run(10, topology, n, { explicit: true })) {
        if (outcome !== "one") continue;
        expect(measures.announcements).toBeGreaterThanOrEqual(n - 1);
        expect(measures.announcements).toBeLessThanOrEqual(2 * links);
      }
    }
  });

  test("tau and laziness follow from the network, unless they are given", () => {
    expect(settings("complete", 50).params).toMatchObject({ tau: 2, lazy: "false" });
    expect(settings("hypercube", 16).params.lazy).toBe("true");
    expect(settings("hypercube", 16, { tau: 5 }).params).toMatchObject({ tau: 5, lazy: "true" });
    expect(settings("regular:4", 50, { lazy: "true" }).params.lazy).toBe("true");
  });

  test("what cannot work is refused", () => {
    expect(() => settings("hypercube", 16, { lazy: "false" })).toThrow("bipartite");
    expect(() => settings("hypercube", 16, { lazy: "false", tau: 5 })).toThrow("bipartite");
    expect(() => settings("ring", 200_001)).toThrow("give it with tau=STEPS");
    expect(() => settings("complete", 1)).toThrow("at least 2");
    expect(() => settings("regular:4", 50, { tau: 0 })).toThrow("at least 1");
  });

  test("under loss the printed rule elects nobody, and a threshold elects one", () => {
    const faults = { faults: { loss: 0.01 } };
    expect(share(run(20, "regular:8", 500, {}, faults), "none")).toBeGreaterThan(0.9);
    expect(share(run(20, "regular:8", 500, { threshold: 0.5 }, faults), "one")).toBe(1);
  });
});

test("a step of many walks: all are accounted for, about half rest when lazy", () => {
  let draw = 0;
  const ctx = { degree: 7, choose: (n: number) => draw++ % n };
  const { resting, leaving } = spreadWalks(1000, true, ctx);
  expect(resting + [...leaving.values()].reduce((a, b) => a + b)).toBe(1000);
  expect(spreadWalks(1000, false, ctx).resting).toBe(0);
  expect(spreadWalks(1000, false, ctx).leaving.size).toBe(7);
});

test("on a star that was chosen as the network every node may be a candidate, the hub like the others", () => {
  const settings = resolve({ protocol: "random-walks", n: 10, topology: "star", params: { candidates: 10 } });
  expect(runTrial(settings, 0).measures.candidates).toBe(10);
  const faulty = resolve({ protocol: "random-walks", n: 10, topology: "star", faults: { crash: 1 } });
  expect(runTrial(faulty, 0)).toMatchObject({ outcome: "none", messages: 0, measures: { undecided: 0 } });
});

test("tau is measured in a run without candidates too", () => {
  const settings = resolve({ protocol: "random-walks", n: 10, params: { candidates: 0 } });
  expect(runTrial(settings, 0)).toMatchObject({ outcome: "none", measures: { candidates: 0, tau: 2 } });
});
