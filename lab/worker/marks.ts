/** What theory says beside the counter of messages. */

import { isFaultless } from "../../src/host/faults/faults.ts";
import { predict } from "../../src/registry/all.ts";
import { questionFrom, theoryOf } from "../../src/simulation/question.ts";
import type { Settings } from "../../src/simulation/settings.ts";
import type { Mark } from "../run/types.ts";

export function marksOf(settings: Settings): Mark[] {
  try {
    const mean = theoryOf(settings).messages ?? null;
    const marks: Mark[] = mean === null ? [] : [{ label: "average, by theory", value: mean, kind: "mean" }];
    // Best and worst hold for all orders of ids, but not when something is lost.
    const factors = isFaultless(settings.faults) ? predict(questionFrom(settings))?.factors : null;
    for (const label of ["best", "worst"]) {
      const value = factors?.[label];
      if (value !== undefined) marks.push({ label, value, kind: "bound" });
    }
    return marks.sort((a, b) => a.value - b.value);
  } catch {
    // A theory that cannot answer for such a setting leaves the counter without marks.
    return [];
  }
}
