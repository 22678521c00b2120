/** What is reproduced of D. Raz, Y. Shavitt, L. Zhang, "Distributed Council Election", 2004. */
import type { Reproduction } from "./claim.ts";
import { fig5, fig6 } from "./raz-basic.ts";
import { fig10, fig11 } from "./raz-better.ts";
import { fig7 } from "./raz-c.ts";
import { continuous } from "./raz-continuous.ts";
import { fig14 } from "./raz-history.ts";
import { loss } from "./raz-loss.ts";
import { fig1, fig2 } from "./raz-naive.ts";
import { printed, table } from "./raz-printed.ts";
import { fig17 } from "./raz-unknown.ts";
import { fig15 } from "./raz-wrong.ts";

export const razReproductions: readonly Reproduction[] = [
  fig1,
  fig2,
  fig5,
  fig6,
  fig7,
  fig10,
  fig11,
  fig14,
  fig15,
  fig17,
  loss,
  table,
  printed,
  continuous,
];
