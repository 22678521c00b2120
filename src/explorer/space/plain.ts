/** Plain data as the explorer needs it: one text for one value, and one number. */
import { InputError } from "../../errors.ts";

/**
 * The same text for equal values, whatever the order in which their fields came into being. A search does little else, so this goes
 * through fields and elements in loops and makes no lists of them.
 */
export function canonicalText(value: unknown): string {
  switch (typeof value) {
    case "number":
      return Object.is(value, -0) ? "-0" : String(value);
    case "string":
      return JSON.stringify(value);
    case "bigint":
      return `${value}n`;
    case "function":
    case "symbol":
      throw new InputError(`state and messages must be plain data, not a ${typeof value}`);
    case "object":
      if (value === null) return "null";
      return Array.isArray(value) ? encodeArray(value) : encodeObject(value);
    default:
      return String(value);
  }
}

function encodeArray(values: readonly unknown[]): string {
  let text = "[";
  for (let i = 0; i < values.length; i++) {
    if (i > 0) text += ",";
    const value = values[i];
    // An element that was never set is not one that is undefined.
    if (value !== undefined || i in values) text += canonicalText(value);
  }
  return `${text}]`;
}

function encodeObject(value: object): string {
  // In the order of insertion: a protocol that goes through them can tell.
  if (value instanceof Map || value instanceof Set) return `${value.constructor.name}(${encodeArray([...value])})`;
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    throw new InputError(`state and messages must be plain data, not a ${prototype.constructor?.name || "class"}`);
  }
  const names = Object.keys(value);
  if (!isSorted(names)) names.sort();
  let text = "{";
  for (const name of names) {
    const field = (value as Record<string, unknown>)[name];
    if (field === undefined) continue;
    if (text !== "{") text += ",";
    text += `${quoted(name)}:${canonicalText(field)}`;
  }
  return `${text}}`;
}

function isSorted(names: readonly string[]): boolean {
  for (let i = 1; i < names.length; i++) if (names[i] < names[i - 1]) return false;
  return true;
}

/** The names of fields come again and again; where they are data, so that there is no end of them, the first ones are kept. */
const QUOTED = 10_000;
const quotes = new Map<string, string>();

function quoted(name: string): string {
  let text = quotes.get(name);
  if (text === undefined) {
    text = JSON.stringify(name);
    if (quotes.size < QUOTED) quotes.set(name, text);
  }
  return text;
}

/** Numbers for values: equal values get equal numbers, so a configuration of a whole network is a short list of them. */
export class Interner<T> {
  private readonly numbers = new Map<string, number>();
  private readonly values: T[] = [];

  /** `kind` tells apart what is equal otherwise. */
  number(value: T, kind = ""): number {
    const text = kind + canonicalText(value);
    let number = this.numbers.get(text);
    if (number === undefined) {
      number = this.values.length;
      this.numbers.set(text, number);
      this.values.push(value);
    }
    return number;
  }

  value(number: number): T {
    return this.values[number];
  }

  get size(): number {
    return this.values.length;
  }
}
