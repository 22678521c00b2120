/** The answers of the API, once: types for the code that gives and reads them, and what openapi.json is made of. */
import * as v from "valibot";
import { FIELDS, type FieldKind, type FieldUse, readSpec } from "../events/fields.ts";
import { EVENTS, STREAM_EVENTS } from "../events/table.ts";

/** An answer as a route gives it. */
export type AnswerOf<S extends v.GenericSchema> = Given<v.InferOutput<S>>;

type Given<T> = T extends readonly (infer E)[]
  ? readonly Given<E>[]
  : T extends object
    ? { readonly [K in keyof T]: Given<T[K]> }
    : T;

const about = <const T extends v.BaseSchema<unknown, unknown, v.BaseIssue<unknown>>>(schema: T, words: string) =>
  v.pipe(schema, v.description(words));

const text = (words: string) => about(v.string(), words);
const flag = (words: string) => about(v.boolean(), words);
const count = (words: string) => v.pipe(v.number(), v.safeInteger(), v.minValue(0), v.description(words));
const numberOf = (words: string) => about(v.number(), words);
const orNull = <const T extends v.BaseSchema<unknown, unknown, v.BaseIssue<unknown>>>(schema: T) => v.nullable(schema);
const token = about(
  orNull(v.pipe(v.string(), v.regex(/^[0-9]+$/))),
  "The fencing token, in decimal digits: larger than that of any leader before. Null without leases, or where it is not known.",
);
const group = text("The group's name.");
const office = text("The office, or which of its seats, such as shards#2.");
const term = count("The highest term seen. It names an election and fences nothing.");

const VALID_FOR =
  "For so many milliseconds, counted from before the request was sent, the named leader keeps its lease and gives it to nobody, even when it is told to resign or to end. Only the leader itself can promise that: 0, which is no promise, from every other member, without leases, while it gives the office up, and in events.";

const Leader = v.object({
  name: text("Who leads."),
  address: orNull(text("Where other members reach it; null where it is not among those known.")),
  mine: flag("Whether it is the member that answers."),
  state: about(
    v.picklist(["live", "unreachable", "stale"]),
    "live: as far as is known. unreachable: it has the lease, by the lease store's word, but nobody reaches it. stale: only the last that was known.",
  ),
});

const Election = v.object({
  protocol: text("How it is elected."),
  epsilon: orNull(
    numberOf(
      "The chance that two win one election; with leases the lease store then denies one of them. Null where no formula is known.",
    ),
  ),
  caveat: text("What that leaves out."),
});

export const SeatSchema = v.object({
  group,
  office,
  term,
  leader: orNull(Leader),
  token,
  validForMs: count(VALID_FOR),
  epsilon: orNull(numberOf("The chance of two leaders in one election; null with leases, and where it is not known.")),
  caveat: orNull(text("What epsilon leaves out; null where there is none.")),
  council: orNull(
    about(v.array(v.string()), "Who is in the office's council, the holder first; null where it has none."),
  ),
  asker: orNull(text("Who has won the term and asks the lease store for the lease.")),
  election: about(orNull(Election), "Null before the first."),
});

export const FenceSchema = v.object({
  group,
  office,
  token: text("The fencing token, in decimal digits."),
  fence: text(
    "What guards verify, to be sent with each write. A secret while the lease lasts: a process that has it can write as the leader.",
  ),
  validForMs: count(VALID_FOR),
});

const Seats = v.object({
  group,
  office,
  seats: about(v.array(SeatSchema), "One for each seat."),
});

export const OfficeSchema = v.union([SeatSchema, Seats]);

export const CouncilSchema = v.object({
  group,
  office,
  council: orNull(about(v.array(v.string()), "By name, the holder first; null where the office has no council.")),
  seated: flag("Whether the member that answers is in it."),
});

export const KeysSchema = v.object({
  seals: text("The id of the key that it seals with, as 8 hex digits."),
  opens: about(v.array(v.string()), "The ids of all keys that it opens with."),
});

const Member = v.object({
  name: text("Unique in the group."),
  address: text("Where others reach it."),
  state: about(v.picklist(["alive", "suspected"]), "suspected: it does not answer, and is soon taken for dead."),
  zone: text("Where it runs; empty where none is said."),
  priority: numberOf("Members of a higher one are elected first."),
  weight: numberOf("How often it is chosen among its equals; with 0 it stands only if nobody else does."),
  self: flag("Whether it is the member that answers."),
  keys: orNull(KeysSchema),
});

const Recent = v.object({
  name: text("Unique in the group."),
  address: text("Where others reached it."),
  state: about(v.picklist(["failed", "left"]), "left: gracefully."),
  agoMs: count("Since this member learned of it."),
  keys: orNull(KeysSchema),
});

