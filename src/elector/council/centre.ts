/**
 * The centre of a council that lasts, on a network of members with names: Raz et al.'s continuous election with early refill
 * (protocols/council/continuous.ts). The centre invites by rumour while no more than `low` members are left; a member that
 * offers itself gets a seat while one is free. Exchanges go to members only.
 *
 * Unlike there, offers have names and come one by one: so a batch that is too large need not be let go as a whole, and n is
 * known from the membership and need not be learnt from draws.
 */
import type { Port } from "../../protocol.ts";
import { batch } from "../../protocols/council/continuous-centre.ts";
import { encodedSize } from "../../wire/codec.ts";
import { type Company, type CouncilNumbers, sendTo } from "./company.ts";
import { type Invitation, type Offer, PULSE, type Pulse, type PulseKind, type SeatMessage } from "./messages.ts";

/** A seat that the centre has given. */
interface GivenSeat {
  readonly name: string;
  readonly life: number;
  readonly pass: number;
  /** The version of the list that the member has; 0 before its first answer. */
  told: number;
  /** Ticks since the last pulse, and since the last answer. */
  quiet: number;
  unheard: number;
  /** Pulses that asked for an answer, since the last answer. */
  unanswered: number;
}

export interface Centre {
  readonly council: string;
  /** Seats by pass. */
  readonly seats: Map<number, GivenSeat>;
  /** The version of the list of members. */
  version: number;
  /** The highest number of an invitation so far, and the version of the list that was last published with one. */
  invitations: number;
  published: number;
  /** The first invitation is only for members that have a seat from a former centre. */
  inherits: boolean;
  /** Ticks until the next invitation may be made, and from one to the next. */
  wait: number;
  round: number;
  /** Ticks since any member was heard. */
  alone: number;
  /** Members that lost their seats because they did not answer, while no member was heard since. */
  readonly missing: Map<string, number>;
}

export function openCentre(council: string, { round }: CouncilNumbers, inherits = false): Centre {
  return {
    council,
    seats: new Map(),
    version: 0,
    invitations: 0,
    published: 0,
    inherits,
    wait: 0,
    round,
    alone: 0,
    missing: new Map(),
  };
}

/** Names the council that watches a holder. Each holder has its own watchers; the council of an office passes to the next holder. */
export const WATCH = "";

const noteKey = (council: string, centre: string): string =>
  council === WATCH ? `watch/${centre}` : `council/${council}`;

function membersOf(centre: Centre): string[] {
  return Array.from(centre.seats.values(), ({ name }) => name);
}

/** A new invitation, if more members are needed and available; null otherwise. */
export function invite(
  centre: Centre,
  company: Company<SeatMessage>,
  { L, U, low, spare }: CouncilNumbers,
): Invitation | null {
  const seated = centre.seats.size;
  const others = company.size() - 1 - seated;
  if (seated > low || seated >= U || others <= 0) return null;
  const free = U - seated;
  const wanted = others <= free ? others : Math.min(others, batch(Math.max(1, L - seated), spare * free));
  centre.wait = centre.round;
  const invitation = numbered(centre, centre.inherits ? 0 : wanted, company);
  centre.inherits = false;
  return invitation;
}

function numbered(centre: Centre, wanted: number, company: Company<SeatMessage>): Invitation {
  const { council, seats } = centre;
  const { name, life } = company;
  // Higher than the number that a former life of this member, or a former centre, has published.
  centre.invitations = Math.max(centre.invitations, company.noted(noteKey(council, name))) + 1;
  return { council, centre: name, life, number: centre.invitations, wanted, seated: seats.size };
}

/** Answers the offer of a live member: with a seat, or with the message that no seat is free. */
export function offered(
  centre: Centre,
  name: string,
  { from, pass }: Offer,
  company: Company<SeatMessage>,
  numbers: CouncilNumbers,
): void {
  const held = [...centre.seats.values()].find((seat) => seat.name === name);
  if (held !== undefined && held.pass !== pass) {
    centre.seats.delete(held.pass);
    centre.version++;
  }
  if (!centre.seats.has(pass)) {
    if (centre.seats.size >= numbers.U) {
      sendTo(company, name, overPulse(pass));
      return;
    }
    centre.seats.set(pass, { name, life: from, pass, told: 0, quiet: 0, unheard: 0, unanswered: 0 });
    centre.version++;
  }
  centre.alone = 0;
  centre.missing.clear();
  const seat = centre.seats.get(pass)!;
  if (seat.name !== name) return;
  seatOut(centre, seat, company, numbers);
  // Pulses to the others go at other ticks: a burst of loss does not hit all, and nothing is sent in bursts.
  seat.quiet = centre.seats.size - 1;
}

