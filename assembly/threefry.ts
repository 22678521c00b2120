/**
 * Threefry-4x32-20 (src/random/threefry.ts) eight blocks at a time, in AssemblyScript: lanes of vectors are blocks, and two groups of four are
 * worked on by turns, because each step of one block waits for the step before. `npm run build` compiles it into src/random/assembly-bytes.ts.
 *
 * Memory, in bytes; src/random/bulk.ts knows the same places.
 */

/** Counters of up to 1024 blocks: first their low words, then their high words. */
const COUNTERS = 4096;
const SECOND = COUNTERS + 4096;
/** What is asked for: words of up to 1024 blocks, or places of up to 2048 coins. */
const OUT = 16384;
/** The key schedule: four vectors for each of five times. */
const SCHEDULE = 1024;
/** Eight vectors: first words of blocks 0 to 3, second words of them, and so on; then those of blocks 4 to 7. */
const LANES = 2048;

const PARITY = 0x1bd11bda;

function add(x: v128, y: v128): v128 {
  return i32x4.add(x, y);
}

/** Rotates, and mixes in. */
function turn(x: v128, by: i32, y: v128): v128 {
  return v128.xor(v128.or(i32x4.shl(x, by), i32x4.shr_u(x, 32 - by)), y);
}

let k0 = 0;
let k1 = 0;
let k2 = 0;
let k3 = 0;

function schedule(time: i32, a: i32, b: i32, c: i32, d: i32): void {
  const at = SCHEDULE + (time << 6);
  v128.store(at, i32x4.splat(a));
  v128.store(at, i32x4.splat(b), 16);
  v128.store(at, i32x4.splat(c), 32);
  v128.store(at, i32x4.splat(d + time), 48);
}

/** All that follows is encrypted under this key. */
export function key(w0: i32, w1: i32, w2: i32, w3: i32): void {
  const w4 = PARITY ^ w0 ^ w1 ^ w2 ^ w3;
  k0 = w0;
  k1 = w1;
  k2 = w2;
  k3 = w3;
  schedule(1, w1, w2, w3, w4);
  schedule(2, w2, w3, w4, w0);
  schedule(3, w3, w4, w0, w1);
  schedule(4, w4, w0, w1, w2);
  schedule(5, w0, w1, w2, w3);
}

/** Encrypts eight counters, the first two words of each; the other two are 0. */
function encrypt(low0: v128, low1: v128, high0: v128, high1: v128): void {
  let a = add(low0, i32x4.splat(k0));
  let b = add(high0, i32x4.splat(k1));
  let c = i32x4.splat(k2);
  let d = i32x4.splat(k3);
  let e = add(low1, i32x4.splat(k0));
  let f = add(high1, i32x4.splat(k1));
  let g = c;
  let h = d;
  for (let at = SCHEDULE + 64; ; at += 128) {
    a = add(a, b);
    b = turn(b, 10, a);
    c = add(c, d);
    d = turn(d, 26, c);
    e = add(e, f);
    f = turn(f, 10, e);
    g = add(g, h);
    h = turn(h, 26, g);
    a = add(a, d);
    d = turn(d, 11, a);
    c = add(c, b);
    b = turn(b, 21, c);
    e = add(e, h);
    h = turn(h, 11, e);
    g = add(g, f);
    f = turn(f, 21, g);
    a = add(a, b);
    b = turn(b, 13, a);
    c = add(c, d);
    d = turn(d, 27, c);
    e = add(e, f);
    f = turn(f, 13, e);
    g = add(g, h);
    h = turn(h, 27, g);
    a = add(a, d);
    d = turn(d, 23, a);
    c = add(c, b);
    b = turn(b, 5, c);
    e = add(e, h);
    h = turn(h, 23, e);
    g = add(g, f);
    f = turn(f, 5, g);
    a = add(a, v128.load(at));
    b = add(b, v128.load(at, 16));
    c = add(c, v128.load(at, 32));
    d = add(d, v128.load(at, 48));
    e = add(e, v128.load(at));
    f = add(f, v128.load(at, 16));
    g = add(g, v128.load(at, 32));
    h = add(h, v128.load(at, 48));
    if (at === SCHEDULE + 320) break;
    a = add(a, b);
    b = turn(b, 6, a);
    c = add(c, d);
    d = turn(d, 20, c);
    e = add(e, f);
    f = turn(f, 6, e);
    g = add(g, h);
    h = turn(h, 20, g);
    a = add(a, d);
    d = turn(d, 17, a);
    c = add(c, b);
    b = turn(b, 11, c);
    e = add(e, h);
    h = turn(h, 17, e);
    g = add(g, f);
    f = turn(f, 11, g);
    a = add(a, b);
    b = turn(b, 25, a);
    c = add(c, d);
    d = turn(d, 10, c);
    e = add(e, f);
    f = turn(f, 25, e);
    g = add(g, h);
    h = turn(h, 10, g);
    a = add(a, d);
    d = turn(d, 18, a);
    c = add(c, b);
    b = turn(b, 20, c);
    e = add(e, h);
    h = turn(h, 18, e);
    g = add(g, f);
    f = turn(f, 20, g);
    a = add(a, v128.load(at, 64));
    b = add(b, v128.load(at, 80));
    c = add(c, v128.load(at, 96));
    d = add(d, v128.load(at, 112));
    e = add(e, v128.load(at, 64));
    f = add(f, v128.load(at, 80));
    g = add(g, v128.load(at, 96));
    h = add(h, v128.load(at, 112));
  }
  v128.store(LANES, a);
  v128.store(LANES, b, 16);
  v128.store(LANES, c, 32);
  v128.store(LANES, d, 48);
  v128.store(LANES, e, 64);
  v128.store(LANES, f, 80);
  v128.store(LANES, g, 96);
  v128.store(LANES, h, 112);
}

