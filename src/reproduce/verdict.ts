/** Verdicts from tests: what is printed here was decided by numbers, not by hand. */
import type { Verdict } from "./claim.ts";

export const verdictIf = (test: boolean, holding: Verdict = "holds"): Verdict => (test ? holding : "does not hold");

/** For a claim that fails as it is stated but is true of what was meant. */
export const verdictOr = (asStated: boolean, repaired: boolean): Verdict =>
  asStated ? "holds" : afterRepair(repaired);

/** For a claim that only a repair makes true. */
export const afterRepair = (test: boolean): Verdict => verdictIf(test, "holds after repair");
