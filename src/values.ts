/** Kinds of values: how each is read, from text as people type it or from what a program gives, and what it must be. */
import { didYouMean, InputError } from "./errors.ts";

/** How a value is read. `T` is what comes out; `Given` is what a program may write; text as people type it can always be read. */
export interface Kind<T, Given = T> {
  /** What it must be, for errors: "a whole number of at least 1". */
  readonly wanted: string;
  /** The allowed words, where only words are allowed. */
  readonly words?: readonly string[];
  /** Numbers between two whole ones make no sense. */
  readonly isWhole?: true;
  /** Of a list: how each of its items is read. */
  readonly item?: Kind<unknown, unknown>;
  /** undefined: this is no such value. */
  read(given: unknown): T | undefined;
  /** Only a type, never there. */
  readonly given?: Given;
}

/** A share of a whole: 0.02, or "2%". */
export type Share = number | `${number}%`;

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** "15m" in milliseconds; null for what is no duration. A number is milliseconds already. */
export function readDuration(given: unknown): number | null {
  if (typeof given === "number") return Number.isFinite(given) && given > 0 ? given : null;
  const [, amount, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(String(given)) ?? [];
  const ms = Number(amount) * UNITS[unit];
  return ms > 0 && Number.isFinite(ms) ? ms : null;
}

export function readAs<T>(kind: Kind<T, unknown>, given: unknown, field: string): T {
  const value = kind.read(given);
  if (value !== undefined) return value;
  const { near } = wrongValueIn(kind, given);
  throw new InputError((name) => `${name(field)} must be ${kind.wanted}, not ${shown(given)}${near}`);
}

/** Why a kind does not read a value: in a list, the first item that is wrong. */
interface WrongValue {
  /** The place of the item, from 0; null where the value as a whole is wrong. */
  readonly item: number | null;
  readonly kind: Kind<unknown, unknown>;
  readonly given: unknown;
  /** "; did you mean ...?", or nothing. */
  readonly near: string;
}

export function wrongValueIn(kind: Kind<unknown, unknown>, given: unknown): WrongValue {
  const { item, words } = kind;
  const wrong = item && Array.isArray(given) ? given.findIndex((each) => item.read(each) === undefined) : -1;
  if (item !== undefined && wrong >= 0)
    return { ...wrongValueIn(item, (given as readonly unknown[])[wrong]), item: wrong };
  return { item: null, kind, given, near: words === undefined ? "" : didYouMean(String(given), words) };
}

/** Numbers as they are, text in quotes. */
function shown(given: unknown): string {
  if (typeof given === "string") return isNumber(given) || isPercentage(given) ? given : `"${given}"`;
  return typeof given === "object" ? JSON.stringify(given) : String(given);
}

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

export const isNumber = (text: string): boolean => NUMBER.test(text.trim());

export const isPercentage = (text: string): boolean => text.endsWith("%") && isNumber(text.slice(0, -1));

function numberIn(given: unknown): number {
  if (typeof given === "number") return given;
  return typeof given === "string" && isNumber(given) ? Number(given) : Number.NaN;
}

function range(least: number, most: number): string {
  if (most === Infinity) return least === -Infinity ? "" : ` of at least ${least}`;
  if (least === -Infinity) return ` of at most ${most}`;
  return ` from ${least} to ${most === Number.MAX_SAFE_INTEGER ? "2^53-1" : most}`;
}

export const whole = (least = -Infinity, most = Infinity): Kind<number> => ({
  wanted: `a whole number${range(least, most)}`,
  isWhole: true,
  read(given) {
    const value = numberIn(given);
    return Number.isSafeInteger(value) && value >= least && value <= most ? value : undefined;
  },
});

/** A finite number; `above0`: and not 0 either. */
export const number = (least = -Infinity, above0 = false, most = Infinity): Kind<number> => ({
  wanted: `a number${above0 ? " above 0" : range(least, most)}`,
  read(given) {
    const value = numberIn(given);
    return Number.isFinite(value) && value >= least && value <= most && !(above0 && value <= 0) ? value : undefined;
  },
});

/** The number that a share stands for; NaN where it is none. */
export function shareOf(given: unknown): number {
  return typeof given === "string" && isPercentage(given) ? Number(given.slice(0, -1)) / 100 : numberIn(given);
}

/** From 0 to 1, or from 0% to 100%. */
export const probability: Kind<number, Share> = {
  wanted: "a probability from 0 to 1",
  read(given) {
    const value = shareOf(given);
    return value >= 0 && value <= 1 ? value : undefined;
  },
};

/** Neither 0 nor 1. */
export const between0And1 = (example: string): Kind<number, Share> => ({
  wanted: `between 0 and 1, such as ${example}`,
  read(given) {
    const value = shareOf(given);
    return value > 0 && value < 1 ? value : undefined;
  },
});

export const choice = <W extends string>(...words: readonly W[]): Kind<W> => ({
  wanted: `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`,
  words,
  read: (given) => words.find((word) => word === given),
});

export const yesOrNo: Kind<boolean> = {
  wanted: "true or false",
  words: ["true", "false"],
  read: (given) => (String(given) === "true" ? true : String(given) === "false" ? false : undefined),
};

export const text = (wanted: string): Kind<string> => ({
  wanted,
  read: (given) => (typeof given === "string" ? given : undefined),
});

/** Words: member,engine as text. */
export const list = (wanted: string): Kind<readonly string[]> => ({
  wanted,
  read(given) {
    const words = typeof given === "string" ? given.split(",").map((word) => word.trim()) : given;
    return Array.isArray(words) && words.every((word) => typeof word === "string") ? words : undefined;
  },
});

/** The items of a list that is written as text, separated by commas; nothing between two commas is no item. */
export const itemsIn = (text: string): string[] =>
  text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");

/** Whole numbers: 7,3,12 as text. */
export const numbers: Kind<readonly number[]> = {
  wanted: "a list of whole numbers such as 7,3,12",
  read(given) {
    const list = typeof given === "string" ? given.split(",").map((item) => item.trim()) : given;
    const values = Array.isArray(list) ? list.map((item) => whole(0).read(item)) : [undefined];
    return values.every((value) => value !== undefined) ? values : undefined;
  },
};
