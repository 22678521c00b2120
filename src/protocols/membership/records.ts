/** What is known of a member, which of two such records is the newer one, and how they stand in messages. */
import type { Address } from "../../protocol.ts";

type Status = "alive" | "suspect" | "failed" | "left";

/** What members tell of themselves beside their address: priority, weight, zone; plain data of at most 256 encoded bytes. */
export type Meta = unknown;

/** A member as this one knows it. Never changed once made: a newer record takes its place. */
export interface KnownMember {
  readonly name: string;
  /** Which start of the process this is. */
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
 * Whether `a` says something newer of a name than `b`. Only a member itself raises its incarnation, above all that it hears
 * of its name, former lives included. So a larger one is later; of two lives with the same one, either will do if all agree.
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

export const toMember = ([name, life, incarnation, address, code, meta]: MemberRecord): KnownMember => ({
  name,
  life,
  incarnation,
  address,
  meta,
  status: STATUSES[code],
});

export const accusersOf = (entry: MemberRecord): readonly number[] => entry[6] ?? [];

/** A fact that is published under a key: the larger order wins. */
export interface Note {
  readonly key: string;
  readonly order: readonly [number, number];
  readonly value: unknown;
}

/** In a message: key, order, value. */
export type NoteEntry = readonly [string, number, number, unknown];

export const toNoteEntry = ({ key, order, value }: Note): NoteEntry => [key, order[0], order[1], value];
export const toNote = ([key, first, second, value]: NoteEntry): Note => ({ key, order: [first, second], value });

export const compareOrders = (a: Note["order"], b: Note["order"]): number => a[0] - b[0] || a[1] - b[1];
