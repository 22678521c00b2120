/** The adversary's schedules as users write them. */
import type { WakeSchedule } from "../../protocol.ts";

/** The schedule that a text names, or what is wrong with it. */
export function parseWake(
  text: string,
): { readonly schedule: WakeSchedule; readonly problem: null } | { readonly schedule: null; readonly problem: string } {
  const match = /^(uniform|one-then-rest)(?::(\d+))?$/.exec(text);
  const rounds = Number(match?.[2] ?? 10);
  if (match === null || rounds < 1 || rounds > 1e9) {
    return { schedule: null, problem: `wake must be uniform:R or one-then-rest:R with R from 1 on, not "${text}"` };
  }
  return { schedule: { kind: match[1] as WakeSchedule["kind"], rounds }, problem: null };
}
