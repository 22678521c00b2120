/**
 * Key frames: what changes in a run, copied so that it can be put back as often as one likes. Messages are immutable and
 * shared; states, which handlers change, are copied by their holder.
 */

/** Puts back what was saved. */
export type Restore = () => void;

/** Saves fields of an object by name, and says how everything comes back; `parts` are what it consists of, saved already. */
export function keep(of: object, fields: readonly string[], parts: readonly Restore[] = []): Restore {
  const target = of as Record<string, unknown>;
  const saved = fields.map((field) => [field, duplicate(target[field])] as const);
  return () => {
    for (const [field, value] of saved) target[field] = duplicate(value);
    for (const restore of parts) restore();
  };
}

/** Lists share their elements; maps and records copy their values. */
function duplicate(value: unknown): unknown {
  if (Array.isArray(value) || ArrayBuffer.isView(value)) return (value as unknown[]).slice();
  if (value instanceof Set) return new Set(value);
  if (value instanceof Map) return new Map([...value].map(([key, entry]) => [key, duplicate(entry)]));
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, duplicate(field)]));
}
