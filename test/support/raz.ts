/** What the tests of Raz et al. share: the paper's ranges and searches. */
export { tuned } from "../../src/theory/raz/optimum.ts";

export const N = 10_000;
export const wide = { L: 4, U: 8 };
export const single = { L: 1, U: 1 };
export const open = { L: 1, U: 8 };
export const conservative = { guess: 100_000, alpha: 1, beta: 2 };
export const aggressive = { guess: 100_000, alpha: 0.7, beta: 1 };
