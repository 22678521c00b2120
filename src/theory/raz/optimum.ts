/** The constant c: where T or N is least, and the paper's rules of thumb (Raz et al., section V). */
import type { CouncilDesign, Range } from "./raz.ts";
import type { Cost } from "./restarts.ts";

/** The cost as a function of c, on 0 < c < U+1: from U+1 on a population of U+1 would never shrink. */
interface Tunable {
  readonly L: number;
  readonly U: number;
  cost(c: number): Cost;
  /**
   * Whether N falls all the way to c = 0: where L = 1 and a failed exchange costs only its replies, an endless series of
   * silent exchanges elects with one message.
   */
  readonly messagesUnbounded: boolean;
}

/** What auto-N may add to the least T where N alone has no minimum: one exchange. */
export const PATIENCE = 1;

/** Where to look first, and when to stop looking; a rough search leaves the last digits alone. */
interface Scan {
  readonly points: number;
  readonly width: number;
}

const FINE_SCAN: Scan = { points: 48, width: 1e-8 };

/** For costs that take long: c to a thirtieth, which costs a thousandth. */
export const ROUGH_SCAN: Scan = { points: 7, width: 3e-2 };

const GOLDEN = (Math.sqrt(5) - 1) / 2;

export const heuristicRounds = (L: number, U: number) => L + (2 * (U - L)) / 3;

export const heuristicMessages = (n: number, L: number, U: number) => U - ((U - L) * (U + 1)) / (L + U + n + 1);

export function bestForRounds({ L, U, cost }: Tunable, scan = FINE_SCAN): number {
  return rounded(least((c) => cost(c).rounds, 0, U + 1, heuristicRounds(L, U), scan));
}

export function bestForMessages(tunable: Tunable, patience = PATIENCE, scan = FINE_SCAN): number {
  const { L, U, cost, messagesUnbounded } = tunable;
  const messages = (c: number) => cost(c).messages;
  if (!messagesUnbounded) return rounded(least(messages, 0, U + 1, heuristicRounds(L, U), scan));
  const quickest = bestForRounds(tunable, scan);
  const limit = cost(quickest).rounds + patience;
  let slow = 0;
  let allowed = quickest;
  while (allowed - slow > 1e-4 * scan.width * allowed) {
    const middle = (slow + allowed) / 2;
    if (cost(middle).rounds <= limit) allowed = middle;
    else slow = middle;
  }
  const inside = least(messages, allowed, quickest, (allowed + quickest) / 2, scan);
  return messages(allowed) <= messages(inside) ? ceiled(allowed) : rounded(inside);
}

/** Scans, closes in by golden section, and takes the last digits from the slope: values alone are too flat for them. */
function least(f: (c: number) => number, from: number, to: number, likely: number, scan: Scan): number {
  const step = (to - from) / scan.points;
  let best = likely;
  let lowest = f(likely);
  for (let k = 0; k < scan.points; k++) {
    const c = from + (k + 0.5) * step;
    const value = f(c);
    if (value < lowest) [best, lowest] = [c, value];
  }
  let low = Math.max(from, best - step);
  let high = Math.min(to, best + step);
  let left = high - GOLDEN * (high - low);
  let right = low + GOLDEN * (high - low);
  let [atLeft, atRight] = [f(left), f(right)];
  while (high - low > scan.width * high) {
    if (atLeft <= atRight) {
      [high, right, atRight] = [right, left, atLeft];
      left = high - GOLDEN * (high - low);
      atLeft = f(left);
    } else {
      [low, left, atLeft] = [left, right, atRight];
      right = low + GOLDEN * (high - low);
      atRight = f(right);
    }
  }
  const middle = (low + high) / 2;
  return scan === FINE_SCAN ? levelled(f, middle, from, to) : middle;
}

/** Newton's method on the slope, by five-point differences; leaves a minimum at the edge alone. */
function levelled(f: (c: number) => number, start: number, from: number, to: number): number {
  let c = start;
  for (let step = 0; step < 3; step++) {
    const h = 1e-3 * Math.min(c - from, to - c, Math.sqrt(c));
    if (!(h > 0)) return start;
    const near = [f(c - h), f(c + h)];
    const slope = (8 * (near[1] - near[0]) - (f(c + 2 * h) - f(c - 2 * h))) / (12 * h);
    const curvature = (near[0] + near[1] - 2 * f(c)) / (h * h);
    if (!(curvature > 0)) return start;
    c -= slope / curvature;
  }
  return Math.abs(c - start) < 1e-6 * start ? c : start;
}

const rounded = (c: number) => Math.round(c * 1e9) / 1e9;
const ceiled = (c: number) => Math.ceil(c * 1e9) / 1e9;

export type CostOf = (n: number, plan: CouncilDesign) => Cost;

/** The best c of a council protocol, and what it costs. */
export interface Tuned extends Cost {
  readonly c: number;
}

/** T and N where c is the best for T. */
export function tuned(cost: CostOf, n: number, range: Range): Tuned {
  const c = bestForRounds({ ...range, cost: (c) => cost(n, { ...range, c }), messagesUnbounded: range.L === 1 });
  return { c, ...cost(n, { ...range, c }) };
}
