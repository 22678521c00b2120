/** What is reproduced of D. Raz, Y. Shavitt, L. Zhang, "Distributed Council Election", 2004. */
import type { Reproduction } from "./claim.ts";
import { razBasic } from "./raz-basic.ts";
import { razBetter } from "./raz-better.ts";
import { razC } from "./raz-c.ts";
import { razContinuous } from "./raz-continuous.ts";
import { razHistory } from "./raz-history.ts";
import { razLoss } from "./raz-loss.ts";
import { razNaive } from "./raz-naive.ts";
import { razPrinted } from "./raz-printed.ts";
import { razUnknown } from "./raz-unknown.ts";
import { razWrong } from "./raz-wrong.ts";

export const razReproductions: readonly Reproduction[] = [
  ...razNaive,
  ...razBasic,
  ...razC,
  ...razBetter,
  ...razHistory,
  ...razWrong,
  ...razUnknown,
  ...razLoss,
  ...razPrinted,
  ...razContinuous,
];
