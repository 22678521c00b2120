/** What ring elections do under faults they do not tolerate: they end, never in two leaders, and they say so. */
import { describe, expect, test } from "vitest";
import type { FaultPlan } from "../../host/faults/faults.ts";
import { resolve } from "../../simulation/settings.ts";
import { runTrial, type Trial } from "../../simulation/trial.ts";
import { catalogue } from "../catalogue.ts";

const rings = catalogue.filter(({ assumes }) => assumes.topology === "ring");
const delay = { kind: "exponential", mean: 1 } as const;

const PLANS: Record<string, Partial<FaultPlan>> = {
  loss: { loss: 0.04 },
  "crashes before the start": { crash: 0.3 },
  "a crash during the run": { crashes: [{ node: 3, at: 4 }] },
  "a pause": { pauses: [{ node: 1, from: 1, to: 50 }] },
  "a partition that heals": { partitions: [{ groups: [[0, 1, 2]], from: 2, to: 8 }] },
};

/** Elections of 4 to 13 nodes: all or half of them start, with and without late starts and passive nodes that join. */
function trials(protocol: string, faults: Partial<FaultPlan>): Trial[] {
  const { assumes, parameters } = catalogue.find(({ name }) => name === protocol)!;
  return Array.from({ length: 200 }, (_, trial) => {
    const n = 4 + (trial % 10);
    const passive = trial % 2 === 0 ? "relay" : "join";
    const params = parameters.some(({ name }) => name === "spread") ? { passive, spread: trial % 3 } : {};
    const host = assumes.timing === "synchronous" || trial % 5 < 2 ? "lockstep" : "events";
    const initiators = trial % 7 < 3 ? "all" : n >> 1;
    return runTrial(resolve({ protocol, n, host, delay, faults, initiators, params, seed: 8, kernel: "off" }), trial);
  });
}

describe.each(rings)("$name", ({ name, assumes }) => {
  test.each(Object.entries(PLANS))("%s", (what, faults) => {
    const outcomes = trials(name, faults).map(({ outcome }) => outcome);
    expect(outcomes).not.toContain("many");
    if (what === "a pause" && assumes.tolerates.includes("pause")) expect(new Set(outcomes)).toEqual(new Set(["one"]));
    // A crash cuts the ring: where it comes before the end of the election, nobody is elected.
    else if (what === "a crash during the run" && name !== "known-highest") expect(outcomes).toContain("none");
    else expect(outcomes).toContain("one");
  });
});

test("processes that had crashed are no part of the ring: the largest survivor is elected by the survivors", () => {
  const faults = { crashes: [{ node: 1, at: 0 }] };
  for (const protocol of ["chang-roberts", "hirschberg-sinclair"]) {
    const trial = runTrial(resolve({ protocol, n: 4, ids: [2, 9, 5, 1], faults, kernel: "off" }), 0);
    expect(trial).toMatchObject({ outcome: "one", leader: 5, measures: { announcements: 3, undecided: 0 } });
  }
});
