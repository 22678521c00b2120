/** What Raz et al. say of Bolot et al.: masks over fixed random vectors of 16 bits, from 16 bits down to none. */
import { masksCost } from "../theory/raz.ts";
import { replies } from "../theory/raz-replies.ts";
import type { Claim } from "./claim.ts";
import { value } from "./raz-claim.ts";

const BITS = 16;

export function bitMasks(ns: readonly number[]): Claim[] {
  const rounds = masksCost(10, BITS).rounds;
  const many = Math.max(...ns.map((n) => moreThan(10, n)));
  return [
    value(
      "Fig. 17",
      "n = 10: the algorithm of Bolot et al. takes over 13 rounds",
      "over 13",
      rounds,
      (x) => x > 13 && x < 14,
    ),
    value(
      "section II",
      "Its polling may take up to 15 rounds when there are few receivers: the mean for a single one",
      "up to 15",
      masksCost(1, BITS).rounds,
      (x) => x <= 15,
      "With masks from 16 bits down to 0, the model that gives the 13.3 of Fig. 17, up to 17 rounds can occur.",
    ),
    value(
      "footnote 4",
      "The probability of more than 10 responders is small: the largest for n from 10 to 100,000",
      "small",
      many,
      (x) => x < 0.01,
      "Also section II: a small number of feedback messages with high probability.",
    ),
    value(
      "section IV",
      "With an unknown n the naive algorithm generalizes that of Bolot et al.: mean rounds with c = 1 and estimates 2^16, 2^15, ..., n = 10",
      rounds.toFixed(2),
      freshRounds(10),
      (x) => Math.abs(x - rounds) > 0.5,
      "Each poll for itself is a naive draw. But hosts that draw anew each time are found earlier than hosts that keep one random vector; with kept vectors (`council-masks`) it is their algorithm.",
      "holds after repair",
    ),
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
