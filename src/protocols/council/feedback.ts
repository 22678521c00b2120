/** The feedback of Raz et al.: a number of hosts, a reset bit, and for choice which of the two draws it is about. */

import type { Range } from "../../theory/raz/raz.ts";
import { bitLength } from "../bits.ts";

export interface Feedback {
  /** How many hosts the centre takes for active; below L it asks everybody to reply. */
  readonly population: number;
  readonly reset: boolean;
  readonly draw: 1 | 2;
}

export const feedback = (population: number, reset: boolean, draw: 1 | 2 = 1): Feedback => ({
  population,
  reset,
  draw,
});

/** Table I: log n bits, and one for each of reset and draw where the algorithm sends it. */
export const feedbackBits = (extra: number) => (sent: Feedback) => bitLength(Math.ceil(sent.population)) + extra;

export const isWithin = (count: number, { L, U }: Range) => L <= count && count <= U;

/** A host that keeps one bit: whether it is active. */
export interface OneBit {
  active: boolean;
}

/** The chance with which an active host replies: equation (3), with c/N_c clamped to 1. */
export function replyChance(
  population: number,
  { U, c, reading }: { readonly U: number; readonly c: number; readonly reading: "repaired" | "printed" },
): number {
  const stays = reading === "printed" ? population < U : population <= U;
  return stays ? 1 : Math.min(1, c / population);
}
