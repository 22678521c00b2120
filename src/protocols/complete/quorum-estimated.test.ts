import { describe, expect, test } from "vitest";
import { effort } from "../../../test/support/effort.ts";
import { trialsOf } from "../../../test/support/networks.ts";
import { explore } from "../../explorer/explore.ts";
import { atMostOneLeader } from "../../properties/properties.ts";
import { untilRepeats } from "../../theory/network-size.ts";

const protocol = "quorum-estimated";

const shareOf = (trials: ReturnType<typeof trialsOf>, outcome: string) =>
  trials.filter((trial) => trial.outcome === outcome).length / trials.length;

describe("nobody is told n", () => {
  test.each(["complete", "regular:4"])("%s of 300: contenders believe in n on average, and one leads", (topology) => {
    const trials = trialsOf(effort(40, 400), { protocol, n: 300, topology, initiators: 10 });
    const believed = trials.reduce((sum, { measures }) => sum + measures.believed, 0) / (10 * trials.length);
    // 4.5 standard errors, and what rounding to whole processes adds: once in 140,000 by chance.
    const allowed = (4.5 * untilRepeats(300, 16).relativeError) / Math.sqrt(10 * trials.length);
    expect(Math.abs(believed / 300 - 1)).toBeLessThan(allowed + 0.002);
    expect(shareOf(trials, "one")).toBeGreaterThan(0.85);
    expect(shareOf(trials, "none")).toBe(0);
  });

  test("too little faith elects several, a factor of safety does not", () => {
    const at = (estimate: number) => trialsOf(40, { protocol, n: 300, initiators: 10, params: { estimate } });
    expect(shareOf(at(0.1), "many")).toBeGreaterThan(0.8);
    expect(shareOf(at(2), "one")).toBe(1);
  });

  test("more repeats give better estimates, and cost as many messages more as theory says", () => {
    for (const repeats of [4, 64]) {
      const trials = trialsOf(20, { protocol, n: 300, initiators: 5, params: { repeats } });
      const samples = trials.reduce((sum, { measures }) => sum + measures.samples, 0) / (5 * trials.length);
      const { samples: needed } = untilRepeats(300, repeats);
      // Samples come in batches that double their number, so up to twice as many are drawn.
      expect(samples).toBeGreaterThanOrEqual(needed * 0.9);
      expect(samples).toBeLessThanOrEqual(2.2 * Math.max(8, needed));
    }
  });
});

test("it ends where nobody answers, and where some are dead", () => {
  for (const trial of trialsOf(10, { protocol, n: 20, loss: 1 })) {
    expect(trial).toMatchObject({ outcome: "none", measures: { undecided: 0 } });
  }
  for (const { measures } of trialsOf(10, { protocol, n: 20, crash: 0.5 })) expect(measures.undecided).toBe(0);
});

test("two processes, every schedule of the first draws: never two leaders, for both ask everybody", () => {
  const found = explore(protocol, {
    n: 2,
    timed: 1,
    choices: 2,
    maxStates: 3000,
    params: { repeats: 1, estimate: 2 },
    properties: [atMostOneLeader],
  });
  expect(found.violation).toBeNull();
});
