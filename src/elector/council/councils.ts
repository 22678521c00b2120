/**
 * The councils of offices that are kept between L and U members ("council:3..5"): the holder of the office is the centre, the
 * members have a seat and are told so, and everybody knows who they are, by a note. When the office passes on, its new
 * holder keeps the council: the first invitation is for those who have a seat. Plain data and functions for the machine `group`, which
 *
 *   - calls `keepCouncil` when it begins to hold such an office, and `closeCouncil` when it holds the office no longer;
 *   - calls `hearNote` with the value of each note whose key `isCouncilNote`, `receive` with messages, `expire` with COUNCIL_TIMER;
 *   - asks `hasSeat` whether this member has a seat in an office, and `memberNames` who has one in an office.
 *
 * The company's `send` wraps messages, so that they are told from those of the watch.
 */
import type { Port } from "../../protocol.ts";
import { type Centre, offered, openCentre, overPulse, pulsed, seek, tickCentre, WATCH } from "./centre.ts";
import { type Company, type CouncilNumbers, sendTo } from "./company.ts";
import { isInvitation, PULSE, type SeatMessage } from "./messages.ts";
import { answerInvitation, felt, isSeat, openSeats, resignSeats, type Seats, seated, tickSeats } from "./seats.ts";

export const COUNCIL_TIMER = "council/tick";

/** The most offices whose council this member remembers: any member can name new ones. */
const MOST_LISTS = 4096;

/** What councils need for one handler. */
export interface CouncilCompany extends Company<SeatMessage> {
  /** Milliseconds: of a council's clock. Two seconds in a local network. */
  readonly tick: number;
  arm(timer: typeof COUNCIL_TIMER, after: number): void;
}

interface Kept {
  readonly centre: Centre;
  readonly numbers: CouncilNumbers;
}

export interface CouncilsState {
  ticking: boolean;
  /** The councils that this member keeps, by office. */
  readonly kept: Map<string, Kept>;
  readonly seats: Seats;
  /** The members of each council, as this member heard last, by office. */
  readonly lists: Map<string, readonly string[]>;
}

export const openCouncils = (): CouncilsState => ({
  ticking: false,
  kept: new Map(),
  seats: openSeats(),
  lists: new Map(),
});

/**
 * In ticks. The membership notices who has died, so exchanges are rare: they repair what was lost, at some four bytes a
 * second for a seat.
 */
const numbersOf = (L: number, U: number): CouncilNumbers => ({
  L,
  U,
  low: L === U ? L - 1 : Math.max(L, Math.min(L + 1, U - 1)),
  spare: 3,
  exchange: 15,
  again: 1,
  patience: 3,
  lease: 30,
  round: 2,
  longestRound: 32,
  tells: false,
  publishes: true,
});

export function keepCouncil(
  state: CouncilsState,
  office: string,
  { L, U }: { readonly L: number; readonly U: number },
  company: CouncilCompany,
): void {
  if (state.kept.has(office)) return;
  const numbers = numbersOf(L, U);
  const hasMembers = state.lists.get(office)?.some((name) => name !== company.name && company.lifeOf(name) !== null);
  const centre = openCentre(office, numbers, hasMembers);
  state.kept.set(office, { centre, numbers });
  seek(centre, company, numbers);
  wake(state, company);
}

export function closeCouncil(state: CouncilsState, office: string, company: CouncilCompany): void {
  // Members keep their seats for the next holder. They hear of the new holder by its invitation.
  state.kept.delete(office);
  wake(state, company);
}

export function leave(state: CouncilsState, company: CouncilCompany): void {
  state.kept.clear();
  resignSeats(state.seats, company);
}

export const isCouncilNote = (key: string): boolean => key.startsWith("council/");

/** `isWilling`: whether this member would take a seat in the council of an office. */
export function hearNote(
  state: CouncilsState,
  value: unknown,
  isWilling: (office: string) => boolean,
  company: CouncilCompany,
): void {
  if (!isInvitation(value) || value.council === WATCH) return;
  if (state.lists.size >= MOST_LISTS && !state.lists.has(value.council)) return;
  state.lists.set(value.council, value.members ?? []);
  if (!isWilling(value.council)) return;
  if (answerInvitation(state.seats, value, company) !== null) wake(state, company);
}

export function receive(state: CouncilsState, port: Port, message: SeatMessage, company: CouncilCompany): void {
  if ("kind" in message) {
    const name = message.to === company.life ? company.nameOf(message.from) : null;
    if (name === null) return;
    if (message.kind === "seat") {
      seated(state.seats, port, message, company);
      return;
    }
    const kept = state.kept.get(message.council);
    if (kept !== undefined) offered(kept.centre, name, message, company, kept.numbers);
    else sendTo(company, name, overPulse(message.pass));
    return;
  }
  const [kind, pass] = message;
  if (kind !== PULSE.beat && kind !== PULSE.exchange) {
    for (const { centre, numbers } of state.kept.values()) if (pulsed(centre, port, message, company, numbers)) return;
  }
  const isForMember = kind !== PULSE.answer && kind !== PULSE.ask;
  if (isForMember && felt(state.seats, port, message, company) !== null) return;
  if (kind !== PULSE.over) company.send(port, overPulse(pass));
}

export function expire(state: CouncilsState, company: CouncilCompany): void {
  for (const { centre, numbers } of state.kept.values()) tickCentre(centre, numbers.exchange, company, numbers);
  tickSeats(state.seats, company, LEASE, () => {});
  state.ticking = false;
  wake(state, company);
}

const LEASE = numbersOf(1, 1).lease;

function wake(state: CouncilsState, company: CouncilCompany): void {
  const { kept, seats } = state;
  if (state.ticking || kept.size + seats.held.size + seats.orphaned.size === 0) return;
  state.ticking = true;
  company.arm(COUNCIL_TIMER, company.tick);
}

/** Whether this member has a seat in the council of an office. A vacant office keeps its council for the time of `lease`. */
export function hasSeat({ seats }: CouncilsState, office: string): boolean {
  for (const seat of seats.held.values()) if (seat.council === office && isSeat(seat)) return true;
  return seats.orphaned.has(office);
}

/** The members of an office's council, as far as this member knows; empty if the list is too long for a note. */
export function memberNames({ lists, kept }: CouncilsState, office: string): readonly string[] {
  const own = kept.get(office);
  return own === undefined ? (lists.get(office) ?? []) : Array.from(own.centre.seats.values(), ({ name }) => name);
}
