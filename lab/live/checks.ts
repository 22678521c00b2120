/** What an agent says, checked: whatever arrives, the page gets bounded texts, finite numbers and lists of a bounded length. */
import * as v from "valibot";
import type { ToldEvent } from "../../src/events/events.ts";
import { FIELD_NAMES, FIELDS, type FieldKind } from "../../src/events/fields.ts";

/** Members, council seats and offices beyond these are not shown; the page says so. */
const MOST_MEMBERS = 5000;
const MOST_OFFICES = 64;
const MOST_SEATS = 500;

/** Control characters, and those that turn text around, would let a name pose as another. */
const clean = (longest: number) => (text: string) =>
  text.slice(0, longest).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "\uFFFD");
const text = (longest: number) => v.pipe(v.string(), v.transform(clean(longest)));
const name = text(120);
const words = text(600);
export const cleaned = clean(600);
const count = v.pipe(v.number(), v.finite(), v.minValue(0));
/** Milliseconds since 1970. */
const moment = v.union([v.pipe(v.number(), v.finite()), v.pipe(v.string(), v.isoTimestamp(), v.transform(Date.parse))]);
/** Tokens are whole numbers of any size, so they come as text. */
const token = v.nullable(v.pipe(v.string(), v.regex(/^\d{1,30}$/)));

/** Of a list only what can be understood, up to a bound. */
const list = <T extends v.GenericSchema>(item: T, most: number) =>
  v.pipe(
    v.array(v.unknown()),
    v.transform((all): v.InferOutput<T>[] =>
      all.slice(0, most).flatMap((one) => {
        const { success, output } = v.safeParse(item, one);
        return success ? [output as v.InferOutput<T>] : [];
      }),
    ),
  );
/** What is missing or cannot be understood is taken for something harmless. */
const or = <T extends v.GenericSchema, const U>(schema: T, otherwise: U) =>
  v.pipe(
    v.optional(v.unknown(), null),
    v.transform((given): v.InferOutput<T> | U => {
      const { success, output } = v.safeParse(schema, given);
      return success ? (output as v.InferOutput<T>) : otherwise;
    }),
  );

const Leader = v.object({
  name,
  address: or(name, null),
  mine: or(v.boolean(), false),
  state: v.picklist(["live", "unreachable", "stale"]),
});

const Office = v.object({
  office: name,
  term: count,
  leader: v.nullable(Leader),
  token: or(token, null),
  epsilon: or(count, null),
  caveat: or(words, ""),
  council: or(list(name, MOST_SEATS), null),
  /** Also with leases: how its holder was elected. */
  election: or(v.object({ protocol: name, epsilon: or(count, null), caveat: or(words, "") }), null),
  asker: or(name, null),
});

const Keys = v.object({ seals: name, opens: list(name, 16) });

const Member = v.object({
  name,
  address: or(name, ""),
  state: v.picklist(["alive", "suspected", "failed"]),
  zone: or(name, ""),
  priority: or(v.pipe(v.number(), v.finite()), 0),
  weight: or(v.pipe(v.number(), v.finite()), 1),
  keys: or(Keys, null),
});

const Led = v.object({ office: name, leaseMs: count });

const Self = v.object({
  name,
  group: name,
  leads: or(list(Led, MOST_OFFICES), []),
  address: or(name, ""),
  version: or(name, ""),
  mode: v.picklist(["strict", "probabilistic"]),
  engine: or(v.object({ state: v.picklist(["none", "answers", "silent"]), why: or(words, null) }), null),
  quorate: or(v.boolean(), true),
  members: or(count, 0),
  profile: or(name, ""),
  leaseTtlMs: or(count, null),
  keys: or(Keys, null),
  stalls: or(v.object({ count, longestMs: count }), null),
  traffic: or(
    v.object({ datagramsSent: count, bytesSent: count, datagramsReceived: count, datagramsDropped: count }),
    null,
  ),
});

const Process = v.object({
  name,
  pid: or(count, null),
  state: v.picklist(["running", "paused", "dead"]),
});

export type SelfSeen = v.InferOutput<typeof Self>;
export type OfficeSeen = v.InferOutput<typeof Office>;
export type MemberSeen = v.InferOutput<typeof Member>;
export type ProcessSeen = v.InferOutput<typeof Process>;

const Members = list(Member, MOST_MEMBERS);
export const MembersAnswer = v.object({ members: Members, recent: or(Members, []) });
export const ProcessesAnswer = v.object({ processes: list(Process, 200) });
/** All of one moment, asked for or as an event of the stream. */
export const Status = v.object({
  at: or(moment, null),
  self: Self,
  members: MembersAnswer,
  offices: list(Office, MOST_OFFICES),
});
export { Self };

/** Fields of events that this page reads, by their kind. */
const kinds: Readonly<Partial<Record<FieldKind, v.GenericSchema>>> = {
  name,
  words,
  count,
  token,
  answering: v.picklist(["answers", "silent"]),
};

/** One event of the group, as far as this page uses it: a field that is missing or cannot be understood is left out. */
export type EventSeen = { readonly at: number } & Omit<ToldEvent, "event" | "token" | "odds" | "fence"> & {
    readonly token?: string | null;
  };

const Dated = v.looseObject({ at: moment });

/** Null for what has no time, and so is no event. */
export function eventSeen(json: unknown): EventSeen | null {
  const dated = v.safeParse(Dated, json);
  if (!dated.success) return null;
  const { at, ...given } = dated.output;
  const known = FIELD_NAMES.flatMap((field) => {
    const schema = kinds[FIELDS[field].kind];
    const read = schema === undefined ? null : v.safeParse(schema, given[field]);
    return read?.success ? [[field, read.output]] : [];
  });
  return { at, ...Object.fromEntries(known) };
}
