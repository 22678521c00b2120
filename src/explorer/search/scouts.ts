/**
 * Random walks beside a search that is long: a search level by level comes late to where runs end, and walks come there at
 * once. What they find is real; what they do not find is left to the search.
 */
import type { Exploration } from "../explore.ts";
import type { Paused } from "./search-terms.ts";

/** The search is alone until it has paused so often, and then walks have their turn in one of so many pauses. */
const ALONE = 1024;
const ONE_IN = 64;

/** What the search comes to, unless walks find something first. */
export function* besides(search: Paused<Exploration>, walks: Paused<Exploration>): Paused<Exploration> {
  for (let pauses = 0; ; ) {
    const step = search.next();
    if (step.done === true) return step.value;
    yield step.value;
    if (step.value !== undefined) continue;
    pauses++;
    if (pauses < ALONE || pauses % ONE_IN !== 0) continue;
    const walked = walks.next();
    if (walked.done === true && walked.value?.violation) return walked.value;
  }
}
