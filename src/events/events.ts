/** The types of events, and what programs, logs and pages need to know of them, all from the table. */
import { FIELDS, type FieldName, type FieldSpec, type FieldsIn, type FieldType, readSpec } from "./fields.ts";
import { EVENTS, type EventLevel, type NEWS_EVENTS, STREAM_EVENTS } from "./table.ts";

type FieldsOf<E> = E extends { readonly fields: readonly (infer S extends FieldSpec)[] } ? FieldsIn<S> : never;

/** Every event by its name, and what comes with it (docs/events.md has the list). */
export type MemberEventFields = { readonly [K in keyof typeof EVENTS]: FieldsOf<(typeof EVENTS)[K]> };

/** The names of what a member tells. */
export type MemberEventName = keyof MemberEventFields;

/** One kind of event, with its name. */
export type MemberEventOf<K extends MemberEventName> = { readonly event: K } & MemberEventFields[K];

/** Anything that a member tells: `event` says what it is. */
export type MemberEvent = { [K in MemberEventName]: MemberEventOf<K> }[MemberEventName];

/** An event of which it does not matter which it is: fields that it has not are missing. */
export type AnyMemberEvent = { readonly event: MemberEventName } & {
  readonly [F in FieldName]?: F extends "leader" ? FieldType<F> | null : FieldType<F>;
};

/**
 * What the machine of a group reports: as `AnyMemberEvent`, but a token is a plain number, and what only the host of the machine
 * knows is missing.
 */
export type GroupNews = { readonly event: keyof typeof NEWS_EVENTS } & {
  readonly [F in Exclude<keyof AnyMemberEvent, "event" | "token">]?: AnyMemberEvent[F];
} & { readonly token?: number };

/** What an agent can tell; an agent of another version may tell more. */
export type StreamEventName = MemberEventName | keyof typeof STREAM_EVENTS | "status";

/** An event as it is told to people; one that came as JSON has its token as text. */
export type ToldEvent = { readonly event: Exclude<StreamEventName, "status"> } & {
  readonly [F in keyof Omit<AnyMemberEvent, "event">]: AnyMemberEvent[F] | (F extends "token" ? string : never);
};

const ALL = { ...EVENTS, ...STREAM_EVENTS };

export const EVENT_NAMES = Object.keys(EVENTS) as readonly MemberEventName[];

/** Of an event that came from elsewhere: whether it is one of those that can be told. */
export const isKnownEvent = (name: string): name is ToldEvent["event"] => Object.hasOwn(ALL, name);

const FIELDS_OF: ReadonlyMap<MemberEventName, ReadonlySet<FieldName>> = new Map(
  EVENT_NAMES.map((name) => [name, new Set(EVENTS[name].fields.map((spec) => readSpec(spec).name))]),
);

export const hasField = (name: MemberEventName, field: FieldName): boolean => FIELDS_OF.get(name)!.has(field);

/** How the Lab shows it. */
export const shownAs = (name: ToldEvent["event"]) => ALL[name].shown;

export const isFrequent = (name: MemberEventName): boolean => EVENTS[name].isFrequent === true;

export function levelOf(event: AnyMemberEvent): EventLevel {
  const level = EVENTS[event.event].level as EventLevel | ((fields: AnyMemberEvent) => EventLevel);
  return typeof level === "string" ? level : level(event);
}

/** An event as a line for people, without its time. */
export function eventInWords(event: ToldEvent): string {
  const { sentence } = ALL[event.event] as { sentence(event: ToldEvent): string };
  return `${event.office === undefined ? "" : `${event.office}: `}${sentence(event)}`;
}

/** The fields of an event that others may read. */
export function openFields({ event: _, ...fields }: AnyMemberEvent): Omit<AnyMemberEvent, "event" | "fence"> {
  const open = Object.entries(fields).filter(([name]) => FIELDS[name as FieldName]?.kind !== "secret");
  return Object.fromEntries(open);
}
