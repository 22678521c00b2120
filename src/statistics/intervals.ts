/** Confidence intervals at 95%. */

export const CONFIDENCE = 0.95;

/** The two-sided 95% quantile of the normal distribution. */
export const Z95 = 1.959963984540054;

/** A share of trials with its 95% interval. */
export interface Rate {
  readonly rate: number | null;
  readonly low: number | null;
  readonly high: number | null;
}

/**
 * The Wilson score interval (E. B. Wilson, JASA 22, 1927): unlike rate ± z·sd it stays inside [0, 1] and has a width at
 * rates of 0 and 1 too.
 */
export function wilson(successes: number, trials: number): Rate {
  if (trials === 0) return { rate: null, low: null, high: null };
  const rate = successes / trials;
  const spread = (Z95 * Z95) / trials;
  const centre = (rate + spread / 2) / (1 + spread);
  const half = Math.sqrt(spread * (rate * (1 - rate) + spread / 4)) / (1 + spread);
  return {
    rate,
    low: successes === 0 ? 0 : Math.max(0, centre - half),
    high: successes === trials ? 1 : Math.min(1, centre + half),
  };
}
