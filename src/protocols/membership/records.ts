/** Records of members: which of two is newer, and their form in messages. */
import type { Address } from "../../protocol.ts";

type Status = "alive" | "suspect" | "failed" | "left";

/** A member's own data, such as priority, weight and zone: plain data of at most 256 encoded bytes. */
export type Meta = unknown;

/** What is known of a member. A record never changes; a newer one replaces it. */
export interface KnownMember {
  readonly name: string;
  /** Drawn anew whenever the process starts. */
  readonly life: number;
  readonly incarnation: number;
  readonly address: Address;
  readonly status: Status;
  readonly meta: Meta;
}

const STATUSES: readonly Status[] = ["alive", "suspect", "failed", "left"];

const gravity = (status: Status): number => STATUSES.indexOf(status);

export const isLiveStatus = (status: Status): boolean => status === "alive" || status === "suspect";

/**
 * Whether `a` is newer than `b`; both have one name. Only a member itself raises its incarnation, above all incarnations that it hears of
 * its name, former lives included. So a larger incarnation is later. If two lives have the same one, any choice will do that all share.
 */
export function isNewer(a: KnownMember, b: KnownMember): boolean {
  if (a.incarnation !== b.incarnation) return a.incarnation > b.incarnation;
  if (a.life !== b.life) return a.life > b.life;
  return gravity(a.status) > gravity(b.status);
}

export const isSameRecord = (a: KnownMember, b: KnownMember): boolean =>
  a.incarnation === b.incarnation && a.life === b.life && a.status === b.status;

/** A record in a message: name, life, incarnation, address, status, meta; of a suspect also who suspects it, by life. */
export type MemberRecord =
  | readonly [string, number, number, Address, number, Meta]
  | readonly [string, number, number, Address, number, Meta, readonly number[]];

export function toEntry(
  { name, life, incarnation, address, status, meta }: KnownMember,
  by?: readonly number[],
): MemberRecord {
  const code = gravity(status);
  return by === undefined
    ? [name, life, incarnation, address, code, meta]
    : [name, life, incarnation, address, code, meta, by];
}

/**
 * The latest record of each name that a member of this process has read. Records never change, so members share them. Otherwise a process
 * with hundreds of members would keep, sum and measure each record hundreds of times.
 */
const latest = new Map<string, KnownMember>();
const MOST_LATEST = 4096;

export function toMember([name, life, incarnation, address, code, meta]: MemberRecord): KnownMember {
  const status = STATUSES[code];
  const known = latest.get(name);
  if (known !== undefined && known.life === life && known.incarnation === incarnation && known.status === status) {
    if (known.address === address && isSameData(known.meta, meta)) return known;
  }
  const member = { name, life, incarnation, address, meta, status };
  if (latest.size >= MOST_LATEST) latest.clear();
  latest.set(name, member);
  return member;
}

/** Whether two values from messages are equal, with their fields in the same order. */
function isSameData(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [fields, others] = [Object.keys(a), Object.keys(b)];
  if (fields.length !== others.length) return false;
  return fields.every(
    (field, i) =>
      field === others[i] && isSameData((a as Record<string, unknown>)[field], (b as Record<string, unknown>)[field]),
  );
}

export const accusersOf = (entry: MemberRecord): readonly number[] => entry[6] ?? [];

/** A fact that is published under a key: the larger order wins. */
export interface Note {
  readonly key: string;
  readonly order: readonly [number, number];
  readonly value: unknown;
}

/** A note in a message: key, order, value. */
export type NoteEntry = readonly [string, number, number, unknown];

export const toNoteEntry = ({ key, order, value }: Note): NoteEntry => [key, order[0], order[1], value];
export const toNote = ([key, first, second, value]: NoteEntry): Note => ({ key, order: [first, second], value });

export const compareOrders = (a: Note["order"], b: Note["order"]): number => a[0] - b[0] || a[1] - b[1];
