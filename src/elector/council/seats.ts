/** The seats of a member in councils of other centres, and its offers for such seats. */
import type { Port } from "../../protocol.ts";
import { overPulse, pulse, WATCH } from "./centre.ts";
import { type Company, sendTo } from "./company.ts";
import { type Invitation, PULSE, type Pulse, type Seating, type SeatMessage } from "./messages.ts";

export interface HeldSeat {
  readonly council: string;
  /** Name and life of the centre. */
  readonly centre: string;
  readonly life: number;
  readonly pass: number;
  /** Offers sent so far while the centre has not answered; null once the seat is held. */
  tries: number | null;
  /** Whether this was a seat under a former centre. It stays a seat until the new centre says otherwise. */
  readonly inherited: boolean;
  /** The latest list of members: names, this member's included. */
  version: number;
  fellows: readonly string[];
  /** Ticks since the centre was heard. */
  silent: number;
}

export interface Seats {
  /** Seats by pass. */
  readonly held: Map<number, HeldSeat>;
  /** By council and centre: the latest invitation that this member has decided on. */
  readonly answered: Map<string, { readonly life: number; readonly number: number }>;
  /** Councils in which a seat ended with its centre, and for how many ticks. The next centre is sure to get an offer. */
  readonly orphaned: Map<string, number>;
}

export const openSeats = (): Seats => ({ held: new Map(), answered: new Map(), orphaned: new Map() });

/** An offer is repeated after this many ticks, and so often in all. */
const AGAIN = 4;
const TRIES = 3;
/** A bound on what is remembered; more than any member needs. */
const MOST = 256;
const MOST_ANSWERED = 2048;

/** Decides once on each invitation: makes an offer with the chance that brings the wanted number of offers. */
export function answerInvitation(seats: Seats, invitation: Invitation, company: Company<SeatMessage>): HeldSeat | null {
  const { council, centre, life, number, wanted, seated } = invitation;
  if (centre === company.name || seats.held.size >= MOST || !company.isLive(centre, life)) return null;
  const key = `${council}/${centre}`;
  const last = seats.answered.get(key);
  if (last !== undefined && last.life === life && last.number >= number) return null;
  if (seats.answered.size >= MOST_ANSWERED) seats.answered.clear();
  seats.answered.set(key, { life, number });
  if (seatWith(seats, council, life) !== null) return null;
  const chance = Math.min(1, wanted / Math.max(1, company.size() - 1 - seated));
  const inherited = stays(seats, council);
  if (!inherited && (chance === 0 || !company.coin(chance))) return null;
  const pass = company.choose(2 ** 32);
  if (seats.held.has(pass)) return null;
  const seat: HeldSeat = { council, centre, life, pass, tries: 1, inherited, version: 0, fellows: [], silent: 0 };
  seats.held.set(pass, seat);
  offer(seat, company);
  return seat;
}

/** Whether this member had a seat in this council under a former centre. */
function stays(seats: Seats, council: string): boolean {
  if (council === WATCH) return false;
  for (const seat of seats.held.values()) {
    if (seat.council !== council) continue;
    seats.held.delete(seat.pass);
    if (isSeat(seat)) seats.orphaned.set(council, 0);
  }
  return seats.orphaned.delete(council);
}

/** Whether it is more than an offer. */
export const isSeat = ({ tries, inherited }: HeldSeat): boolean => tries === null || inherited;

function offer({ centre, council, pass, life: to }: HeldSeat, company: Company<SeatMessage>): void {
  sendTo(company, centre, { kind: "offer", from: company.life, to, council, pass });
}

export function seatWith(seats: Seats, council: string, life: number): HeldSeat | null {
  for (const seat of seats.held.values()) if (seat.life === life && seat.council === council) return seat;
  return null;
}

/** The centre gives this member a seat, or tells it the other members; null if this member has made no such offer. */
export function seated(
  seats: Seats,
  port: Port,
  { from, pass, version, fellows }: Seating,
  company: Company<SeatMessage>,
): HeldSeat | null {
  const seat = seats.held.get(pass);
  if (seat === undefined || seat.life !== from) {
    company.send(port, overPulse(pass));
    return null;
  }
  seat.tries = null;
  seat.silent = 0;
  // An older list may arrive after a newer one.
  if (version > seat.version) {
    seat.version = version;
    seat.fellows = fellows;
  }
  company.send(port, pulse(PULSE.answer, pass, seat.version));
  return seat;
}

/** A pulse of a centre has come; null if this member has no such seat, or has it no longer. */
export function felt(
  seats: Seats,
  port: Port,
  [kind, pass, version]: Pulse,
  company: Company<SeatMessage>,
): HeldSeat | null {
  const seat = seats.held.get(pass);
  if (seat === undefined) return null;
  if (kind === PULSE.over) {
    seats.held.delete(pass);
    return seat;
  }
  seat.silent = 0;
  if (kind === PULSE.exchange || version > seat.version) company.send(port, pulse(PULSE.answer, pass, seat.version));
  return seat;
}

/** One tick of a member: silence grows, offers are repeated; a seat whose centre is gone, or silent for `lease`, ends. */
export function tickSeats(
  seats: Seats,
  company: Company<SeatMessage>,
  lease: number,
  ended: (seat: HeldSeat) => void,
): void {
  for (const [council, ticks] of seats.orphaned) {
    if (ticks < lease) seats.orphaned.set(council, ticks + 1);
    else seats.orphaned.delete(council);
  }
  for (const seat of seats.held.values()) {
    seat.silent++;
    const isOrphan = !company.isLive(seat.centre, seat.life);
    if (!isOrphan && seat.silent <= lease && stillTries(seat, company)) continue;
    seats.held.delete(seat.pass);
    if (isOrphan && isSeat(seat) && seat.council !== WATCH) seats.orphaned.set(seat.council, 0);
    ended(seat);
  }
}

function stillTries(seat: HeldSeat, company: Company<SeatMessage>): boolean {
  if (seat.tries === null || seat.silent < AGAIN * seat.tries) return true;
  if (seat.tries >= TRIES) return false;
  seat.tries++;
  offer(seat, company);
  return true;
}

/** This member leaves: its seats are free at once. */
export function resignSeats(seats: Seats, company: Company<SeatMessage>): void {
  for (const { centre, pass } of seats.held.values()) {
    sendTo(company, centre, overPulse(pass));
  }
  seats.held.clear();
  seats.orphaned.clear();
}
