/**
 * An office with several seats is one office for each, "shards#1" and so on. No member gets a second seat while there are
 * others, and all seats share one order, in which each vacant one begins a place further on: so that several can be
 * filled at once.
 */
import { live } from "../protocols/membership/parent.ts";
import type { Office, Turn } from "./state.ts";

export interface SeatOrder {
  /** What the order is drawn for. */
  readonly order: string;
  /** Who holds another seat of the office. */
  readonly others: readonly string[];
  /** How many vacant seats come before this one. */
  readonly offset: number;
  /** Whether this member has a seat already, or stands for one. */
  readonly mine: boolean;
}

const SEAT = /^(.+)#(\d+)$/;

export function seatOf({ state: { offices, name: self } }: Turn, { name }: Office): SeatOrder {
  const [, order, own] = SEAT.exec(name) ?? [];
  if (order === undefined) return { order: name, others: [], offset: 0, mine: false };
  const others: string[] = [];
  let offset = 0;
  let mine = false;
  for (let number = 1; ; number++) {
    const seat = offices.get(`${order}#${number}`);
    if (seat === undefined) break;
    if (seat.name === name) continue;
    const holder = seat.applicant?.holder ?? seat.claim?.holder ?? null;
    mine ||= holder === self || seat.election?.stands === true;
    if (holder !== null) others.push(holder);
    else if (number < Number(own)) offset++;
  }
  return { order, others, offset, mine };
}

/** So many times a seat is left to others: those who have none may not want one. */
const POLITE = 4;

/** Whether this member should leave the seat to others: it has one, and there are members who have none. */
export function hasEnough(turn: Turn, office: Office): boolean {
  if (office.failedTries >= POLITE) return false;
  const { mine, others } = seatOf(turn, office);
  // The claim of a dead holder may stay for a while.
  return mine && live(turn.state.members).some(({ name }) => name !== turn.state.name && !others.includes(name));
}