/** Writes the words of four blocks, each block's side by side. */
function put(lanes: i32, at: i32): void {
  const a = v128.load(lanes);
  const b = v128.load(lanes, 16);
  const c = v128.load(lanes, 32);
  const d = v128.load(lanes, 48);
  const ab01 = i32x4.shuffle(a, b, 0, 4, 1, 5);
  const ab23 = i32x4.shuffle(a, b, 2, 6, 3, 7);
  const cd01 = i32x4.shuffle(c, d, 0, 4, 1, 5);
  const cd23 = i32x4.shuffle(c, d, 2, 6, 3, 7);
  v128.store(at, i64x2.shuffle(ab01, cd01, 0, 2));
  v128.store(at, i64x2.shuffle(ab01, cd01, 1, 3), 16);
  v128.store(at, i64x2.shuffle(ab23, cd23, 0, 2), 32);
  v128.store(at, i64x2.shuffle(ab23, cd23, 1, 3), 48);
}

/** The words of `count` blocks, a multiple of 8, whose counters follow each other in their low words or in their high words. */
export function words(low: i32, high: i32, alongHigh: bool, count: i32): void {
  const up = i32x4(0, 1, 2, 3);
  const none = i32x4.splat(0);
  for (let i = 0; i < count; i += 8) {
    const first = i32x4.splat(low + (alongHigh ? 0 : i));
    const second = i32x4.splat(high + (alongHigh ? i : 0));
    const step0 = alongHigh ? none : up;
    const step1 = alongHigh ? up : none;
    encrypt(
      add(first, step0),
      add(first, alongHigh ? none : i32x4(4, 5, 6, 7)),
      add(second, step1),
      add(second, alongHigh ? i32x4(4, 5, 6, 7) : none),
    );
    put(LANES, OUT + (i << 4));
    put(LANES + 64, OUT + (i << 4) + 64);
  }
}

/** The words of `count` blocks, a multiple of 8, whose counters lie in memory. */
export function wordsOfEach(count: i32): void {
  for (let i = 0; i < count; i += 8) {
    const at = COUNTERS + (i << 2);
    const second = SECOND + (i << 2);
    encrypt(v128.load(at), v128.load(at, 16), v128.load(second), v128.load(second, 16));
    put(LANES, OUT + (i << 4));
    put(LANES + 64, OUT + (i << 4) + 64);
  }
}

/** Of four coins, of 53 bits in two words each, those that fall below a limit, as lanes. */
function below(first: v128, second: v128, high: v128, low: v128): v128 {
  const top = i32x4.shr_u(first, 5);
  const less = i32x4.lt_u(i32x4.shr_u(second, 6), low);
  return v128.or(i32x4.lt_u(top, high), v128.and(i32x4.eq(top, high), less));
}

/** Writes the places of the coins of four blocks that fell, and says where the next goes. */
function note(odd: v128, even: v128, coin: i32, at: i32): i32 {
  let bits = i32x4.bitmask(odd) | (i32x4.bitmask(even) << 4);
  for (let block = 0; block < 4; block++) {
    if (bits & 1) {
      i32.store(at, coin);
      at += 4;
    }
    if (bits & 16) {
      i32.store(at, coin + 1);
      at += 4;
    }
    bits >>= 1;
    coin += 2;
  }
  return at;
}

/**
 * Two coins in each of `count` blocks, a multiple of 8, whose counters follow each other: writes the places of those below a limit, whose
 * upper 27 and lower 26 bits are given; says how many.
 */
export function coins(low: i32, high: i32, count: i32, limitHigh: i32, limitLow: i32): i32 {
  const up = i32x4(0, 1, 2, 3);
  const second = i32x4.splat(high);
  const upper = i32x4.splat(limitHigh);
  const lower = i32x4.splat(limitLow);
  let at = OUT;
  for (let i = 0; i < count; i += 8) {
    const first = add(i32x4.splat(low + i), up);
    encrypt(first, add(first, i32x4.splat(4)), second, second);
    const w = below(v128.load(LANES), v128.load(LANES, 16), upper, lower);
    const x = below(v128.load(LANES, 32), v128.load(LANES, 48), upper, lower);
    const y = below(v128.load(LANES, 64), v128.load(LANES, 80), upper, lower);
    const z = below(v128.load(LANES, 96), v128.load(LANES, 112), upper, lower);
    if (v128.any_true(v128.or(w, x))) at = note(w, x, i << 1, at);
    if (v128.any_true(v128.or(y, z))) at = note(y, z, (i << 1) + 8, at);
  }
  return (at - OUT) >> 2;
}
