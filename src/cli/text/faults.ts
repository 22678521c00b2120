/** Faults for people: the rates that are not 0, and how many were planned. */

import { wordsOf } from "../../flags.ts";
import type { FaultPlan } from "../../host/faults/faults.ts";
import { CHANCES, RATES } from "../../settings/simulation.ts";

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
