/** Bugs in the SQL of guards, and the scenario that has to catch each. */
import { type Scenario, scenarios } from "./leaders.ts";

const [, oldAndNew, rivals, oneLeader] = scenarios;

const within = (from: string, to: string) => (text: string) => text.replace(from, to);

export const planted: readonly {
  readonly bug: string;
  readonly change: (text: string) => string;
  readonly scenario: Scenario;
}[] = [
  {
    bug: "< for <=",
    change: within(" OR (kept.token = excluded.token AND kept.lease = excluded.lease)", ""),
    scenario: oneLeader,
  },
  {
    bug: "an equal token with another lease id accepted",
    change: within(" AND kept.lease = excluded.lease", ""),
    scenario: rivals,
  },
  {
    bug: "no comparison at all",
    change: within("WHERE kept.token <", "WHERE true OR kept.token <"),
    scenario: oldAndNew,
  },
  {
    bug: "the row is not locked until the write commits",
    change: (text) => (/^BEGIN|^COMMIT/.test(text) ? "SELECT 1" : text),
    scenario: oldAndNew,
  },
];