export const MembersSchema = v.object({
  group,
  self: text("The member that answers."),
  members: about(v.array(Member), "By name, as far as this member knows."),
  recent: about(v.array(Recent), "Those who failed or left within a day."),
});

const Led = v.object({
  office,
  term,
  token,
  leaseMs: count(
    "What is left of its lease unless it is renewed or given back: no promise, unlike validForMs of an office.",
  ),
});

const Engine = v.object({
  state: about(
    v.picklist(["none", "answers", "silent"]),
    "Whether the lease store answers this member; none before it was asked, and without one.",
  ),
  why: orNull(text("In words, where it is silent.")),
});

export const SelfSchema = v.object({
  name: text("This member."),
  group,
  address: text("Where other members reach it."),
  version: text("Of Sortition."),
  mode: about(v.picklist(["strict", "probabilistic"]), "strict: leaders hold leases, with tokens."),
  offices: about(v.array(v.string()), "Those it was told of, as it was told, such as shards:3."),
  leads: about(v.array(Led), "What it leads itself."),
  engine: Engine,
  quorate: flag("Under the policy majority: whether this side sees more than half. Best effort."),
  members: count("How many there are as far as it knows, itself included."),
  profile: about(v.picklist(["local", "lan", "wan"]), "Which times it keeps."),
  leaseTtlMs: orNull(count("How long a lease lasts without being renewed; null without leases.")),
  keys: KeysSchema,
  stalls: v.object({
    count: count("How often this process paused, or was too busy."),
    longestMs: count("The longest of them."),
  }),
  traffic: v.object({
    datagramsSent: count("Since the start."),
    bytesSent: count("Since the start."),
    datagramsReceived: count("Acted on or not."),
    datagramsDropped: count("Not acted on: of other groups and keys, damaged, doubled."),
    electionMessages: count("Of elections alone, without probes, beats, rumours and repetitions."),
  }),
  commandHeld: v.optional(
    about(
      v.picklist(["cgroup", "process table"]),
      "Under `sortition run`: what holds all that its command starts. Nothing escapes a cgroup.",
    ),
  ),
});

export const HealthSchema = v.object({ status: v.literal("ok") });
export const ReadinessSchema = v.object({ status: v.literal("ready") });

export const ProblemSchema = v.object({
  type: text("about:blank: the code says which."),
  title: text("The status in words."),
  status: count("The same as in the status line."),
  detail: text("What is wrong, in a sentence."),
  code: text("For programs, such as NO_SUCH_OFFICE. Codes stay; words may change."),
  advice: text("What to do about it."),
});

export const ResignSchema = v.strictObject({
  office: v.optional(text("The office, or a seat; all that it leads where none is named.")),
});
export const TransferSchema = v.strictObject({
  to: text("Who is to lead."),
  office: v.optional(text("The office, or a seat; the first office where none is named.")),
});
export const ElectSchema = v.strictObject({
  office: v.optional(text("The office, or a seat; the first office where none is named.")),
});
export const NothingSchema = v.strictObject({});
const key = text("The key of the job: 1 to 200 characters.");
export const BeginSchema = v.strictObject({
  key,
  office: v.optional(text("The office, of one seat, under which the job runs; the first office where none is named.")),
  scheduledAt: v.optional(count("The occurrence, in milliseconds since 1970; 0 for a job without a schedule.")),
  noted: v.optional(
    flag("Of a schedule: if nothing is known of the key yet, this occurrence counts as passed. The next one begins."),
  ),
  afterMs: v.optional(count("Begin anew so many milliseconds after the job's last end, instead of once.")),
  attempts: v.optional(count("After so many failures the job is given up (3).")),
  keepMs: v.optional(count("How long the record is kept (30 days).")),
});
export const FinishSchema = v.strictObject({
  key,
  attempt: text("As it was told when the attempt began."),
  outcome: about(v.picklist(["done", "failed"]), "How it has ended."),
  status: v.optional(count("The status of a command.")),
  keepMs: v.optional(count("How long the record is kept from now on (30 days).")),
});

const JobRecordSchema = v.object({
  key,
  occurrence: count("The scheduled time, in milliseconds since 1970; 0 for a job without a schedule."),
  state: about(
    v.picklist(["noted", "running", "done", "failed"]),
    "noted: a schedule that has not run yet. running: an attempt has begun, and its end is not known.",
  ),
  attempts: count("Attempts at this occurrence that have begun."),
  failures: count("Those that have failed."),
  name: text("The member of the newest attempt."),
  token,
  status: orNull(count("Of a command that has ended.")),
  at: count("When the record last changed, in milliseconds since 1970, by the clock of the lease store."),
  ago: count("How many milliseconds ago."),
});

