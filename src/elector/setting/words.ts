/** What is said of an election's setting to people: epsilon never stands without what it leaves out (docs/decisions/groups.md). */

import { EPSILON_CAVEAT } from "../report.ts";
import type { ElectionSetting } from "../talk/messages.ts";

type Shown = Pick<ElectionSetting, "epsilon" | "loss" | "lossLow" | "lossFrom" | "protocol">;

const percent = (share: number): string => `${Number((100 * share).toPrecision(3))}%`;

/** "epsilon 3e-7: the chance of two leaders in one election, ...". */
export function epsilonInWords({ epsilon, protocol }: Pick<Shown, "epsilon" | "protocol">): string {
  if (epsilon === null) {
    return `epsilon unknown: no formula for the chance of two leaders under ${protocol} is known here; two are still noticed, and resolved by the next term`;
  }
  const value = epsilon === 0 ? "0" : epsilon.toExponential(1);
  return `epsilon ${value}: ${EPSILON_CAVEAT}`;
}

/** "1% of messages lost (configured)" or "0.1% to 1% of messages lost (measured by probes, 95% interval; 1% is used)". */
export function lossInWords({ loss, lossLow, lossFrom }: Pick<Shown, "loss" | "lossLow" | "lossFrom">): string {
  if (lossFrom === "configured") return `${percent(loss)} of messages lost (configured)`;
  return `${percent(lossLow)} to ${percent(loss)} of messages lost (measured by probes, 95% interval; ${percent(loss)} is used)`;
}
