/**
 * The natural logarithm of a positive, finite, normal number, with the same bits in every JavaScript engine: `Math.log`
 * is only "implementation-approximated", and a delay that differs in its last bit reorders a run. Method of FreeBSD's
 * e_log.c (Sun Microsystems 1993, error < 1 ulp): x = 2^k (1+f) with sqrt(2)/2 < 1+f < sqrt(2), s = f/(2+f), and a
 * polynomial in s^2. Basic arithmetic is exact IEEE 754 everywhere, so the result is too.
 */
const LN2_HI = 0.6931471803691238;
const LN2_LO = 1.9082149292705877e-10;

const double = new Float64Array(1);
const words = new Uint32Array(double.buffer);
const HIGH = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1 ? 1 : 0;

/** By exponent as it is stored: the power of two that brings a number to [1, 2). The product is exact. */
const SCALES = new Float64Array(2047).fill(1);
// By doubling and halving, which are exact: a power is only "implementation-approximated", too.
for (let stored = 1022; stored >= 0; stored--) SCALES[stored] = 2 * SCALES[stored + 1];
for (let stored = 1024; stored < 2047; stored++) SCALES[stored] = SCALES[stored - 1] / 2;
/** The high word's part of a mantissa that is at least sqrt(2), nearly. */
const ROOT = 0x6a09c;

export function ln(x: number): number {
  double[0] = x;
  const high = words[HIGH];
  const stored = high >>> 20;
  // A mantissa of at least sqrt(2) is halved, so that 1+f is centred on 1.
  const halves = (high & 0xfffff) >= ROOT;
  const k = stored - (halves ? 1022 : 1023);
  const scaled = x * SCALES[stored];
  const f = (halves ? 0.5 * scaled : scaled) - 1;
  const s = f / (2 + f);
  const z = s * s;
  const w = z * z;
  const even = w * (0.3999999999940942 + w * (0.22222198432149784 + w * 0.15313837699209373));
  const odd = z * (0.6666666666666735 + w * (0.2857142874366239 + w * (0.1818357216161805 + w * 0.14798198605116586)));
  const half = 0.5 * f * f;
  return k * LN2_HI - (half - (s * (half + even + odd) + k * LN2_LO) - f);
}
