/** What is reproduced of I. Gupta, R. van Renesse, K. P. Birman, "A probabilistically correct leader election protocol", 2000. */
import type { Reproduction } from "./claim.ts";
import { guptaFig4 } from "./gupta-fig4.ts";
import { guptaCrash, guptaFig5, guptaScale } from "./gupta-fig5.ts";
import { guptaFig3 } from "./gupta-reinitiation.ts";
import { guptaFig2 } from "./gupta-round.ts";
import { guptaSteps } from "./gupta-steps.ts";
import { guptaTheorems } from "./gupta-theorems.ts";

const parts = [guptaFig2, guptaFig3, guptaFig4, guptaTheorems, guptaFig5, guptaCrash, guptaScale, guptaSteps];
export const gupta: readonly Reproduction[] = parts;
