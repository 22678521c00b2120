/** Vectors of integers: order, equality, rearrangement. */

export function isVectorLess(a: Int32Array, b: Int32Array): boolean {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return a[i] < b[i];
  return false;
}

export function isEqual(a: Int32Array, b: Int32Array): boolean {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** The vector with each entry moved to where `to` says. */
export function rearranged(vector: Int32Array, to: Int32Array): Int32Array {
  const moved = new Int32Array(vector.length);
  for (let i = 0; i < vector.length; i++) moved[to[i]] = vector[i];
  return moved;
}
