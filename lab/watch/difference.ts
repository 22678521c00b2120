/** Where two runs part. */
import type { RunRecord } from "../run/record.ts";

/** The number of the first event that differs, from 1; null where none does. */
export function firstDifference(a: RunRecord, b: RunRecord): number | null {
  const most = Math.max(a.length, b.length);
  for (let i = 0; i < most; i++) {
    const [one, two] = [a.events[i], b.events[i]];
    if (one === undefined || two === undefined) return i + 1;
    if (one.time !== two.time || one.node !== two.node || one.do !== two.do || one.text !== two.text) return i + 1;
    if (JSON.stringify(one.sends) !== JSON.stringify(two.sends)) return i + 1;
  }
  return null;
}
