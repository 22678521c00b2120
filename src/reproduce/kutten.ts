/** Kutten et al., theorem by theorem. */
import type { Reproduction } from "./claim.ts";
import { corollary1, theorem1 } from "./kutten-complete.ts";
import { algorithm2, theorem2 } from "./kutten-graphs.ts";
import { lemma1 } from "./kutten-lemma1.ts";
import { theorem3 } from "./kutten-lower.ts";
import { mixing } from "./kutten-mixing.ts";
import { steps } from "./kutten-steps.ts";

export const kutten: readonly Reproduction[] = [
  theorem1,
  corollary1,
  mixing,
  lemma1,
  theorem2,
  algorithm2,
  theorem3,
  steps,
];
