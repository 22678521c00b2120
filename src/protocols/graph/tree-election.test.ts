import { describe, expect, test } from "vitest";
import { effort } from "../../../test/support/effort.ts";
import { linksOf, NETWORKS, trialsOf } from "../../../test/support/networks.ts";
import { explore } from "../../explorer/explore.ts";
import { messageBound, propertyNames } from "../../properties/properties.ts";
import { predict } from "../../registry/all.ts";
import { questionOf } from "../../simulation/question.ts";
import { resolve } from "../../simulation/settings.ts";
import { runTrial } from "../../simulation/trial.ts";
import { treeLeast, treeMost } from "../../theory/flooding.ts";

const protocol = "tree-election";

describe.each(NETWORKS)("%s of %i", (topology, n) => {
  const links = linksOf(topology, n);

  test("one leader, known to all, within the bounds, for all initiators and delays", () => {
    for (const delay of [
      { kind: "fixed", value: 1 },
      { kind: "exponential", mean: 1 },
    ] as const) {
      for (const initiators of [n, Math.ceil(n / 3), 1]) {
        const { messages, rounds } = predict(questionOf({ protocol, n, topology, initiators }))!;
        for (const trial of trialsOf(effort(8, 100), { protocol, n, topology, initiators, delay })) {
          expect(trial).toMatchObject({ outcome: "one", measures: { undecided: 0, announcements: n - 1 } });
          expect(trial.messages).toBeGreaterThanOrEqual(treeLeast(n, links));
          expect(trial.messages).toBeLessThanOrEqual(treeMost(n, links));
          expect(trial.measures.levels).toBeLessThanOrEqual(Math.log2(n));
          expect(messages).toBe(treeMost(n, links));
          if (delay.kind === "fixed") expect(trial.rounds).toBeLessThanOrEqual(rounds!);
        }
      }
    }
  });

  test("rounds in lock-step and events of one delay are the same election", () => {
    const [lockstep, events] = (["lockstep", "events"] as const).map((host) =>
      trialsOf(4, { protocol, n, topology, host, delay: { kind: "fixed", value: 1 } }),
    );
    expect(lockstep).toEqual(events);
  });
});

test("under loss and crashes nobody leads, or one; the chance of one is bounded from below", () => {
  const request = { protocol, n: 6, topology: "ring", loss: 0.002, crash: 0.01 };
  const { success, pMany, method } = predict(questionOf(request))!;
  expect([method, pMany]).toEqual(["bound", 0]);
  const trials = trialsOf(1000, request);
  const share = trials.filter(({ outcome }) => outcome === "one").length / trials.length;
  expect(share).toBeGreaterThan(success!);
  expect(trials.filter(({ outcome }) => outcome === "many")).toEqual([]);
});

test("two links between two processes are refused in words", () => {
  expect(() => resolve({ protocol, n: 2, topology: "ring" })).toThrow("more than one link between them");
});

describe("every schedule, every set of initiators, every arrangement of ids", () => {
  test.each([
    ["complete", 2],
    ["complete", 3],
    ["star", 4],
    ["ring", effort(3, 5)],
    ["ba:1", effort(3, 5)],
  ])("%s of %i", (topology, n) => {
    const properties = [...Object.values(propertyNames), messageBound(treeMost(n, linksOf(topology, n)))];
    const found = explore(protocol, { n, topology, initiators: "any", ids: "all", properties });
    expect(found).toMatchObject({ complete: true, violation: null });
  });
});

test("a process that starts again without its fragment may stop the election, but not the run", () => {
  const faults = { restarts: [{ node: 1, at: 2.5, saved: false }] };
  for (const n of [4, 6, 12]) {
    const settings = resolve({ protocol: "tree-election", n, topology: "complete", delay: "exp:1", until: 60, faults });
    for (let trial = 0; trial < 40; trial++) expect(runTrial(settings, trial).measures.steps).toBeLessThanOrEqual(60);
  }
});
