/** How long to wait before an office is tried again: random, twice as wide each time, within bounds. */
import type { Times } from "./times.ts";

/** After so many tries in vain: [least, most]. The first try waits for nobody. */
export function backOff({ spread, longestBackOff }: Times, tries: number): readonly [number, number] {
  if (tries === 0) return [0, 0];
  return [0, Math.min(longestBackOff, spread * 2 ** (tries - 1))];
}
