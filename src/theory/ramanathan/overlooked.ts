/**
 * How many of x contenders go on when each asks sigma of n random mediators and missing answers are overlooked: only a
 * refusal that arrives ends a contender's way. So of two that share a mediator both may go on, one or none.
 *
 * Each of a contender's mediators would pass a refusal on with the same chance, and those that would, nobody else may have
 * reached: that makes the chance of one contender exact. in-order: as if contenders went on independently of each
 * other. together: factorial moments S_k as in elimination.ts, in which the sets of k contenders overlap one after the other.
 */
import { binomialTerms, noneReached } from "../chance.ts";
import { remembering } from "../memo.ts";
import { geometric, type Moments, type Round } from "./elimination.ts";

/** Up to this mean the moments give each chance; above, their alternating sum loses too many digits, and nobody needs it. */
const COUNTABLE = 12;

/** How much of the chances may be below 0. */
const TOLERATED = 1e-3;

/** The chances that 0 .. x contenders go on; null where the mean and the variance must do. */
export function overlookedSurvivors(round: Round, x: number): Float64Array | null {
  if (round.order === "in-order") {
    const passing = passingSets({ round, asked: round.sigma });
    return independent(Array.from({ length: x }, (_, i) => sumOf(passing, ({ p, avoided }) => p * avoided ** i)));
  }
  if (x > 0 && tagged(round, x, 1) > COUNTABLE) return null;
  const moments = Array.from({ length: x + 1 }, (_, k) => tagged(round, x, k));
  const row = new Float64Array(x + 1);
  for (let m = 0; m <= x; m++) {
    let choose = 1;
    for (let k = m; k <= x; k++) {
      row[m] += (k - m) % 2 === 0 ? choose * moments[k] : -choose * moments[k];
      choose = (choose * (k + 1)) / (k + 1 - m);
    }
  }
  // Where sets overlap much, the moments are not quite those of a distribution.
  const below = row.reduce((sum, p) => sum + Math.max(0, -p), 0);
  return below > TOLERATED ? null : row.map((p) => Math.max(0, p) / (1 + below));
}

export function overlookedMoments(round: Round, x: number): Moments {
  if (round.order === "in-order") {
    const passing = passingSets({ round, asked: round.sigma });
    const mean = sumOf(passing, ({ p, avoided }) => p * geometric(avoided, x));
    const squares = sumOf(passing, (a) => a.p * sumOf(passing, (b) => b.p * geometric(a.avoided * b.avoided, x)));
    return { mean, variance: Math.max(1e-9, mean - squares) };
  }
  const mean = tagged(round, x, 1);
  const variance = x < 2 ? mean * (1 - mean) : 2 * tagged(round, x, 2) + mean - mean * mean;
  return { mean, variance: Math.max(1e-9, variance) };
}

const worksIn = ({ n, working }: Round): number => (typeof working === "number" ? working : working.count / n);

/** That a contender whose mediator has heard another one learns of it: request and refusal arrive. */
const caughtIn = (round: Round): number => worksIn(round) * (1 - round.loss) ** 2;

/** How many of this many mediators would pass a refusal on, and the chance that one other contender reaches none of them. */
const passingSets = remembering(({ round, asked }: { round: Round; asked: number }): readonly PassingSet[] => {
  const { n, sigma, loss } = round;
  return binomialTerms(asked, caughtIn(round), 1e-15).map(({ value, p }) => ({
    p,
    avoided: noneReached(n, value, sigma, loss),
  }));
});

interface PassingSet {
  readonly p: number;
  readonly avoided: number;
}

const sumOf = <T>(items: readonly T[], value: (item: T) => number): number =>
  items.reduce((sum, item) => sum + value(item), 0);

function independent(chances: readonly number[]): Float64Array {
  const p = new Float64Array(chances.length + 1);
  p[0] = 1;
  for (const [i, chance] of chances.entries()) {
    for (let m = i + 1; m > 0; m--) p[m] = p[m] * (1 - chance) + p[m - 1] * chance;
    p[0] *= 1 - chance;
  }
  return p;
}

/** S_k = C(x, k) times the chance that k given contenders all go on. */
function tagged(round: Round, x: number, k: number): number {
  const { n, sigma, loss } = round;
  const asked = Math.min(n, k * sigma);
  const caught = caughtIn(round);
  const others = x - k;
  const undisturbed = sumOf(passingSets({ round, asked }), ({ p, avoided }) => p * avoided ** others);
  const free = others === 0 ? 1 : noneReached(n, asked, sigma, loss) ** (others / asked);
  const shared = sharedBy2(loss, worksIn(round), free) / (1 - caught * (1 - free)) ** 2;
  let ways = undisturbed;
  for (let i = 0; i < k; i++) {
    ways *= (x - i) / (i + 1);
    if (i > 0) ways *= Math.min(1, noneReached(n, Math.min(n, i * sigma), sigma, shared));
  }
  return ways;
}

/** That neither of two who ask one mediator is refused by it; `free`: that it hears nobody else. */
function sharedBy2(loss: number, works: number, free: number): number {
  const heard = 1 - loss;
  const onlyOne = 2 * loss * heard * (free + loss * (1 - free));
  return 1 - works + works * (loss ** 2 + onlyOne + (heard * loss) ** 2);
}
