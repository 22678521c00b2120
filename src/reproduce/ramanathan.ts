/** Ramanathan et al., figure by figure, table by table, theorem by theorem. */
import type { Reproduction } from "./claim.ts";
import { asynchronous } from "./ramanathan-async.ts";
import { failures } from "./ramanathan-failures.ts";
import { fig1, fig2 } from "./ramanathan-first-phase.ts";
import { printedTheorems } from "./ramanathan-printed.ts";
import { fig6, fig7, fig8 } from "./ramanathan-second-phase.ts";
import { accuracy, fig9 } from "./ramanathan-section7.ts";
import { survivors } from "./ramanathan-survivors.ts";
import { synchronous } from "./ramanathan-sync.ts";
import { table1 } from "./ramanathan-table1.ts";
import { table5 } from "./ramanathan-tables.ts";

export const ramanathan: readonly Reproduction[] = [
  table1,
  fig1,
  survivors,
  printedTheorems,
  synchronous,
  fig2,
  asynchronous,
  table5,
  fig6,
  fig7,
  fig8,
  failures,
  fig9,
  accuracy,
];
