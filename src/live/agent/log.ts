/** The log of an agent: lines for people, or one JSON object a line. Secrets are never logged. */
import { type AnyMemberEvent, eventInWords, isFrequent, levelOf, openFields } from "../../events/events.ts";
import { jsonText } from "../../events/fields.ts";
import { LOG_LEVELS } from "../../settings/member.ts";
import type { World } from "../world.ts";

export type LogLevel = (typeof LOG_LEVELS)[number];
type Fields = Readonly<Record<string, unknown>>;
type Say = (message: string, fields?: Fields) => void;

/** A message in words, and what programs want to find in it. */
export type Log = Readonly<Record<LogLevel, Say>>;

interface LogSetup {
  readonly form: "text" | "json";
  readonly level: LogLevel;
  /** Fields of every JSON line. */
  readonly about: Fields;
  write(line: string): void;
  /** The time of a line, in ISO 8601. */
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

/** Logs an event of the member; `few`: the same log with a limit. */
export function logEvent(log: Log, few: Log, event: AnyMemberEvent): void {
  (isFrequent(event.event) ? few : log)[levelOf(event)](eventInWords(event), fieldsOf(event));
}

/** The fields of an event; the field `member` is the log's own. */
function fieldsOf(event: AnyMemberEvent): Fields {
  const { member, odds, ...said } = openFields(event);
  return {
    event: event.event,
    ...said,
    ...(member !== undefined && { peer: member }),
    ...(odds && { epsilon: odds.epsilon }),
  };
}

function jsonLine(time: string, level: LogLevel, msg: string, fields: Fields, about: Fields): string {
  return jsonText({ time, level, msg, ...about, ...fields });
}

/** A line for people. The sentence of an event has all fields. Names come from other members, so line ends in them are removed. */
function textLine(time: string, level: LogLevel, message: string, fields: Fields): string {
  const said = "event" in fields ? [] : Object.entries(fields).map(([name, value]) => `${name}=${shown(value)}`);
  return [time, level.padEnd(5), printable(message), ...said].join(" ");
}

const shown = (value: unknown): string => {
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  return /^[\w.:/@+-]+$/.test(text) ? text : JSON.stringify(text);
};

const printable = (text: string): string => text.replace(/\p{Cc}+/gu, " ");

interface Flood {
  /** The most lines of one message, and of all, in a number of milliseconds. The others are counted. */
  readonly most: number;
  readonly ofAll: number;
  readonly within: number;
}

const FLOOD: Flood = { most: 10, ofAll: 100, within: 60_000 };

/**
 * A log with a limit, for lines that strangers can cause. Lines beyond the limit are dropped, and the next line has their number. Each level
 * has its own limit, so that debug lines do not use up the limit of warnings.
 */
export function limited(log: Log, world: Pick<World, "now">, flood: Flood = FLOOD): Log {
  const say = (level: LogLevel) => sparing(log[level], world, flood);
  return { debug: say("debug"), info: say("info"), warn: say("warn"), error: say("error") };
}

function sparing(say: Say, { now }: Pick<World, "now">, { most, ofAll, within }: Flood): Say {
  let since = now();
  let written = 0;
  let leftOut = 0;
  const counts = new Map<string, number>();
  return (message, fields = {}) => {
    if (now() - since > within) {
      since = now();
      written = 0;
      counts.clear();
    }
    // Lines of one event count together, though their words differ.
    const kind = String(fields.event ?? message);
    const count = counts.get(kind) ?? 0;
    if (written >= ofAll || count >= most) {
      leftOut++;
      return;
    }
    counts.set(kind, count + 1);
    written++;
    say(message, leftOut > 0 ? { ...fields, leftOut } : fields);
    leftOut = 0;
  };
}
