/** Checks of the shape of what strangers send, for `accepts`. */

/** A whole number from 0 on: a counter, a round, an id. */
export const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

/** A counter that somebody says may be this high; what honest members count (elections, refutations) never gets there. */
const HIGHEST_SAID = 2 ** 52;
/** Where a lie has brought it there, honest members go on by ones. */
const STEP = 2 ** 32;
/** Of what a member knows nothing yet it believes more, so that it can join those who were lied to. */
const HIGHEST_FIRST = HIGHEST_SAID + 2 ** 51;

/**
 * Whether somebody can say such a counter (a term, an incarnation, the order of a note) to one who knows this one (0: none). Others
 * answer it with the next: at the end of whole numbers there would be none.
 */
export const leavesRoom = (said: number, known: number): boolean =>
  said <= (known === 0 ? HIGHEST_FIRST : Math.max(HIGHEST_SAID, known + STEP));

/** An object with fields: neither a list nor null. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** An object with these fields, each of which passes its check; others may be there too. */
export function hasShape(value: unknown, fields: Readonly<Record<string, (field: unknown) => boolean>>): boolean {
  if (typeof value !== "object" || value === null) return false;
  for (const name in fields) if (!Object.hasOwn(value, name) || !fields[name](value[name as never])) return false;
  return true;
}
