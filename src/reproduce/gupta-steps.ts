/** Gupta et al.: the fourth factor of Theorem 1(b), and whether Time_Out_2 is long enough, computed. */
import { roundFactors, surviving } from "../theory/gupta.ts";
import { FIG4, LAST_K } from "./gupta-setting.ts";
import { textsOf } from "./texts.ts";

const { item } = textsOf("gupta");

/** P(every member fails or hears one of m multicasts). */
const allHear = (m: number): number => (FIG4.crash + (1 - FIG4.crash) * (1 - FIG4.multicastLoss ** m)) ** FIG4.n;

/**
 * Longest delays until all of a line of m relays have the choice of the first, where of two neighbours only the farther one
 * knows the nearer: it asks at the start, is heard after one delay, and is told from then on.
 */
function delaysAlong(m: number): number {
  const told = [0];
  for (let i = 1; i < m; i++) told.push(Math.max(told[i - 1], 1) + 1);
  return told[m - 1];
}

export const guptaSteps = item("steps", {}, () => {
  const ks = Array.from({ length: LAST_K - 2 }, (_, i) => i + 3);
  const numbers = (k: number) => {
    const [least, most] = [surviving(k, FIG4) / 2, (3 * surviving(k, FIG4)) / 2];
    return Array.from({ length: Math.floor(most) - Math.ceil(least) + 1 }, (_, i) => Math.ceil(least) + i);
  };
  const bounded = ks.every((k) => numbers(k).every((m) => allHear(m) >= roundFactors(k, FIG4).E4 * (1 - 1e-9)));
  const slowest = delaysAlong((3 * 8) / 2);
  return {
    values: { exact: allHear(4), printed: roundFactors(8, FIG4).E4 },
    claims: {
      "e4-bound": [allHear(4), bounded],
      "time-out-2": [slowest, [4, 8, 16, 32].every((k) => delaysAlong((3 * k) / 2) <= (3 * k) / 2)],
    },
  };
});
