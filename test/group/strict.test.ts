/**
 * Groups in strict mode in virtual time: members as they ship, an engine, and a resource behind a guard that every holder
 * writes to, under faults drawn from a seed, held against every rule at every event.
 */
import { describe, expect, test } from "vitest";
import { effort } from "../support/effort.ts";
import { replayCommand } from "./command.ts";
import { STRICT_MIXES, type StrictMixName } from "./mixes.ts";
import { STRICT_RULES } from "./rules/strict.ts";
import { scenarioOf, type Wanted } from "./scenario.ts";
import { chronicle, type Line } from "./strict/chronicle.ts";
import { simulateStrict } from "./strict/simulate.ts";
import type { Parts } from "./strict/stack.ts";

/** What goes wrong in a seed, and the command that runs it again. */
function failureOf(seed: number, mix: StrictMixName, given: Wanted = {}): string | null {
  const wanted = { members: 5, lease: {}, ...given };
  const { breach } = simulateStrict(scenarioOf(seed, mix, wanted));
  return breach && `${breach.property}: ${breach.what} (${replayCommand(seed, mix, wanted)})`;
}

/** The first of so many seeds in which something does. */
function firstFailure(seeds: number, mix: StrictMixName, given: Wanted = {}, first = 1): string | null {
  for (let seed = first; seed < first + seeds; seed++) {
    const failure = failureOf(seed, mix, given);
    if (failure !== null) return failure;
  }
  return null;
}

const SEEDS = effort(2, 200);
test.each([0, 1, 2, 3].map((part) => 1 + part * SEEDS))(
  "five members and an engine keep every promise under all kinds of faults, seeds from %i on",
  (first) => {
    expect(firstFailure(SEEDS, "all", {}, first)).toBeNull();
  },
);

const mixes = Object.keys(STRICT_MIXES).filter((mix) => mix !== "all") as StrictMixName[];

test.each(mixes)("and under the mix %s", (mix) => {
  expect(firstFailure(effort(3, 80), mix)).toBeNull();
});

// In 3 a healthy holder took itself for cut off, in 99 a command came before a deadline that was due, and in 643 the word about a higher
// term was lost. In 66 an heir declined before the lease store had the release, in 169 a term was opened against a holder that then
// crashed, in 939 no seed was left by which members could meet, and in 788 a copy older than the group was restored: there rules were wrong. In
// 185 the store obeyed what its former life was told, and in the last one a side where nobody may lead named a holder it had not met. Seeds
// drift; these cost little.
test.each([
  ["calm", 3],
  ["all", 99],
  ["all", 643],
  ["storm", 66],
  ["all", 169],
  ["storm", 185],
  ["storm", 939],
  ["storm", 788],
  ["storm", 1795039908132],
] as const)("mix %s, seed %i, which has found something", (mix, seed) => {
  expect(failureOf(seed, mix)).toBeNull();
});

describe("a holder leaves its office to an heir that takes none any more, and its work does not end in time", () => {
  const nodes = [0, 1, 2];
  const toAll = (at: number, message: unknown) => nodes.map((node) => ({ node, at, message }));
  const lease = { ttl: 2000, settling: [1100, 1100] } as const;

  /** What breaks, and whether the heir has asked for the office after the work should have ended. */
  function leftTo(heir: string, plant?: (parts: Parts) => Parts) {
    const commands = [
      ...toAll(12_000, { kind: "transfer", office: "leader", to: heir }),
      ...toAll(12_100, { kind: "eligible", eligible: false }),
      ...toAll(24_000, { kind: "eligible", eligible: true }),
    ];
    const wanted = { members: nodes.length, policy: "available", offices: ["leader"], lease } as const;
    const scenario = scenarioOf(1, "calm", { ...wanted, faults: { commands } });
    const lines: Line[] = [];
    const { breach } = simulateStrict(scenario, plant, [chronicle(lines), ...STRICT_RULES]);
    const asks = ({ time, text }: Line) => text.startsWith(`${heir} asks: acquire`) && time > 13_000 && time < 13_100;
    return { breach: breach && `${breach.property}: ${breach.what}`, asked: lines.some(asks) };
  }

  test("the heir asks for the office, although it was not released for it", () => {
    const all = nodes.map((node) => leftTo(`m${node}`));
    expect(all.map(({ breach }) => breach)).toEqual([null, null, null]);
    // The holder is one of the three.
    expect(all.filter(({ asked }) => asked)).toHaveLength(2);
  });

  test("nobody else may ask", () => {
    const takesAnyHeirForItself = (parts: Parts): Parts => ({
      ...parts,
      group: {
        ...parts.group,
        receive(state, port, message, ctx) {
          const isLeft = "kind" in message && message.kind === "claim" && message.claim.heir !== null;
          const heard = isLeft ? { ...message, claim: { ...message.claim, heir: state.name } } : message;
          parts.group.receive(state, port, heard, ctx);
        },
      },
    });
    expect(nodes.map((node) => leftTo(`m${node}`, takesAnyHeirForItself).breach)).toContainEqual(
      expect.stringMatching(/^followers-are-silent: m\d asks for leader, which it has not won$/),
    );
  });
});

describe("groups of other sizes", () => {
  test.each([1, 2, 3, 9])("%i members keep every promise", (members) => {
    expect(firstFailure(effort(2, 80), "all", { members })).toBeNull();
  });

  test("8 offices under one session for each holder", () => {
    const offices = ["leader", ...Array.from({ length: 7 }, (_, i) => `shard-${i + 1}`)];
    expect(firstFailure(effort(2, 40), "all", { offices })).toBeNull();
  });
});
