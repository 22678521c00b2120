/** Ramanathan et al., figure by figure, table by table, theorem by theorem. */
import type { Reproduction } from "./claim.ts";
import { fig1, fig2, survivors } from "./ramanathan-first-phase.ts";
import { printedTheorems } from "./ramanathan-printed.ts";
import { asynchronous, fig6, fig7, fig8, table5 } from "./ramanathan-second-phase.ts";
import { section6 } from "./ramanathan-section6.ts";
import { accuracy, failures, fig9 } from "./ramanathan-section7.ts";
import { states } from "./ramanathan-states.ts";
import { steps } from "./ramanathan-steps.ts";
import { synchronous, table1 } from "./ramanathan-sync.ts";

export const ramanathan: readonly Reproduction[] = [
  ...[table1, fig1, survivors, printedTheorems, synchronous, fig2, asynchronous],
  ...[table5, states, fig6, fig7, fig8, failures, section6, fig9, accuracy, steps],
];
