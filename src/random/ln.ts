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

export function ln(x: number): number {
  double[0] = x;
  const high = words[HIGH];
  let k = (high >>> 20) - 1023;
  const fraction = high & 0xfffff;
  // Carries into the exponent when the mantissa is at least sqrt(2), so that 1+f is centred on 1.
  const carry = (fraction + 0x95f64) & 0x100000;
  words[HIGH] = fraction | (carry ^ 0x3ff00000);
  k += carry >>> 20;
  const f = double[0] - 1;
  const s = f / (2 + f);
  const z = s * s;
  const w = z * z;
  const even = w * (0.3999999999940942 + w * (0.22222198432149784 + w * 0.15313837699209373));
  const odd = z * (0.6666666666666735 + w * (0.2857142874366239 + w * (0.1818357216161805 + w * 0.14798198605116586)));
  const half = 0.5 * f * f;
  return k * LN2_HI - (half - (s * (half + even + odd) + k * LN2_LO) - f);
}
