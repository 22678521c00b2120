/**
 * Threefry-4x32-20, a keyed counter-based generator (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as
 * 1, 2, 3", SC 2011). It is a reduced Threefish block cipher without its tweak: 32-bit additions, rotations and xors
 * only, and every bit of key and counter reaches every bit of the output. That is why draws can be addressed by
 * (seed, trial, node, index) with no key mixing of our own. Passes BigCrush at 12 rounds; we use the standard 20.
 */

/** Adds the key schedule's words; written out below because a loop over arrays is three times slower in V8. */
const PARITY = 0x1bd11bda;

/** Encrypts counter (c0..c3) under key (k0..k3) into out[0..3]. */
export function threefry(
  out: Uint32Array,
  k0: number,
  k1: number,
  k2: number,
  k3: number,
  c0: number,
  c1: number,
  c2: number,
  c3: number,
): void {
  const k4 = PARITY ^ k0 ^ k1 ^ k2 ^ k3;
  let a = (c0 + k0) | 0;
  let b = (c1 + k1) | 0;
  let c = (c2 + k2) | 0;
  let d = (c3 + k3) | 0;
  a = (a + b) | 0;
  b = ((b << 10) | (b >>> 22)) ^ a;
  c = (c + d) | 0;
  d = ((d << 26) | (d >>> 6)) ^ c;
  a = (a + d) | 0;
  d = ((d << 11) | (d >>> 21)) ^ a;
  c = (c + b) | 0;
  b = ((b << 21) | (b >>> 11)) ^ c;
  a = (a + b) | 0;
  b = ((b << 13) | (b >>> 19)) ^ a;
  c = (c + d) | 0;
  d = ((d << 27) | (d >>> 5)) ^ c;
  a = (a + d) | 0;
  d = ((d << 23) | (d >>> 9)) ^ a;
  c = (c + b) | 0;
  b = ((b << 5) | (b >>> 27)) ^ c;
  a = (a + k1) | 0;
  b = (b + k2) | 0;
  c = (c + k3) | 0;
  d = (d + k4 + 1) | 0;
  a = (a + b) | 0;
  b = ((b << 6) | (b >>> 26)) ^ a;
  c = (c + d) | 0;
  d = ((d << 20) | (d >>> 12)) ^ c;
  a = (a + d) | 0;
  d = ((d << 17) | (d >>> 15)) ^ a;
  c = (c + b) | 0;
  b = ((b << 11) | (b >>> 21)) ^ c;
  a = (a + b) | 0;
  b = ((b << 25) | (b >>> 7)) ^ a;
  c = (c + d) | 0;
  d = ((d << 10) | (d >>> 22)) ^ c;
  a = (a + d) | 0;
  d = ((d << 18) | (d >>> 14)) ^ a;
  c = (c + b) | 0;
  b = ((b << 20) | (b >>> 12)) ^ c;
  a = (a + k2) | 0;
  b = (b + k3) | 0;
  c = (c + k4) | 0;
  d = (d + k0 + 2) | 0;
  a = (a + b) | 0;
  b = ((b << 10) | (b >>> 22)) ^ a;
  c = (c + d) | 0;
  d = ((d << 26) | (d >>> 6)) ^ c;
  a = (a + d) | 0;
  d = ((d << 11) | (d >>> 21)) ^ a;
  c = (c + b) | 0;
  b = ((b << 21) | (b >>> 11)) ^ c;
  a = (a + b) | 0;
  b = ((b << 13) | (b >>> 19)) ^ a;
  c = (c + d) | 0;
  d = ((d << 27) | (d >>> 5)) ^ c;
  a = (a + d) | 0;
  d = ((d << 23) | (d >>> 9)) ^ a;
  c = (c + b) | 0;
  b = ((b << 5) | (b >>> 27)) ^ c;
  a = (a + k3) | 0;
  b = (b + k4) | 0;
  c = (c + k0) | 0;
  d = (d + k1 + 3) | 0;
  a = (a + b) | 0;
  b = ((b << 6) | (b >>> 26)) ^ a;
  c = (c + d) | 0;
  d = ((d << 20) | (d >>> 12)) ^ c;
  a = (a + d) | 0;
  d = ((d << 17) | (d >>> 15)) ^ a;
  c = (c + b) | 0;
  b = ((b << 11) | (b >>> 21)) ^ c;
  a = (a + b) | 0;
  b = ((b << 25) | (b >>> 7)) ^ a;
  c = (c + d) | 0;
  d = ((d << 10) | (d >>> 22)) ^ c;
  a = (a + d) | 0;
  d = ((d << 18) | (d >>> 14)) ^ a;
  c = (c + b) | 0;
  b = ((b << 20) | (b >>> 12)) ^ c;
  a = (a + k4) | 0;
  b = (b + k0) | 0;
  c = (c + k1) | 0;
  d = (d + k2 + 4) | 0;
  a = (a + b) | 0;
  b = ((b << 10) | (b >>> 22)) ^ a;
  c = (c + d) | 0;
  d = ((d << 26) | (d >>> 6)) ^ c;
  a = (a + d) | 0;
  d = ((d << 11) | (d >>> 21)) ^ a;
  c = (c + b) | 0;
  b = ((b << 21) | (b >>> 11)) ^ c;
  a = (a + b) | 0;
  b = ((b << 13) | (b >>> 19)) ^ a;
  c = (c + d) | 0;
  d = ((d << 27) | (d >>> 5)) ^ c;
  a = (a + d) | 0;
  d = ((d << 23) | (d >>> 9)) ^ a;
  c = (c + b) | 0;
  b = ((b << 5) | (b >>> 27)) ^ c;
  a = (a + k0) | 0;
  b = (b + k1) | 0;
  c = (c + k2) | 0;
  d = (d + k3 + 5) | 0;
  out[0] = a;
  out[1] = b;
  out[2] = c;
  out[3] = d;
}
