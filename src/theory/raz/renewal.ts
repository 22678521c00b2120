/** A council that is restarted whenever it falls below L (Raz et al., section VIII). */

import { tuned } from "./optimum.ts";
import { type CouncilDesign, type Range, skipResetCost } from "./raz.ts";
import { binomialProbability } from "./replies.ts";

/**
 * A renewal argument for the restart: a council falls below L after a while, which costs the exchange that shows it and
 * then an election of T exchanges, of which the last shows a council again. Shares of exchanges, and replies of elections for each;
 * a host stays for this many exchanges, and another comes after a tenth of that.
 */
export function restarted(
  hosts: number,
  range: Range,
  stay: number,
): { readonly outside: number; readonly replies: number } {
  const present = Math.round(hosts / 1.1);
  const { c } = tuned(skipResetCost, hosts, range);
  const { rounds, messages } = skipResetCost(present, { ...range, c });
  const seats = sizes(present, { ...range, c });
  let lifetime = 0.5;
  for (const [k, share] of seats) for (let j = range.L; j <= k; j++) lifetime += (share * stay) / j;
  const cycle = lifetime + rounds;
  return { outside: rounds / cycle, replies: messages / cycle };
}

/** How large the councils are that Skip-Reset elects: the sizes and their shares. */
function sizes(n: number, { L, U, c }: CouncilDesign): Map<number, number> {
  const descent = new Map<number, number[]>();
  const from = (m: number) => {
    const ends = [];
    for (let k = L; k <= U; k++) {
      let share = binomialProbability(k, m, c / m);
      for (const [i, shares] of descent) if (i < m) share += binomialProbability(i, m, c / m) * shares[k - L];
      ends.push(share / (1 - binomialProbability(m, m, c / m)));
    }
    return ends;
  };
  for (let m = U + 1; m <= Math.min(n, 60); m++) descent.set(m, from(m));
  const ends = from(n);
  const all = ends.reduce((sum, share) => sum + share, 0);
  return new Map(ends.map((share, i) => [L + i, share / all]));
}