export const JobSchema = v.object({
  group,
  record: orNull(about(JobRecordSchema, "Null where nothing is known of the key.")),
});

export const BegunSchema = v.object({
  group,
  office,
  verdict: about(
    v.picklist(["begun", "done", "noted", "failed", "later", "wait", "elsewhere"]),
    "begun: do the work now. done: it was done before. noted: the schedule is known from now on, and its next occurrence runs. failed: as often as it may. later: a later occurrence has begun. wait: ask again after waitMs. elsewhere: another member leads the office.",
  ),
  waitMs: count("When asking again may help."),
  attempt: orNull(text("What to say when it has ended; null unless it has begun.")),
  token,
  fence: orNull(text("What guards verify; null unless it has begun. A secret while the lease lasts.")),
  validForMs: count(VALID_FOR),
  record: orNull(JobRecordSchema),
});

export const FinishedSchema = v.object({
  group,
  recorded: flag("Whether it counts; false where a later attempt has begun."),
  record: orNull(JobRecordSchema),
});

export const ResignedSchema = v.object({
  group,
  resigned: v.array(
    v.object({
      office,
      how: about(
        v.picklist(["given up", "ran out", "not held"]),
        "given up: others can lead. ran out: so did the lease, before it was given back. not held: there was nothing to do.",
      ),
    }),
  ),
});

export const TransferredSchema = v.object({
  group,
  office,
  to: text("Who leads now."),
  term: count("In which it leads."),
  token,
  already: flag("Whether it led before, so that nothing was to be done."),
});

export const ElectedSchema = v.object({
  group,
  elected: v.array(v.object({ office, leader: text("Who leads now."), term: count("In which it leads."), token })),
});

export const RekeyedSchema = v.object({ group, keys: KeysSchema });

/** All of it, of one moment. */
const LeaderChangeSchema = v.object({
  at: count("When, in milliseconds since 1970 by this machine's clock."),
  office,
  leader: text("Who leads from then on."),
  former: orNull(text("Who led before; null where the member knows of nobody.")),
  term,
  token,
  cause: text(
    "first, left, failed, lease expired, handed over, balanced, resigned, threw, or given up: the former leader lives, and only it knows more.",
  ),
});

export const StatusSchema = v.object({
  at: count("When, in milliseconds since 1970 by this machine's clock."),
  self: SelfSchema,
  members: MembersSchema,
  offices: about(v.array(SeatSchema), "Every office, or each of its seats; validForMs is 0 here."),
  history: about(v.array(LeaderChangeSchema), "The latest fifty changes of leaders, the oldest first."),
});

const fraction = orNull(v.number());

/** How JSON writes a field of an event. A secret is never sent. */
const kinds: Readonly<Record<Exclude<FieldKind, "secret">, v.GenericSchema>> = {
  name: v.string(),
  words: v.string(),
  count: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
  token: orNull(v.pipe(v.string(), v.regex(/^[0-9]+$/))),
  answering: v.picklist(["answers", "silent"]),
  odds: v.object({
    epsilon: fraction,
    loss: fraction,
    lossLow: fraction,
    lossFrom: orNull(v.picklist(["measured", "configured"])),
    protocol: orNull(v.string()),
  }),
};

/** The data of each event of the stream but `status`, by its name. */
export const eventSchemas: Readonly<Record<string, v.GenericSchema>> = Object.fromEntries(
  Object.entries({ ...EVENTS, ...STREAM_EVENTS }).map(([name, { about: words, fields }]) => [
    name,
    about(v.object({ at: count("When, in milliseconds since 1970."), ...entriesOf(fields.map(readSpec)) }), words),
  ]),
);

function entriesOf(uses: readonly FieldUse[]): Readonly<Record<string, v.GenericSchema>> {
  return Object.fromEntries(
    uses.flatMap(({ name, use }) => {
      const { kind, about: words } = FIELDS[name];
      if (kind === "secret") return [];
      const schema = about(use === "null" ? v.null() : kinds[kind], words);
      return [[name, use === "optional" ? v.optional(schema) : schema]];
    }),
  );
}

export const EventText = v.pipe(
  v.string(),
  v.description(
    "Events as text: `event:`, `id:` and `data:` with a JSON object. `status` is what /v1/status answers, and `gap`: whether events were missed, since Last-Event-ID is not among those that are kept; all others are described under components/schemas as event-NAME. `end` is the last one before the agent closes the stream.",
  ),
);