/** A pulse of a member has come; false if the member has no seat here. */
export function pulsed(
  centre: Centre,
  port: Port,
  [kind, pass, version]: Pulse,
  company: Company<SeatMessage>,
  numbers: CouncilNumbers,
): boolean {
  const seat = centre.seats.get(pass);
  if (seat === undefined) return false;
  centre.alone = 0;
  centre.missing.clear();
  if (kind === PULSE.over) {
    centre.seats.delete(pass);
    centre.version++;
    return true;
  }
  seat.unheard = 0;
  seat.unanswered = 0;
  if (kind === PULSE.answer) {
    // A member has taken its seat, so others may too. An offer alone does not show that: the link may be open in one direction only.
    if (seat.told === 0) centre.round = numbers.round;
    seat.told = Math.max(seat.told, version);
  } else if (kind === PULSE.ask) company.send(port, pulse(PULSE.beat, pass, centre.version));
  return true;
}

/** One tick of the centre: `every` is the number of ticks between two pulses to one member. */
export function tickCentre(
  centre: Centre,
  every: number,
  company: Company<SeatMessage>,
  numbers: CouncilNumbers,
): void {
  centre.alone++;
  for (const seat of centre.seats.values()) {
    if (!company.isLive(seat.name, seat.life)) drop(centre, seat);
    else if (++seat.quiet >= (wantsAnswer(centre, seat, numbers) ? Math.min(every, numbers.again) : every)) {
      speak(centre, seat, company, numbers);
    }
    seat.unheard++;
  }
  seek(centre, company, numbers);
}

/** Invites members by gossip when it is time to. If the council tells everybody its members, publishes the list. */
export function seek(centre: Centre, company: Company<SeatMessage>, numbers: CouncilNumbers): void {
  const isWaiting = centre.wait > 0;
  if (isWaiting) centre.wait--;
  const invitation = isWaiting ? null : invite(centre, company, numbers);
  if (invitation !== null) centre.round = Math.min(numbers.longestRound, 2 * centre.round);
  const hasNews = numbers.publishes && centre.published < centre.version;
  const note = invitation ?? (hasNews ? numbered(centre, 0, company) : null);
  if (note === null) return;
  centre.published = centre.version;
  const members = numbers.publishes ? membersOf(centre) : null;
  const key = noteKey(centre.council, company.name);
  company.publish(key, note.number, members !== null && fits(members) ? { ...note, members } : note);
}

/** A note has room for 512 bytes, of which everything but the names takes less than 180. */
const fits = (members: readonly string[]): boolean => members.length <= 64 && encodedSize(members) <= 330;

const wantsAnswer = ({ version }: Centre, { told, unheard }: GivenSeat, { tells, exchange }: CouncilNumbers): boolean =>
  told < (tells ? version : 1) || unheard >= exchange;

function speak(centre: Centre, seat: GivenSeat, company: Company<SeatMessage>, numbers: CouncilNumbers): void {
  const { version } = centre;
  const wants = wantsAnswer(centre, seat, numbers);
  if (wants && ++seat.unanswered > numbers.patience) {
    drop(centre, seat);
    centre.missing.set(seat.name, seat.life);
    // The member may hear this centre although its answers are lost, so it is told that its seat has ended.
    sendTo(company, seat.name, overPulse(seat.pass));
  } else if (seat.told < (numbers.tells ? version : 1)) seatOut(centre, seat, company, numbers);
  else {
    seat.quiet = 0;
    sendTo(company, seat.name, pulse(wants ? PULSE.exchange : PULSE.beat, seat.pass, version));
  }
}

function drop(centre: Centre, seat: GivenSeat): void {
  centre.seats.delete(seat.pass);
  centre.version++;
}

/** Tells a member of its seat and of the others; it answers. */
function seatOut(centre: Centre, seat: GivenSeat, company: Company<SeatMessage>, { tells }: CouncilNumbers): void {
  const { council, version } = centre;
  const { name, pass, life: to } = seat;
  seat.quiet = 0;
  sendTo(company, name, {
    kind: "seat",
    from: company.life,
    to,
    council,
    pass,
    version,
    fellows: tells ? membersOf(centre) : [],
  });
}

/** The centre gives the council up. */
export function closeCentre(centre: Centre, company: Company<SeatMessage>): void {
  for (const { name, pass } of centre.seats.values()) sendTo(company, name, overPulse(pass));
  centre.seats.clear();
}

/** The end of a seat, whatever the version of the list. */
export const overPulse = (pass: number): Pulse => pulse(PULSE.over, pass, 0);

export const pulse = (kind: PulseKind, pass: number, version: number): Pulse => [kind, pass, version];
