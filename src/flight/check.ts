/**
 * A number for what a handler asked of its context. A record holds one for each step instead of every message that was sent: the machine
 * that is run again makes them all anew, and the number tells whether they are the same.
 */

/** Numbers of texts that come again and again: names of fields, members and timers. */
const KNOWN_TEXTS = 4096;
const known = new Map<string, number>();

const eight = new Float64Array(1);
const halves = new Int32Array(eight.buffer);

function mix(check: number, value: number): number {
  const mixed = Math.imul(check ^ value, 0x9e3779b1);
  return mixed ^ (mixed >>> 15);
}

function numberOf(text: string): number {
  const met = known.get(text);
  if (met !== undefined) return met;
  let number = text.length;
  for (let i = 0; i < text.length; i++) number = mix(number, text.charCodeAt(i));
  if (known.size >= KNOWN_TEXTS) known.clear();
  known.set(text, number);
  return number;
}

/** Of plain data; fields in the order in which they were set. Few functions: a member that was asleep has none of them in its cache. */
function mixValue(check: number, value: unknown): number {
  if (typeof value === "number") {
    if ((value | 0) === value) return mix(check, value);
    eight[0] = value;
    return mix(mix(check, halves[0]), halves[1]);
  }
  if (typeof value === "string") return mix(check, numberOf(value));
  if (typeof value === "boolean") return mix(check, value ? 3 : 4);
  if (typeof value === "bigint") return mix(check, numberOf(String(value)));
  if (typeof value !== "object") return mix(check, 5);
  if (value === null) return mix(check, 6);
  let mixed = mix(check, 7);
  if (Array.isArray(value)) for (const item of value) mixed = mixValue(mixed, item);
  else {
    const fields = value as Readonly<Record<string, unknown>>;
    for (const name in fields) mixed = mixValue(mix(mixed, numberOf(name)), fields[name]);
  }
  return mix(mixed, 8);
}

/** `kind`: the call's number; then what it was given. */
export function mixCall(check: number, kind: number, first: unknown, second?: unknown, third?: unknown): number {
  const mixed = mixValue(mix(check, kind), first);
  if (second === undefined) return mixed;
  const more = mixValue(mixed, second);
  return third === undefined ? more : mixValue(more, third);
}

/** Calls for timers are most of all: two steps of mixing, to a thousandth of a millisecond. */
export function mixTimer(check: number, kind: number, timer: string, min: number, max: number): number {
  const first = Math.imul(check ^ ((known.get(timer) ?? numberOf(timer)) + kind), 0x9e3779b1);
  const mixed = Math.imul(first ^ (first >>> 15) ^ (Math.imul(min * 1024, 31) + max * 1024), 0x9e3779b1);
  return mixed ^ (mixed >>> 15);
}

/** As a record has it: with the highest bit, so that every number takes as many bytes. */
export const recordedCheck = (check: number): number => (check | 0x80000000) >>> 0;
