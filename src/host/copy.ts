/** A copy of plain data that shares nothing with it. */
export function copy<T>(value: T): T {
  if (Array.isArray(value)) return value.map(copy) as T;
  if (typeof value !== "object" || value === null) return value;
  const fresh: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(value)) fresh[name] = copy(field);
  return fresh as T;
}
