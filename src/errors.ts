import { distance } from "fastest-levenshtein";

/** Something the user can mend: shown as one line that says what to change, never as a stack trace. */
export class InputError extends Error {
  override readonly name = "InputError";
}

/** «did you mean ...?», when one of the known names is near enough to what was typed. */
export function didYouMean(typed: string, known: readonly string[]): string {
  const near = known
    .map((name) => ({ name, distance: distance(typed.toLowerCase(), name) }))
    .filter(({ name, distance }) => distance <= Math.max(2, Math.floor(name.length / 3)) || name.startsWith(typed))
    .sort((a, b) => a.distance - b.distance)[0];
  return near === undefined ? "" : `; did you mean «${near.name}»?`;
}
