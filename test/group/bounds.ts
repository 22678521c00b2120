/** Within which times a group promises what, in milliseconds. */
import type { Scenario } from "./scenario.ts";

export interface Bounds {
  /** Two holders of one term who see each other: until one of them at most is left. */
  readonly conflict: number;
  /** From the last fault until views agree and exactly one leads each office, known to all. */
  readonly settle: number;
  /** From the end of a process until it is in no view. */
  readonly gone: number;
  /** How long after its end a process can still be heard. */
  readonly echo: number;
  /** Under `majority`: from losing sight of the others until nobody leads there. */
  readonly minority: number;
  /** How long without a fault until what happened before no longer counts. */
  readonly quiet: number;
}

export const boundsOf = (_scenario: Scenario): Bounds => ({
  conflict: 3000,
  settle: 25_000,
  gone: 25_000,
  echo: 5000,
  minority: 20_000,
  quiet: 15_000,
});
