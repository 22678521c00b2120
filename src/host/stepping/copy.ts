/** A copy of plain data that shares nothing with it; maps and sets of plain data count as such. */
export function copy<T>(value: T): T {
  if (Array.isArray(value)) return value.map(copy) as T;
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Map) return new Map([...value].map(copy)) as T;
  if (value instanceof Set) return new Set([...value].map(copy)) as T;
  const fresh: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(value)) fresh[name] = copy(field);
  return fresh as T;
}
