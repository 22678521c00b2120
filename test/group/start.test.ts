/** All members of a group start at the same moment, each with the same three seeds, which are joining too. */
import { expect, test } from "vitest";
import { unsettled } from "./rules/settled.ts";
import { scenarioOf } from "./scenario.ts";
import { simulate } from "./simulate.ts";
import type { MakeRule } from "./watch.ts";

/** Within so many milliseconds all see all, and one leads. */
const SOON = 6000;

const isThereSoon: MakeRule = (truth) => ({
  name: "is-there-soon",
  due: SOON,
  overdue() {
    this.due = Infinity;
    return unsettled(truth);
  },
});

test.each([1, 2, 3, 5, 25])("%i members are one group with one leader within six seconds", (members) => {
  for (let seed = 1; seed <= 10; seed++) {
    const scenario = scenarioOf(seed, "calm", { members, until: SOON + 1000 });
    expect({ seed, ...simulate(scenario, null, [isThereSoon]) }).toMatchObject({ seed, breach: null });
  }
});
