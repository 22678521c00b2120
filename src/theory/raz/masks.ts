/** The polls of Bolot et al. with masks of fewer and fewer bits (Raz et al., section II). */
import { replies } from "./replies.ts";

/** P(the first poll that is answered brings more than k replies). */
export function moreThan(k: number, n: number, most: number): number {
  let total = 0;
  for (let bits = most; bits >= 0; bits--) {
    const now = 2 ** -bits;
    const before = bits === most ? 0 : now / 2;
    const { over } = replies(n, (now - before) / (1 - before), 1, k);
    total += (1 - before) ** n * over.reduce((sum, p) => sum + p, 0);
  }
  return total;
}

/** Mean rounds where every poll is a new draw. */
export function freshRounds(n: number, most: number): number {
  let [rounds, silent] = [0, 1];
  for (let bits = most; bits >= 0; bits--) {
    rounds += silent;
    silent *= (1 - 2 ** -bits) ** n;
  }
  return rounds;
}
