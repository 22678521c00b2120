/** When a job is due: a cron expression, every so often by the clock on the wall, or a pause after its last end. */
import { Cron } from "croner";
import { InputError } from "../../errors.ts";
import { readDuration } from "../../values.ts";

/** When a scheduled job runs. A text is a cron expression of five fields, or of six with seconds first. */
export type When =
  | string
  | { readonly cron: string; readonly tz?: string }
  /** "15m", "500ms", or milliseconds: at whole multiples of it since 1970, UTC. */
  | { readonly every: string | number }
  /** So long after the end of the last run, whichever member ran it. */
  | { readonly after: string | number };

/** Times are milliseconds since 1970. */
export type Timetable =
  | {
      readonly kind: "fixed";
      readonly text: string;
      /** The latest occurrence that is not after that moment; null if there is none. */
      last(now: number): number | null;
      /** The first after it; null if there is none. */
      next(now: number): number | null;
    }
  | { readonly kind: "after"; readonly text: string; readonly pause: number };

const LEAST = 100;

function duration(given: unknown, what: string): number {
  const ms = readDuration(given);
  if (ms === null || ms < LEAST) {
    throw new InputError(`"${given}" is no ${what}: give one of at least ${LEAST} ms, such as 30s, 15m, 1h or 1d`);
  }
  return ms;
}

export function timetable(when: When): Timetable {
  const given = typeof when === "string" ? { cron: when } : when;
  if ("cron" in given) return cronTable(given.cron, given.tz);
  if ("every" in given) {
    const ms = duration(given.every, "time between runs");
    return {
      kind: "fixed",
      text: `every ${given.every}`,
      last: (now) => Math.floor(now / ms) * ms,
      next: (now) => (Math.floor(now / ms) + 1) * ms,
    };
  }
  return { kind: "after", text: `after ${given.after}`, pause: duration(given.after, "pause") };
}

function cronTable(pattern: string, tz: string | undefined): Timetable {
  let cron: Cron;
  const when = (date: Date | null | undefined): number | null => date?.getTime() ?? null;
  try {
    cron = new Cron(pattern, { paused: true, ...(tz !== undefined && { timezone: tz }) });
    // An unknown time zone shows only when it is used.
    if (cron.nextRun() === null) throw new Error("it never happens");
  } catch (error) {
    const zone = tz === undefined ? "" : ` in the time zone "${tz}"`;
    throw new InputError(
      `"${pattern}"${zone} is no cron expression (${(error as Error).message}): give five fields, or six with seconds first, such as "0 3 * * *"`,
    );
  }
  return {
    kind: "fixed",
    text: tz === undefined ? pattern : `${pattern} ${tz}`,
    // Previous runs are before the moment: one of that very second counts too.
    last: (now) => when(cron.previousRuns(1, new Date(Math.floor(now / 1000) * 1000 + 1000))[0]),
    next: (now) => when(cron.nextRun(new Date(now))),
  };
}
