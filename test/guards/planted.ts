/** Planted bugs of guards, and the scenario that has to catch each. */
import { type Scenario, scenarios } from "./leaders.ts";

const [, oldAndNew, rivals, oneLeader] = scenarios;

export const planted: readonly { readonly bug: string; readonly scenario: Scenario }[] = [
  { bug: "< for <=", scenario: oneLeader },
  { bug: "an equal token with another lease id accepted", scenario: rivals },
  { bug: "no comparison at all", scenario: oldAndNew },
  { bug: "the row is not locked until the write commits", scenario: oldAndNew },
];
