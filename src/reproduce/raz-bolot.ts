/** What Raz et al. say of Bolot et al.: masks over fixed random vectors of 16 bits, from 16 bits down to none. */
import { masksCost } from "../theory/raz.ts";
import { replies } from "../theory/raz-replies.ts";
import type { Claim } from "./claim.ts";
import { claim } from "./raz-claim.ts";

const BITS = 16;

export function bitMasks(ns: readonly number[]): Claim[] {
  const rounds = masksCost(10, BITS).rounds;
  const many = Math.max(...ns.map((n) => moreThan(10, n)));
  return [
    claim("bolot-rounds", rounds, (x) => x > 13 && x < 14),
    claim("bolot-few", masksCost(1, BITS).rounds, (x) => x <= 15),
    claim("bolot-responders", many, (x) => x < 0.01),
    claim("bolot-generalized", freshRounds(10), (x) => Math.abs(x - rounds) > 0.5, { rounds }, "holds after repair"),
  ];
}

/** P(the first poll that is answered brings more than k replies). */
function moreThan(k: number, n: number): number {
  let total = 0;
  for (let bits = BITS; bits >= 0; bits--) {
    const now = 2 ** -bits;
    const before = bits === BITS ? 0 : now / 2;
    const { over } = replies(n, (now - before) / (1 - before), 1, k);
    total += (1 - before) ** n * over.reduce((sum, p) => sum + p, 0);
  }
  return total;
}

/** Mean rounds where every poll is a new draw. */
function freshRounds(n: number): number {
  let [rounds, silent] = [0, 1];
  for (let bits = BITS; bits >= 0; bits--) {
    rounds += silent;
    silent *= (1 - 2 ** -bits) ** n;
  }
  return rounds;
}
