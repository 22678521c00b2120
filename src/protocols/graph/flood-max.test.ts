import { describe, expect, test } from "vitest";
import { effort } from "../../../test/support/effort.ts";
import { linksOf, NETWORKS, near, trialsOf } from "../../../test/support/networks.ts";
import { explore } from "../../explorer/explore.ts";
import { messageBound, propertyNames } from "../../properties/properties.ts";
import { predict } from "../../registry/all.ts";
import { questionOf } from "../../simulation/question.ts";
import type { Request } from "../../simulation/settings.ts";

const protocol = "flood-max";

const runs = (trials: number, request: Omit<Request, "protocol">) => trialsOf(trials, { protocol, ...request });

describe.each(NETWORKS)("%s of %i", (topology, n) => {
  const links = linksOf(topology, n);
  const elected = { outcome: "one", leader: n, measures: { undecided: 0 } };

  test("the largest id leads, known to all, whatever the delays", () => {
    for (const delay of [
      { kind: "fixed", value: 1 },
      { kind: "exponential", mean: 1 },
    ] as const) {
      for (const trial of runs(effort(5, 100), { n, topology, delay })) {
        expect(trial).toMatchObject(elected);
        expect(trial.messages).toBeLessThanOrEqual(2 * links * n + n - 1);
      }
    }
    for (const trial of runs(effort(5, 100), { n, topology, params: { stop: "diameter" } })) {
      expect(trial).toMatchObject(elected);
    }
  });

  test("one initiator: 2m + n - 1 messages under every delay", () => {
    for (const trial of runs(8, { n, topology, initiators: 1, delay: { kind: "exponential", mean: 1 } })) {
      expect(trial).toMatchObject({ outcome: "one", messages: 2 * links + n - 1 });
    }
  });
});

describe("theory", () => {
  // A mean of 400 runs is further than 4.5 standard errors off once in 140,000; the 100 comparisons here: once in 1,400.
  test.each(NETWORKS)("%s of %i: means are exact", (topology, n) => {
    for (const given of [
      { initiators: 1 },
      { params: { stop: "diameter" } },
      { initiators: Math.ceil(n / 3), params: { stop: "diameter" } },
    ]) {
      const request = { protocol, n, topology, ...given };
      const expected = predict(questionOf(request))!;
      expect(expected).toMatchObject({ method: "exact", success: 1 });
      const trials = runs(400, { n, topology, ...given });
      near(trials, "messages", expected.messages!);
      near(trials, "rounds", expected.rounds!);
    }
  });

  // As above, and 3% for floods that die and yet come back.
  test.each(NETWORKS)("%s of %i, all or some start: rounds are exact, messages near and bounded", (topology, n) => {
    for (const initiators of [n, Math.ceil(n / 3)]) {
      const { messages, rounds, factors } = predict(questionOf({ protocol, n, topology, initiators }))!;
      const trials = runs(300, { n, topology, initiators });
      near(trials, "messages", messages!, 0.03);
      near(trials, "rounds", rounds!);
      for (const trial of trials) {
        expect(trial.messages).toBeLessThanOrEqual(factors!.atMost);
        expect(trial.messages).toBeGreaterThanOrEqual(factors!.atLeast);
      }
    }
  });

  test("under loss and crashes nobody leads unless every message of the winner's flood arrives", () => {
    const request = { protocol, n: 6, topology: "ring", loss: 0.05, crash: 0.02 };
    const { success, pMany } = predict(questionOf(request))!;
    expect(success).toBeCloseTo(0.98 ** 6 * 0.95 ** 12, 12);
    expect(pMany).toBe(0);
    const trials = runs(2000, request);
    const share = trials.filter(({ outcome }) => outcome === "one").length / trials.length;
    // 4.5 standard errors: once in 140,000.
    expect(Math.abs(share - success!)).toBeLessThan(4.5 * Math.sqrt((success! * (1 - success!)) / 2000));
    expect(trials.filter(({ outcome }) => outcome === "many")).toEqual([]);
  });

  test("a diameter that is too small elects several, and theory is silent", () => {
    const request = { n: 12, topology: "ring", params: { stop: "diameter", diameter: 2 } };
    expect(runs(20, request).some(({ outcome }) => outcome === "many")).toBe(true);
    expect(predict(questionOf({ protocol, ...request }))).toMatchObject({ method: "none", reason: expect.any(String) });
  });
});

const properties = Object.values(propertyNames);

describe("every schedule, every set of initiators, every arrangement of ids", () => {
  test.each([
    ["complete", 2],
    ["complete", 3],
    ["ring", 3],
    ["star", effort(3, 4)],
    ["ring", effort(2, 4)],
    ["ba:1", effort(3, 5)],
  ])("%s of %i", (topology, n) => {
    for (const stop of ["echo", "diameter"]) {
      const asked = { n, topology, initiators: "any", ids: "all", params: { stop }, properties } as const;
      expect(explore(protocol, asked)).toMatchObject({ complete: true, violation: null });
    }
  });

  test("no schedule sends more than 2mk + n - 1", () => {
    const found = explore(protocol, { n: 3, properties: [messageBound(2 * 3 * 3 + 2)] });
    expect(found).toMatchObject({ complete: true, violation: null });
  });
});
