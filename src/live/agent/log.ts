/** What an agent writes: lines for people, or one JSON object a line. Secrets never come here. */
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

/** An event of the member; `few`: the same log, but not without end. */
export function logEvent(log: Log, few: Log, event: AnyMemberEvent): void {
  (isFrequent(event.event) ? few : log)[levelOf(event)](eventInWords(event), fieldsOf(event));
}

/** `member` is who writes the log. */
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

interface Flood {
  /** So many lines of one message, and so many of all, in so many milliseconds; the rest is counted. */
  readonly most: number;
  readonly ofAll: number;
  readonly within: number;
}

const FLOOD: Flood = { most: 10, ofAll: 100, within: 60_000 };

/**
 * For what strangers can cause: what comes too often is left out, and how much that was is said with the first line after it. Each level
 * by itself: what nobody reads must not use up what somebody would.
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
    // What is said of an event differs; the event is the same.
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
