/** All orders in which several sequences of steps can happen: each order says whose turn it is. */
export function* interleavings(lengths: readonly number[]): Generator<readonly number[]> {
  if (lengths.every((length) => length === 0)) yield [];
  for (const [who, length] of lengths.entries()) {
    if (length === 0) continue;
    for (const rest of interleavings(lengths.with(who, length - 1))) yield [who, ...rest];
  }
}
