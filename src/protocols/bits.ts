/** The length of a non-negative integer in binary. */
export function bitLength(value: number): number {
  return value < 0x80000000 ? 32 - Math.clz32(value) : 32 + bitLength(Math.floor(value / 0x100000000));
}
