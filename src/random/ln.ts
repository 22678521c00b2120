/**
 * The natural logarithm of a positive, finite, normal number, with the same bits in every JavaScript engine: `Math.log`
 * is only "implementation-approximated", and a delay that differs in its last bit reorders a run. Method of FreeBSD's
 * e_log.c (Sun Microsystems 1993, error < 1 ulp): x = 2^k (1+f) with sqrt(2)/2 < 1+f < sqrt(2), s = f/(2+f), and a
 * polynomial in s^2. Basic arithmetic is exact IEEE 754 everywhere, so the result is too.
 */
const LN2_HI = 6.9314718036912381649e-1;
const LN2_LO = 1.90821492927058770002e-10;

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
  const even = w * (3.999999999940941908e-1 + w * (2.222219843214978396e-1 + w * 1.531383769920937332e-1));
  const odd =
    z *
    (6.66666666666673513e-1 +
      w * (2.857142874366239149e-1 + w * (1.818357216161805012e-1 + w * 1.479819860511658591e-1)));
  const half = 0.5 * f * f;
  return k * LN2_HI - (half - (s * (half + even + odd) + k * LN2_LO) - f);
}
