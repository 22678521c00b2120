/** What members say to each other, and whether something that a stranger sent has that shape. */
import { utf8Length } from "../../wire/bytes.ts";
import { encodedSize } from "../../wire/codec.ts";
import { hasShape, isCount } from "../shape.ts";
import type { MemberRecord, NoteEntry } from "./records.ts";

/** Rumours that ride on a message. */
export interface Gossip {
  readonly members?: readonly MemberRecord[];
  readonly notes?: readonly NoteEntry[];
}

export type MembershipMessage =
  /** `to` and `from` are lives. `about`: what the sender believes of the receiver, where that is not well. */
  | (Gossip & {
      readonly kind: "ping";
      readonly seq: number;
      readonly to: number;
      readonly from: number;
      readonly about?: MemberRecord;
    })
  /**
   * `me`: who answers, where the question was not for this life or did not know it well. `who`: the answerer does not know who
   * asked. `via`: passed on by a helper, which proves that somebody lives, but not that there is a way to it.
   */
  | (Gossip & {
      readonly kind: "ack";
      readonly seq: number;
      readonly from: number;
      readonly me?: MemberRecord;
      readonly about?: MemberRecord;
      readonly who?: true;
      readonly via?: true;
    })
  /** Probe this life at that address for me... */
  | { readonly kind: "ask"; readonly seq: number; readonly life: number; readonly address: string }
  /** ...which was in vain, but I am here. */
  | { readonly kind: "nack"; readonly seq: number }
  | (Gossip & { readonly kind: "gossip"; readonly from: number })
  /**
   * What the sender knows, as one number for each of `BUCKETS` parts. `me` is missing while it joins under a name that has not
   * been looked up. `first`: it is still being told all, and the answer is to go on with that part. `held`: what it has (held.ts),
   * while much is new to it: the answer leaves that out.
   */
  | {
      readonly kind: "digest";
      readonly name: string;
      readonly life: number;
      readonly sums: readonly number[];
      readonly me?: MemberRecord;
      readonly first?: number;
      readonly held?: readonly number[];
    }
  /**
   * Answers a digest with what differs. `you`: what is known of the asker's name. `part`: not all of it, the rest begins there. `want`: the parts of
   * which the answerer asks for the asker's in its turn, as bits. `differs`: the asker has said what it has, and something differed all the same. `joining`: the answerer is not in any group yet; `young`: it
   * is, but has not been told all, so that it does not know which names are taken.
   */
  | (Gossip & {
      readonly kind: "answer";
      readonly from: number;
      readonly you?: MemberRecord;
      readonly part?: number;
      readonly want?: number;
      readonly differs?: true;
      readonly joining?: MemberRecord;
      readonly young?: true;
    });

export const BUCKETS = 32;
export const LONGEST_NAME = 64;
export const LARGEST_META = 256;
export const LARGEST_NOTE = 512;
const LONGEST_ADDRESS = 256;
const LONGEST_KEY = 128;

const isText = (least: number, most: number) => (value: unknown) =>
  typeof value === "string" && value.length >= least && utf8Length(value) <= most;
const isName = isText(1, LONGEST_NAME);
const isAddress = isText(1, LONGEST_ADDRESS);
const isKey = isText(1, LONGEST_KEY);
/** Digests of notes are made of JSON, which has no such numbers. */
const hasNoBig = (value: unknown): boolean =>
  typeof value === "object" && value !== null ? Object.values(value).every(hasNoBig) : typeof value !== "bigint";
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
  (value: unknown) =>
    Array.isArray(value) && value.length === checks.length && checks.every((check, i) => check(value[i]));
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
    { me: isEntry, first: isPart, held: isHeldList },
  ],
  answer: [
    { from: isCount },
    { you: isEntry, part: isPart, want: isSum, differs: isTrue, joining: isEntry, young: isTrue, ...GOSSIP },
  ],
};

export function isMembershipMessage(message: unknown): boolean {
  if (typeof message !== "object" || message === null) return false;
  const { kind } = message as { kind?: unknown };
  if (typeof kind !== "string" || !Object.hasOwn(SHAPES, kind)) return false;
  const [needed, optional] = SHAPES[kind];
  if (!hasShape(message, needed)) return false;
  return Object.entries(message).every(([field, value]) => !Object.hasOwn(optional, field) || optional[field](value));
}
