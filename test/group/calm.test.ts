/** Nothing goes wrong, in a large group and for long: nobody may be taken for dead, and one leads all the time. */
import { expect, test } from "vitest";
import { effort } from "../support/effort.ts";
import { boundsOf } from "./bounds.ts";
import { RULES } from "./rules/all.ts";
import { scenarioOf } from "./scenario.ts";
import { simulate } from "./simulate.ts";
import type { MakeRule } from "./watch.ts";

const MINUTE = 60_000;

/** Without faults nobody is ever declared failed, and once the group has formed no office changes hands. */
const allIsWell: MakeRule = (truth) => {
  const { settle } = boundsOf(truth.scenario);
  const leaders = new Map<string, string>();
  return {
    name: "all-is-well",
    changed(node, _before, now) {
      if (now === null) return null;
      if (now.failed.length > 0) return `m${node} declares ${now.failed[0].name} failed`;
      for (const office in now.offices) {
        const { leader, term } = now.offices[office];
        if (truth.now < settle) continue;
        const said = `${leader} in term ${term}`;
        const before = leaders.get(office);
        leaders.set(office, said);
        if (before !== undefined && before !== said) return `${office} is held by ${said}, not by ${before}`;
      }
      return null;
    },
  };
};

const MEMBERS = effort(100, 200);

test(`${MEMBERS} members: nobody healthy is declared failed, and one holder of each office stays`, () => {
  const wanted = { members: MEMBERS, policy: "available", offices: ["leader", "reports"], healed: 0 } as const;
  const scenario = scenarioOf(1, "calm", { ...wanted, until: effort(1, 20) * MINUTE });
  expect(simulate(scenario, null, [...RULES, allIsWell]).breach).toBeNull();
});
