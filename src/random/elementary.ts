/** Exponential and logarithm near 1 with the same bits in every JavaScript engine; see ln.ts for why that matters. */
import { ln } from "./ln.ts";

const LN2_HI = 0.6931471803691238;
const LN2_LO = 1.9082149292705877e-10;

/** e^x; 0 below the normal numbers, infinity above the largest. Error below 2 ulp. */
export function exp(x: number): number {
  if (x < -708) return 0;
  if (x > 709) return Infinity;
  const k = Math.round(x / Math.LN2);
  const r = x - k * LN2_HI - k * LN2_LO;
  // |r| <= ln(2)/2, where 14 terms of the series leave less than 2^-56.
  let sum = 1;
  for (let i = 14; i >= 1; i--) sum = 1 + (r * sum) / i;
  return sum * 2 ** k;
}

/** ln(1+x) for x > -1, exact to the last bits for tiny x too (Kahan: the rounding of 1+x is divided out again). */
export function log1p(x: number): number {
  const u = 1 + x;
  return u === 1 ? x : (ln(u) * x) / (u - 1);
}
