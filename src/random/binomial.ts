/**
 * How many of n coins with probability p fall heads, drawn at once: what a kernel uses instead of n coins. Exact up to
 * the resolution of the uniform draws: by inversion where few heads (or few tails) are expected, otherwise by rejection
 * (W. Hormann, "The generation of binomial random variates", J. Statist. Comput. Simul. 46, 1993: algorithm BTRS).
 */
import { exp, log1p } from "./elementary.ts";
import { ln } from "./ln.ts";
import type { Source } from "./source.ts";

/** Below this mean inversion is quicker, and above it BTRS is valid. */
const INVERSION_LIMIT = 10;

export function binomial(source: Source, n: number, p: number): number {
  if (n <= 0 || p <= 0) return 0;
  if (p >= 1) return n;
  if (p > 0.5) return n - binomial(source, n, 1 - p);
  return n * p < INVERSION_LIMIT ? byInversion(source, n, p) : byRejection(source, n, p);
}

function byInversion(source: Source, n: number, p: number): number {
  const odds = p / (1 - p);
  const none = exp(n * log1p(-p));
  for (;;) {
    let left = source.uniform();
    let probability = none;
    // Rounding can leave a remainder that no count accounts for; beyond 200 the probability is below 1e-150.
    for (let heads = 0; heads <= n && heads < 200; heads++) {
      if (left < probability) return heads;
      left -= probability;
      probability *= (odds * (n - heads)) / (heads + 1);
    }
  }
}

function byRejection(source: Source, n: number, p: number): number {
  const spread = Math.sqrt(n * p * (1 - p));
  const b = 1.15 + 2.53 * spread;
  const a = -0.0873 + 0.0248 * b + 0.01 * p;
  const centre = n * p + 0.5;
  const alpha = (2.83 + 5.1 / b) * spread;
  const quick = 0.92 - 4.2 / b;
  const odds = p / (1 - p);
  const mode = Math.floor((n + 1) * p);
  const peak = logFactorialTail(mode) + logFactorialTail(n - mode);
  for (;;) {
    const u = source.uniform() - 0.5;
    const v = 1 - source.uniform();
    const us = 0.5 - Math.abs(u);
    const heads = Math.floor(((2 * a) / us + b) * u + centre);
    if (us >= 0.07 && v <= quick) return heads;
    if (heads < 0 || heads > n) continue;
    const density =
      peak -
      logFactorialTail(heads) -
      logFactorialTail(n - heads) +
      (mode + 0.5) * ln((mode + 1) / (odds * (n - mode + 1))) +
      (n + 1) * ln((n - mode + 1) / (n - heads + 1)) +
      (heads + 0.5) * ln((odds * (n - heads + 1)) / (heads + 1));
    if (ln((v * alpha) / (a / (us * us) + b)) <= density) return heads;
  }
}

/** ln k! less its Stirling approximation around k+1. */
function logFactorialTail(k: number): number {
  if (k < SMALL_TAILS.length) return SMALL_TAILS[k];
  const x = 1 / (k + 1);
  const y = x * x;
  return (1 / 12 - (1 / 360 - y / 1260) * y) * x;
}

const SMALL_TAILS = [
  0.08106146679532726, 0.04134069595540929, 0.02767792568499834, 0.02079067210376509, 0.01664469118982119,
  0.01387612882307075, 0.01189670994589177, 0.01041126526197209, 0.00925546218271273, 0.00833056343336287,
];
