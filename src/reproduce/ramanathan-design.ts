/** The design of Ramanathan et al. with the defaults of our protocols. */
import type { Design } from "../theory/sigma.ts";

export const design = (n: number, more: Partial<Design> = {}): Design => ({
  n,
  gamma: 0,
  sigma: "design",
  alpha: 2,
  rounding: "ceil",
  ...more,
});
