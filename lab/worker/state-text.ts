/** What a node knows, as lines of names and values. */
import { jsonOf } from "../../src/trace/events.ts";

const MOST_LINES = 60;
const MOST_LETTERS = 120;

export function stateLines(value: unknown): (readonly [string, string])[] {
  if (typeof value !== "object" || value === null) return [["state", value === null ? "nothing yet" : String(value)]];
  const lines = Object.entries(value)
    .filter(([name]) => name !== "params")
    .map(([name, field]) => [name, clipped(plain(field))] as const);
  return lines.length <= MOST_LINES
    ? lines
    : [...lines.slice(0, MOST_LINES), ["…", `${lines.length - MOST_LINES} more`]];
}

const clipped = (text: string): string => (text.length <= MOST_LETTERS ? text : `${text.slice(0, MOST_LETTERS)}…`);

function plain(value: unknown): string {
  if (value === null || value === undefined) return "none";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (value instanceof Map || value instanceof Set) return plain([...value]);
  if (Array.isArray(value)) return value.length === 0 ? "none" : value.map(plain).join(", ");
  if (typeof value !== "object") return String(value);
  const fields = Object.entries(value).map(([name, field]) => `${name} ${plain(field)}`);
  return fields.length === 0 ? "none" : `(${fields.join(", ")})`;
}

/** All of it, for comparisons. */
export const stateJson = (value: unknown): string => jsonOf(value instanceof Map ? [...value] : value) ?? "null";
