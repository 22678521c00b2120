/** What is reproduced of D. Raz, Y. Shavitt, L. Zhang, "Distributed Council Election", 2004. */
import type { Reproduction } from "./claim.ts";
import { razBasic } from "./raz-basic.ts";
import { razBetter } from "./raz-better.ts";
import { razFig1, razFig2 } from "./raz-naive.ts";
import { razPrinted } from "./raz-printed.ts";
import { razUnknown } from "./raz-unknown.ts";

export const razReproductions: readonly Reproduction[] = [
  razFig1,
  razFig2,
  ...razBasic,
  ...razBetter,
  ...razUnknown,
  ...razPrinted,
];
