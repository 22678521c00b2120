import { expect, test } from "vitest";
import { elect } from "../../../test/support/rings.ts";
import { resolve } from "../../simulation/settings.ts";
import { runTrial } from "../../simulation/trial.ts";

const protocol = "known-highest";

test.each(["lockstep", "events"] as const)("%s: the highest id leads and all know it, without a message", (host) => {
  for (const ids of [[3], [3, 8], [12643, 5, 0]]) {
    const trial = runTrial(resolve({ protocol, n: ids.length, ids, host }), 0);
    expect(trial).toMatchObject({ outcome: "one", leader: Math.max(...ids), messages: 0, rounds: 0 });
  }
  expect(elect({ protocol, ids: [12643, 5, 0], initiators: [1] }).census.beliefs).toEqual(new Map([[12643, 3]]));
});

test("if the process with the highest id had crashed, nobody leads; any other may crash", () => {
  const crashed = (node: number) =>
    runTrial(resolve({ protocol, n: 3, ids: [4, 9, 2], faults: { crashes: [{ node, at: 0 }] } }), 0).outcome;
  expect([0, 1, 2].map(crashed)).toEqual(["one", "none", "one"]);
});
