/** Planted bugs, modelled on real ones: the simulation must catch every one of them, each within the runs that it names. */
import { describe, expect, test } from "vitest";
import { BUGS } from "./bugs/all.ts";
import { scenarioOf } from "./scenario.ts";
import { simulate } from "./simulate.ts";

describe("a planted bug is caught", () => {
  test.each(BUGS)("$name: $mistake (at most $runs runs)", (bug) => {
    const { mix, wanted = {}, runs } = bug;
    for (let seed = 1; seed <= runs; seed++) {
      const { breach } = simulate(scenarioOf(seed, mix, wanted), bug);
      if (breach !== null) {
        expect(bug.breaks).toContain(breach.property);
        return;
      }
    }
    expect.fail(`${runs} runs of the mix ${mix} did not show it`);
  });
});
