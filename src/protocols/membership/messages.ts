/** The messages of membership, and the check that a message which arrived has their shape. */
import { utf8Length } from "../../wire/bytes.ts";
import { encodedSize } from "../../wire/codec.ts";
import { hasShape, isCount } from "../shape.ts";
import type { MemberRecord, NoteEntry } from "./records.ts";

/** The gossip that messages carry: news of members, and notes. */
export interface Gossip {
  readonly members?: readonly MemberRecord[];
  readonly notes?: readonly NoteEntry[];
}

export type MembershipMessage =
  /** `to` and `from` are lives. */
  | (Gossip & {
      readonly kind: "ping";
      readonly seq: number;
      readonly to: number;
      readonly from: number;
      /** What the sender believes of the receiver, if that is not "alive". */
      readonly about?: MemberRecord;
    })
  | (Gossip & {
      readonly kind: "ack";
      readonly seq: number;
      readonly from: number;
      /** The sender's own record, if the ping was for another life or believed something else of this one. */
      readonly me?: MemberRecord;
      readonly about?: MemberRecord;
      /** The sender does not know the member that has pinged it. */
      readonly who?: true;
      /** A helper has passed the answer on: the member lives, but the direct link to it may be broken. */
      readonly via?: true;
    })
  /** Asks a helper to probe this life at that address. */
  | { readonly kind: "ask"; readonly seq: number; readonly life: number; readonly address: string }
  /** The helper's answer if its probe has failed; shows that the helper lives. */
  | { readonly kind: "nack"; readonly seq: number }
  | (Gossip & { readonly kind: "gossip"; readonly from: number })
  /** Asks another member to compare what both know. */
  | {
      readonly kind: "digest";
      readonly name: string;
      readonly life: number;
      /** What the sender knows, as one number for each of `BUCKETS` parts. */
      readonly sums: readonly number[];
      /** The sender's own record; missing while it joins under a name that has not been looked up. */
      readonly me?: MemberRecord;
      /** Instead of `me`: the record that the sender will have if its name is new. */
      readonly joins?: MemberRecord;
      /** Padding that makes the question as large as its answer: an unproven address is sent no more than came from it. */
      readonly room?: string;
      /** The sender is still catching up: the answer begins with this part. */
      readonly first?: number;
      /** The filter of what the sender has (held.ts), while much is new to it. The answer leaves that out. */
      readonly held?: readonly number[];
    }
  /** Answers a digest with what differs. */
  | (Gossip & {
      readonly kind: "answer";
      readonly from: number;
      /** What is known of the asker's name. */
      readonly you?: MemberRecord;
      /** The answer is not complete: the rest begins with this part. */
      readonly part?: number;
      /** The parts of which the answerer wants to have the asker's records, as bits. */
      readonly want?: number;
      /** The question had a filter, and something differed nevertheless. */
      readonly differs?: true;
      /** The answerer is not in any group yet. */
      readonly joining?: MemberRecord;
      /** The answerer is a member but still catching up, so it does not know which names are taken. */
      readonly young?: true;
      /** The asker is one of many joiners (`isThronged`). */
      readonly crowd?: true;
    });

export const BUCKETS = 32;
export const LONGEST_NAME = 64;
export const LARGEST_META = 256;
export const LARGEST_NOTE = 512;
export const LARGEST_ROOM = 1024;
const LONGEST_ADDRESS = 256;
const LONGEST_KEY = 128;

const isText = (least: number, most: number) => (value: unknown) =>
  typeof value === "string" && value.length >= least && utf8Length(value) <= most;
const isName = isText(1, LONGEST_NAME);
const isAddress = isText(1, LONGEST_ADDRESS);
const isKey = isText(1, LONGEST_KEY);
/** Notes must not have bigints: their digests are made from JSON. */
const hasNoBig = (value: unknown): boolean => {
  if (typeof value !== "object" || value === null) return typeof value !== "bigint";
  return (Array.isArray(value) ? value : Object.values(value)).every(hasNoBig);
};
const isWithin = (most: number) => (value: unknown) =>
  value !== undefined && encodedSize(value) <= most && hasNoBig(value);
const isMeta = isWithin(LARGEST_META);
const isNoteValue = isWithin(LARGEST_NOTE);
const isSum = (value: unknown) => isCount(value) && value < 2 ** 32;
const isPart = (value: unknown) => isCount(value) && value < BUCKETS;
const isStatus = (value: unknown) => isCount(value) && value < 4;
const isTrue = (value: unknown) => value === true;

const isTuple =
  (...checks: readonly ((item: unknown) => boolean)[]) =>
  (value: unknown) => {
    if (!Array.isArray(value) || value.length !== checks.length) return false;
    for (let i = 0; i < checks.length; i++) if (!checks[i](value[i])) return false;
    return true;
  };
const isPlainEntry = isTuple(isName, isCount, isCount, isAddress, isStatus, isMeta);

const isNoteEntry = isTuple(isKey, isCount, isCount, isNoteValue);
const MOST_ACCUSERS = 8;
const isList = (check: (item: unknown) => boolean) => (value: unknown) => Array.isArray(value) && value.every(check);
const isAccusers = (value: unknown) => isList(isCount)(value) && (value as unknown[]).length <= MOST_ACCUSERS;
const isAccusation = isTuple(isName, isCount, isCount, isAddress, isStatus, isMeta, isAccusers);
const isEntry = (value: unknown) => isPlainEntry(value) || isAccusation(value);
const isSums = (value: unknown) => isList(isSum)(value) && (value as unknown[]).length === BUCKETS;
const isHeldList = (value: unknown) => {
  if (!isList(isSum)(value)) return false;
  const [, first, parts, ...words] = value as number[];
  return isPart(first) && parts >= 1 && parts <= BUCKETS && words.length >= 1;
};

type Checks = Readonly<Record<string, (field: unknown) => boolean>>;

const GOSSIP: Checks = { members: isList(isEntry), notes: isList(isNoteEntry) };

/** By kind: the fields that must be there, and those that may. */
const SHAPES: Readonly<Record<string, readonly [Checks, Checks]>> = {
  ping: [
    { seq: isCount, to: isCount, from: isCount },
    { about: isEntry, ...GOSSIP },
  ],
  ack: [
    { seq: isCount, from: isCount },
    { me: isEntry, about: isEntry, who: isTrue, via: isTrue, ...GOSSIP },
  ],
  ask: [{ seq: isCount, life: isCount, address: isAddress }, {}],
  nack: [{ seq: isCount }, {}],
  gossip: [{ from: isCount }, GOSSIP],
  digest: [
    { name: isName, life: isCount, sums: isSums },
    { me: isEntry, joins: isPlainEntry, room: isText(0, LARGEST_ROOM), first: isPart, held: isHeldList },
  ],
  answer: [
    { from: isCount },
    {
      you: isEntry,
      part: isPart,
      want: isSum,
      differs: isTrue,
      joining: isEntry,
      young: isTrue,
      crowd: isTrue,
      ...GOSSIP,
    },
  ],
};

export function isMembershipMessage(message: unknown): boolean {
  if (typeof message !== "object" || message === null) return false;
  const { kind } = message as { kind?: unknown };
  if (typeof kind !== "string" || !Object.hasOwn(SHAPES, kind)) return false;
  const [needed, optional] = SHAPES[kind];
  if (!hasShape(message, needed)) return false;
  for (const field in message) {
    if (Object.hasOwn(optional, field) && !optional[field](message[field as never])) return false;
  }
  return true;
}
