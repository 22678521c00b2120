/** Plain data as the explorer needs it: one text for one value. */
import { InputError } from "../errors.ts";

/** The same text for equal values, whatever the order in which their fields came into being. */
export function encode(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(encode).join()}]`;
  if (typeof value === "object" && value !== null) {
    // In the order of insertion: a protocol that goes through them can tell.
    if (value instanceof Map || value instanceof Set) return `${value.constructor.name}(${encode([...value])})`;
    const prototype = Object.getPrototypeOf(value);
    if (prototype !== Object.prototype && prototype !== null) {
      throw new InputError(`state and messages must be plain data, not a ${prototype.constructor?.name || "class"}`);
    }
    const fields = Object.entries(value).filter(([, field]) => field !== undefined);
    return `{${fields
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, field]) => `${JSON.stringify(name)}:${encode(field)}`)
      .join()}}`;
  }
  if (typeof value === "number") return Object.is(value, -0) ? "-0" : String(value);
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "function" || typeof value === "symbol") {
    throw new InputError(`state and messages must be plain data, not a ${typeof value}`);
  }
  return JSON.stringify(value) ?? "undefined";
}
