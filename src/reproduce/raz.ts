/** What is reproduced of D. Raz, Y. Shavitt, L. Zhang, "Distributed Council Election", 2004. */
import type { Reproduction } from "./claim.ts";
import { fig1, fig2, fig5, fig6, fig7 } from "./raz-basic.ts";
import { fig10, fig11, fig14 } from "./raz-better.ts";
import { continuous } from "./raz-continuous.ts";
import { loss, printed, table } from "./raz-printed.ts";
import { fig15, fig17 } from "./raz-unknown.ts";

export const raz: readonly Reproduction[] = [
  ...[fig1, fig2, fig5, fig6, fig7, fig10, fig11, fig14, fig15, fig17],
  ...[loss, table, printed, continuous],
];
