/** The harness itself, on the elector in miniature: what it draws, and that it sees what it should. */
import { describe, expect, test } from "vitest";
import type { AnyProtocol } from "../../src/protocol.ts";
import { majority, type TermsMessage, type TermsState, terms } from "../support/terms.ts";
import type { Subject } from "./glimpse.ts";
import { KINDS, MIXES, mixNamed } from "./mixes.ts";
import { termsGrow } from "./rules/terms.ts";
import { runScenario, setupOf } from "./run.ts";
import { scenarioOf } from "./scenario.ts";

const miniature = terms(majority, 5);

const subject: Subject = {
  version: (state) => 1000 * (state as TermsState).term + ((state as TermsState).leader ?? 0),
  glimpse(state) {
    const { term, leader, self } = state as TermsState;
    const named = leader === null ? null : `m${leader - 1}`;
    return {
      version: this.version(state),
      life: self.life,
      joined: true,
      refused: null,
      view: [],
      failed: [],
      offices: { leader: { term, leader: named, mine: leader !== null && leader === self.id } },
    };
  },
  part: (message) =>
    (message as TermsMessage).kind === "child" ? { office: "leader", term: (message as { term: number }).term } : null,
};

const run = (protocol: AnyProtocol, seed: number) => {
  const scenario = scenarioOf(seed, "restarts", { until: 20_000 });
  const setup = setupOf(scenario, protocol, { beat: 150, patience: 600, child: {} });
  return runScenario(() => setup, scenario, subject, [termsGrow]);
};

const seeds = Array.from({ length: 10 }, (_, seed) => seed);

describe("plans of faults", () => {
  test("are the same for the same seed, and over when they say so", () => {
    for (const mix of Object.keys(MIXES)) {
      for (const seed of seeds) {
        const { plan } = scenarioOf(seed, mix, { members: 1 + seed });
        expect(plan).toEqual(scenarioOf(seed, mix, { members: 1 + seed }).plan);
        const { losses, partitions, spikes, pauses, restarts, joins, leaves, crashes } = plan.faults;
        for (const { to } of [losses, partitions, spikes!, pauses].flat()) expect(to).toBeLessThanOrEqual(plan.healed);
        for (const { at } of [restarts!, joins!, leaves!, crashes].flat()) expect(at).toBeLessThanOrEqual(plan.healed);
      }
    }
  });

  test("a mix is known by its name, or by its kinds", () => {
    expect(mixNamed("storm").kinds).toEqual(KINDS);
    expect(scenarioOf(1, "loss+crash").plan.kinds).toEqual(["loss", "crash"]);
    expect(() => mixNamed("weather")).toThrow('there is no mix "weather"');
  });
});

describe("the watch over a run", () => {
  test("lets a run pass in which all is well, and counts what was done to it", () => {
    const runs = seeds.map((seed) => run(miniature, seed));
    expect(runs.map(({ breach }) => breach)).toEqual(seeds.map(() => null));
    expect(runs.some(({ tally }) => tally.crash > 0 && tally.restart > 0)).toBe(true);
  });

  test("sees a member that forgets its term", () => {
    const forgetful = { ...miniature, saved: () => ({ term: 0 }) };
    expect(seeds.map((seed) => run(forgetful, seed).breach?.property)).toContain("terms-grow");
  });
});
