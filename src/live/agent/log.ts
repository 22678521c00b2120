/** What an agent writes: lines for people, or one JSON object a line. Secrets never come here. */
import type { World } from "../world.ts";
import { LOG_LEVELS } from "./settings.ts";

export type LogLevel = (typeof LOG_LEVELS)[number];
export type Fields = Readonly<Record<string, unknown>>;
type Say = (message: string, fields?: Fields) => void;

/** A message in words, and what programs want to find in it. */
export type Log = Readonly<Record<LogLevel, Say>>;

export interface LogSetup {
  readonly form: "text" | "json";
  readonly level: LogLevel;
  /** In every line of JSON. */
  readonly about: Fields;
  write(line: string): void;
  /** As it stands in a line: of ISO 8601. */
  time(): string;
}

export function createLog({ form, level, about, write, time }: LogSetup): Log {
  const least = LOG_LEVELS.indexOf(level);
  const line = form === "json" ? jsonLine : textLine;
  const say = (at: LogLevel): Say =>
    LOG_LEVELS.indexOf(at) < least
      ? () => {}
      : (message, fields = {}) => write(line(time(), at, message, fields, about));
  return { debug: say("debug"), info: say("info"), warn: say("warn"), error: say("error") };
}

function jsonLine(time: string, level: LogLevel, msg: string, fields: Fields, about: Fields): string {
  // Tokens outgrow what JSON's readers take for whole numbers.
  const plain = (_: string, value: unknown) => (typeof value === "bigint" ? String(value) : value);
  return JSON.stringify({ time, level, msg, ...about, ...fields }, plain);
}

/** The words of an event say all of it. A message holds no line of its own making: names come from others. */
function textLine(time: string, level: LogLevel, message: string, fields: Fields): string {
  const said = "event" in fields ? [] : Object.entries(fields).map(([name, value]) => `${name}=${shown(value)}`);
  return [time, level.padEnd(5), printable(message), ...said].join(" ");
}

const shown = (value: unknown): string => {
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  return /^[\w.:/@+-]+$/.test(text) ? text : JSON.stringify(text);
};

const printable = (text: string): string => text.replace(/\p{Cc}+/gu, " ");

export interface Flood {
  /** So many lines of one message in so many milliseconds; then only how many there were. */
  readonly most: number;
  readonly within: number;
}

/** For what strangers can cause: a message that comes too often is left out, and counted in the next one that is not. */
export function limited(
  log: Log,
  { now }: Pick<World, "now">,
  { most, within }: Flood = { most: 10, within: 60_000 },
): Log {
  const seen = new Map<string, { since: number; count: number; left: number }>();
  const say =
    (level: LogLevel): Say =>
    (message, fields = {}) => {
      const known = seen.get(message);
      const isNew = known === undefined || now() - known.since > within;
      // What strangers say could be part of a message: it must not fill the memory either.
      if (known === undefined && seen.size >= MOST_KINDS) seen.clear();
      const at = isNew ? { since: now(), count: 0, left: 0 } : known;
      seen.set(message, at);
      at.count++;
      if (at.count > most) at.left++;
      else log[level](message, isNew && known?.left ? { ...fields, leftOut: known.left } : fields);
    };
  return { debug: say("debug"), info: say("info"), warn: say("warn"), error: say("error") };
}

const MOST_KINDS = 100;
