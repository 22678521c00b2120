/** Checks of the shape of what strangers send, for `accepts`. */

/** A whole number from 0 on: a counter, a round, an id. */
export const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

/** An object with these fields, each of which passes its check; others may be there too. */
export function hasShape(value: unknown, fields: Readonly<Record<string, (field: unknown) => boolean>>): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(fields).every(([name, check]) => Object.hasOwn(value, name) && check(value[name as never]));
}
