/**
 * The messages between a centre and its council. The frequent ones are pulses: tuples of numbers, to save bytes. A pulse does not name
 * lives. It has a pass instead: 32 random bits that a member has drawn for one offer to one life of its centre. So a pulse from or to
 * another life has no valid pass.
 */
import { hasShape, isCount } from "../../protocols/shape.ts";

export const PULSE = {
  /** Centre to member: "I am here". */
  beat: 0,
  /** Centre to member: "I am here; answer". */
  exchange: 1,
  /** Member to centre. */
  answer: 2,
  /** Member to centre: "Are you there?" */
  ask: 3,
  /** In both directions: this seat has ended. */
  over: 4,
} as const;

export type PulseKind = (typeof PULSE)[keyof typeof PULSE];

/** `version`: of the list of members, as far as the sender has it. */
export type Pulse = readonly [kind: PulseKind, pass: number, version: number];

/** Lives of sender and receiver, as the sender knows them. */
export interface Between {
  readonly from: number;
  readonly to: number;
}

/** Member to a centre that has invited. */
export interface Offer extends Between {
  readonly kind: "offer";
  readonly council: string;
  readonly pass: number;
}

/** Centre to member: you have the seat, and these are all members. */
export interface Seating extends Between {
  readonly kind: "seat";
  readonly council: string;
  readonly pass: number;
  readonly version: number;
  /** Names, the receiver's included; empty if the council is not told its members. */
  readonly fellows: readonly string[];
}

export type SeatMessage = Pulse | Offer | Seating;

/** Travels by gossip, or inside a message that goes to all members anyway. */
export interface Invitation {
  readonly council: string;
  readonly centre: string;
  readonly life: number;
  /** A member answers each number once. */
  readonly number: number;
  /** How many offers are wanted, and how many members have a seat. With n, the chance to make an offer follows. */
  readonly wanted: number;
  readonly seated: number;
  /** The members that have a seat, if the group is told and the list fits. */
  readonly members?: readonly string[];
}

const LONGEST_NAME = 80;
const MOST_FELLOWS = 64;
const isName = (value: unknown) => typeof value === "string" && value.length <= LONGEST_NAME;
const isWhole = (value: unknown) => Number.isSafeInteger(value);
const areNames = (value: unknown) => Array.isArray(value) && value.length <= MOST_FELLOWS && value.every(isName);
const between = { from: isWhole, to: isWhole };
const offerShape = { ...between, council: isName, pass: isCount };
const seatingShape = { ...offerShape, version: isCount, fellows: areNames };
const invitationShape = {
  council: isName,
  centre: isName,
  life: isWhole,
  number: isCount,
  seated: isCount,
  wanted: (value: unknown) => typeof value === "number" && value >= 0,
};

const isPulse = (message: unknown): message is Pulse =>
  Array.isArray(message) &&
  message.length === 3 &&
  isCount(message[0]) &&
  isCount(message[1]) &&
  isCount(message[2]) &&
  message[0] <= PULSE.over;

export function isCouncilMessage(message: unknown): message is SeatMessage {
  if (Array.isArray(message)) return isPulse(message);
  const kind = (message as { kind?: unknown } | null)?.kind;
  if (kind === "offer") return hasShape(message, offerShape);
  return kind === "seat" && hasShape(message, seatingShape);
}

export const isInvitation = (value: unknown): value is Invitation =>
  hasShape(value, invitationShape) && areNames((value as Invitation).members ?? []);

// What holders and watchers say to each other: the messages of a council, and reports of watchers.

/** One watcher to another: for how long it has heard nothing from this life of a holder. */
export interface WatchReport extends Between {
  readonly kind: "report";
  readonly life: number;
  /** In the sender's ticks. From its window on this is a report; a smaller number takes a report back, or answers one. */
  readonly silent: number;
}

export type WatchMessage = SeatMessage | WatchReport;

const reportShape = {
  from: Number.isSafeInteger,
  to: Number.isSafeInteger,
  life: Number.isSafeInteger,
  silent: isCount,
};

/** Whether this is a well-formed message of the watch. */
export const isWatchMessage = (message: unknown): message is WatchMessage =>
  isCouncilMessage(message) ||
  ((message as { kind?: unknown } | null)?.kind === "report" && hasShape(message, reportShape));
