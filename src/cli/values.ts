/** From the text of an option to its value. What a value must be to make sense is checked by `resolve`. */
import { availableParallelism } from "node:os";
import { MOST_THREADS } from "../campaign/campaign.ts";
import { InputError } from "../errors.ts";
import type { Delay } from "../host/delays.ts";
import type { Params } from "../protocols/parameters.ts";
import type { Ids, Initiators } from "../simulation/settings.ts";

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

export const isNumber = (text: string): boolean => NUMBER.test(text.trim());

export function numberOf(text: string, option: string, wanted = "a number"): number {
  if (isNumber(text)) return Number(text);
  throw new InputError(`${option} must be ${wanted}, not «${text}»`);
}

export function wholeNumber(text: string, option: string, least: number, most = Infinity): number {
  const wanted = `a whole number ${most === Infinity ? `of at least ${least}` : `from ${least} to ${most}`}`;
  const value = numberOf(text, option, wanted);
  if (Number.isSafeInteger(value) && value >= least && value <= most) return value;
  throw new InputError(`${option} must be ${wanted}, not ${text}`);
}

/** Worker threads: one for each core where nobody says. */
export const threadsOf = (text: string | undefined): number =>
  text === undefined ? availableParallelism() : wholeNumber(text, "--threads", 1, MOST_THREADS);

export function probability(text: string, option: string): number {
  const wanted = "a probability from 0 to 1";
  const value = numberOf(text, option, wanted);
  if (value >= 0 && value <= 1) return value;
  throw new InputError(`${option} must be ${wanted}, not ${text}`);
}

/** A share, as 1% or 0.01. */
export function shareOf(text: string, option: string): number {
  const wanted = "a share such as 1% or 0.01";
  const percent = text.endsWith("%");
  const value = numberOf(percent ? text.slice(0, -1) : text, option, wanted);
  return percent ? value / 100 : value;
}

/** random, increasing, decreasing, or a list such as 7,3,12. */
export function idsOf(text: string): Ids {
  if (text === "random" || text === "increasing" || text === "decreasing") return text;
  const ids = text.split(",").map((id) => id.trim());
  if (ids.every((id) => NUMBER.test(id))) return ids.map(Number);
  throw new InputError(`--ids must be random, increasing, decreasing or a list such as 7,3,12, not «${text}»`);
}

/** all, a number of nodes, or a share of them such as 10%: rounded, but somebody starts unless it is 0%. */
export function initiatorsOf(text: string, n: number): Initiators {
  if (text === "all") return "all";
  const wanted = "all, a number of nodes or a percentage such as 10%";
  if (!text.endsWith("%")) return numberOf(text, "--initiators", wanted);
  const share = numberOf(text.slice(0, -1), "--initiators", wanted);
  if (share < 0 || share > 100) throw new InputError(`--initiators must be from 0% to 100%, not ${text}`);
  return share === 0 ? 0 : Math.max(1, Math.round((n * share) / 100));
}

/** fixed:1, uniform:0.5..1.5 or exp:1, in units of virtual time. */
export function delayOf(text: string): Delay {
  const refusal = new InputError(`--delay must be fixed:1, uniform:0.5..1.5 or exp:1, not «${text}»`);
  const colon = text.indexOf(":");
  const kind = text.slice(0, Math.max(0, colon));
  const numbers = text.slice(colon + 1).split("..");
  if (!numbers.every((value) => NUMBER.test(value))) throw refusal;
  const [first, second] = numbers.map(Number);
  if (kind === "uniform" && numbers.length === 2) return { kind, min: first, max: second };
  if (kind === "fixed" && numbers.length === 1) return { kind, value: first };
  if (kind === "exp" && numbers.length === 1) return { kind: "exponential", mean: first };
  throw refusal;
}

export function delayText(delay: Delay): string {
  switch (delay.kind) {
    case "fixed":
      return `fixed:${delay.value}`;
    case "uniform":
      return `uniform:${delay.min}..${delay.max}`;
    case "exponential":
      return `exp:${delay.mean}`;
  }
}

export const paramsOf = (pairs: readonly string[]): Params => pairsOf(pairs, "--param", "passive=join");

/** KEY=VALUE, each key once. */
export function pairsOf(pairs: readonly string[], option: string, example: string): Record<string, string> {
  const values = new Map<string, string>();
  for (const pair of pairs) {
    const equals = pair.indexOf("=");
    if (equals < 1) throw new InputError(`${option} must be KEY=VALUE, such as ${example}, not «${pair}»`);
    const key = pair.slice(0, equals);
    if (values.has(key)) throw new InputError(`${option} ${key} is given twice`);
    values.set(key, pair.slice(equals + 1));
  }
  return Object.fromEntries(values);
}

/** Whole numbers, separated by commas. */
export function listOf(text: string, option: string): number[] {
  return text.split(",").map((item) => wholeNumber(item.trim(), option, 0));
}
