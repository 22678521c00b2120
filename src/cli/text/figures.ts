/** Numbers for people, with as many digits as help and thousands apart; and faults in words. */

import { wordsOf } from "../../errors.ts";
import type { FaultPlan } from "../../host/faults/faults.ts";
import { CHANCES, RATES } from "../../settings/simulation.ts";
import type { Rate } from "../../statistics/intervals.ts";

const grouped = (value: number, decimals: number): string =>
  value.toLocaleString("en-GB", { minimumFractionDigits: decimals, maximumFractionDigits: decimals });

/** Whole numbers whole; others with the decimals that make about four digits. */
export function figure(value: number | null): string {
  if (value === null || !Number.isFinite(value)) return "-";
  if (Number.isInteger(value)) return grouped(value, 0);
  const magnitude = Math.abs(value);
  return grouped(value, magnitude >= 1000 ? 1 : magnitude >= 10 ? 2 : magnitude >= 0.1 ? 3 : 5);
}

export function percent(share: number | null): string {
  if (share === null || !Number.isFinite(share)) return "-";
  const value = share * 100;
  const fine = Math.abs(value) > 99.9 || Math.abs(value) < 0.1;
  return `${Number.isInteger(value) ? value : value.toFixed(fine ? 4 : 2)}%`;
}

/** The interval of a rate. Where nothing or everything has failed, one end says nothing. */
export function rateRange({ rate, low, high }: Rate): string {
  if (rate === 1) return `at most ${percent(1 - low!)} fail`;
  if (rate === 0) return `at most ${percent(high)}`;
  return `${percent(low)} to ${percent(high)}`;
}

/** Milliseconds in seconds: 2.5 s. */
export const secondsText = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${figure(count)} ${count === 1 ? one : many}`;
}

const STRIKES = { ...RATES, ...CHANCES };
type Rates = { readonly [R in keyof typeof STRIKES]?: number | null | undefined };

/** loss 2%, multicast loss 1% */
export const ratesText = (rates: Rates, show: (rate: number) => string): string =>
  Object.keys(STRIKES)
    .map((name) => ({ name, rate: rates[name as keyof Rates] ?? 0 }))
    .flatMap(({ name, rate }) => (rate > 0 ? [`${wordsOf(name)} ${show(rate)}`] : []))
    .join(", ");

export function faultText(plan: FaultPlan, show: (rate: number) => string): string {
  const planned = Object.entries(plan).flatMap(([kind, part]) => {
    const size = typeof part === "object" ? part.length : 0;
    return size > 0 ? [`${size} planned ${size === 1 ? singular(kind) : kind}`] : [];
  });
  return [ratesText(plan, show), ...planned].filter(Boolean).join(", ") || "none";
}

/** losses, crashes, pauses: loss, crash, pause */
const singular = (kind: string): string => kind.replace(/(?<=ss|sh)es$|s$/, "");
