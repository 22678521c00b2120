/**
 * The watch (docs/decisions/membership.md): a member that holds an office is the centre of a small council and sends beats to it. Its
 * watchers count silence and tell each other; two of them declare it dead. Each holder has one council and one stream of beats, however
 * many offices it holds. Plain data and functions for the machine `group`, which
 *
 *   - keeps `openWatch()` in its state, and passes a `WatchCompany` for one handler to the functions below;
 *   - calls `hold` when it begins to hold an office, puts `invitation` into its claim, and calls `release` when it holds none;
 *   - calls `invited` with the invitation of a claim that it hears, and with the value of each note whose key `isWatchNote`;
 *   - calls `receive` with what `isWatchMessage` knows, `expire` with timers that begin with "watch/";
 *   - calls `heard` with the life of every member from which a message came;
 *   - after each of these calls `takeDeclared` for holders that were declared dead, and `takeReturned` for those that beat again.
 *
 * Lives are checked here: a message that is not `to` this life, or not `from` a live one, is dropped.
 */
import type { Port } from "../../protocol.ts";
import {
  type Centre,
  closeCentre,
  invite,
  offered,
  openCentre,
  overPulse,
  pulse,
  pulsed,
  tickCentre,
  WATCH,
} from "../council/centre.ts";
import { type Company, sendTo } from "../council/company.ts";
import {
  type Invitation,
  isInvitation,
  PULSE,
  type Pulse,
  type WatchMessage,
  type WatchReport,
} from "../council/messages.ts";
import {
  felt,
  type HeldSeat,
  answerInvitation as hearInvitation,
  openSeats,
  resignSeats,
  type Seats,
  seated,
  seatWith,
  tickSeats,
} from "../council/seats.ts";
import { beatOf, doubtOf, type WatchProfile, windowOf } from "./profiles.ts";

export type WatchTimer = "watch/tick" | "watch/stalled";

/** What the watch needs for one handler. */
export interface WatchCompany extends Company<WatchMessage> {
  readonly profile: WatchProfile;
  arm(timer: WatchTimer, after: number): void;
  deadline(timer: WatchTimer, after: number): void;
  disarm(timer: WatchTimer): void;
}

/** One life of a member. */
interface Lived {
  readonly name: string;
  readonly life: number;
}

export interface WatchState {
  ticking: boolean;
  /** This member's council, while it is a holder. */
  centre: Centre | null;
  /** The invitation for the next claim. */
  invitation: Invitation | null;
  /** This member's seats as a watcher; and its doubts, by pass. */
  readonly seats: Seats;
  readonly doubts: Map<number, Doubt>;
  /** Holders that were declared dead, and holders that returned, until the group takes them. */
  declared: Lived[];
  returned: Lived[];
  /** Seats that ended with a verdict, by pass; the latest few. */
  readonly buried: Map<number, Lived>;
}

const MOST_BURIED = 16;

export const openWatch = (): WatchState => ({
  ticking: false,
  centre: null,
  invitation: null,
  seats: openSeats(),
  doubts: new Map(),
  declared: [],
  returned: [],
  buried: new Map(),
});

/** This member holds an office, or one more: from now on it has a council. */
export function hold(state: WatchState, company: WatchCompany): void {
  if (state.centre !== null) return;
  state.centre = openCentre(WATCH, company.profile);
  state.invitation = invite(state.centre, company, company.profile);
  wake(state, company);
}

/** The invitation that a claim carries: the first one, until another was made. */
export function invitation({ centre, invitation }: WatchState): Invitation | null {
  return centre !== null && invitation?.number === centre.invitations ? invitation : null;
}

/** This member holds no office any more. */
export function release(state: WatchState, company: WatchCompany): void {
  if (state.centre === null) return;
  closeCentre(state.centre, company);
  state.centre = null;
  state.invitation = null;
}

/** The process leaves gracefully. */
export function leave(state: WatchState, company: WatchCompany): void {
  release(state, company);
  resignSeats(state.seats, company);
  state.doubts.clear();
}

export const isWatchNote = (key: string): boolean => key.startsWith("watch/");

/** An invitation, from a claim or a note; anything else is ignored. */
export function invited(state: WatchState, value: unknown, company: WatchCompany): void {
  if (!isInvitation(value) || value.council !== WATCH) return;
  if (hearInvitation(state.seats, value, company) !== null) wake(state, company);
}

export function receive(state: WatchState, port: Port, message: WatchMessage, company: WatchCompany): void {
  if (isPulse(message)) {
    receivePulse(state, port, message, company);
    return;
  }
  const name = message.to === company.life ? company.nameOf(message.from) : null;
  if (name === null) return;
  if (message.kind === "offer") {
    if (state.centre !== null) offered(state.centre, name, message, company, company.profile);
    else sendTo(company, name, overPulse(message.pass));
  } else if (message.kind === "seat") {
    const seat = seated(state.seats, port, message, company);
    if (seat !== null) calm(state, seat, company);
  } else receiveReport(state, name, message, company);
}

const isPulse = (message: WatchMessage): message is Pulse => Array.isArray(message);

function receivePulse(state: WatchState, port: Port, message: Pulse, company: WatchCompany): void {
  const [kind, pass] = message;
  const toCentre = kind === PULSE.answer || kind === PULSE.ask || kind === PULSE.over;
  if (toCentre && state.centre !== null && pulsed(state.centre, port, message, company, company.profile)) return;
  const seat = kind === PULSE.answer || kind === PULSE.ask ? null : felt(state.seats, port, message, company);
  if (seat !== null) {
    calm(state, seat, company);
    return;
  }
  if (kind === PULSE.over) return;
  company.send(port, overPulse(pass));
  const dead = state.buried.get(pass);
  if (dead === undefined || kind === PULSE.answer || kind === PULSE.ask) return;
  state.buried.delete(pass);
  state.returned.push(dead);
}

function receiveReport(state: WatchState, name: string, report: WatchReport, company: WatchCompany): void {
  const seat = seatWith(state.seats, WATCH, report.life);
  if (seat !== null) takeReport(doubtOn(state, seat), seat, name, report, company, company.profile);
}

function doubtOn(state: WatchState, { pass }: HeldSeat): Doubt {
  const present = state.doubts.get(pass);
  if (present !== undefined) return present;
  const doubt = openDoubt();
  state.doubts.set(pass, doubt);
  return doubt;
}

/** The holder was heard, or has ended the seat: takes this watcher's report back. */
function calm(state: WatchState, seat: HeldSeat, company: WatchCompany): void {
  const doubt = state.doubts.get(seat.pass);
  if (doubt === undefined) return;
  state.doubts.delete(seat.pass);
  seat.silent = 0;
  if (doubt.reported) reportTo(seat, fellowsOf(seat, company), company);
}

/** A message of any kind has come from this life of a member. */
export function heard(state: WatchState, life: number, company: WatchCompany): void {
  if (state.doubts.size === 0) return;
  for (const [pass, doubt] of state.doubts) {
    const seat = state.seats.held.get(pass)!;
    if (seat.life === life) calm(state, seat, company);
    else doubt.company = true;
  }
}

export function expire(state: WatchState, timer: WatchTimer, company: WatchCompany): void {
  if (timer === "watch/stalled") stalled(state);
  else tick(state, company);
}

/** A tick is overdue: this process was paused, and silence during the pause says nothing about others. */
function stalled(state: WatchState): void {
  for (const seat of state.seats.held.values()) {
    seat.silent = 0;
    const doubt = doubtOn(state, seat);
    doubt.words.clear();
    doubt.company = false;
    doubt.stalled = true;
  }
}

function tick(state: WatchState, company: WatchCompany): void {
  const { profile } = company;
  const { centre, seats } = state;
  if (centre !== null) tickCentre(centre, beatOf(profile, centre.seats.size), company, profile);
  tickSeats(seats, company, profile.lease, ({ pass }) => state.doubts.delete(pass));
  for (const seat of seats.held.values()) if (seat.tries === null) watchOver(state, seat, company);
  state.ticking = false;
  wake(state, company);
}

function watchOver(state: WatchState, seat: HeldSeat, company: WatchCompany): void {
  const { profile } = company;
  const isLate = seat.silent >= doubtOf(profile, Math.max(1, seat.fellows.length));
  if (isLate) sendTo(company, seat.centre, pulse(PULSE.ask, seat.pass, seat.version));
  const doubt = isLate ? doubtOn(state, seat) : state.doubts.get(seat.pass);
  if (doubt === undefined) return;
  if (tickDoubt(doubt, seat, company, profile)) declare(state, seat);
  else if (!isLate && !doubt.stalled && doubt.words.size === 0) state.doubts.delete(seat.pass);
}

function declare(state: WatchState, { centre: name, life, pass }: HeldSeat): void {
  state.seats.held.delete(pass);
  state.doubts.delete(pass);
  state.declared.push({ name, life });
  if (state.buried.size >= MOST_BURIED) state.buried.delete(state.buried.keys().next().value!);
  state.buried.set(pass, { name, life });
}

/** Ticks go on while there is anything to count. */
function wake(state: WatchState, company: WatchCompany): void {
  const { tick, stall } = company.profile;
  const watches = state.seats.held.size > 0;
  if (!watches) company.disarm("watch/stalled");
  if (state.ticking || (!watches && state.centre === null)) return;
  state.ticking = true;
  company.arm("watch/tick", tick);
  if (watches) company.deadline("watch/stalled", stall * tick);
}

/** The holders that were declared dead since the last call. */
export function takeDeclared(state: WatchState): readonly Lived[] {
  return take(state, "declared");
}

/** The holders that were declared dead and beat again: they should be told who leads now. */
export function takeReturned(state: WatchState): readonly Lived[] {
  return take(state, "returned");
}

function take(state: WatchState, list: "declared" | "returned"): readonly Lived[] {
  const taken = state[list];
  if (taken.length > 0) state[list] = [];
  return taken;
}

/**
 * For a holder: whether at least two watchers live, as far as membership knows, and none was heard for `ticks` ticks. Watchers that lost
 * their seats because they did not answer count too; failed members do not.
 */
export function isolated({ centre }: WatchState, ticks: number, company: WatchCompany): boolean {
  if (centre === null || centre.alone < ticks) return false;
  const silent = [...centre.seats.values()].map(({ name, life }) => [name, life] as const);
  return [...silent, ...centre.missing].filter(([name, life]) => company.isLive(name, life)).length >= 2;
}

/** The names of this holder's watchers; empty if it holds nothing. */
export function watchersOf({ centre }: WatchState): string[] {
  return centre === null ? [] : Array.from(centre.seats.values(), ({ name }) => name);
}

// How a watcher judges silence. It counts ticks, never time, so a pause of its process adds one tick at most. A watcher that notices its
// own pause (a tick was far too late) begins its window anew.

/** A fellow watcher's report: for how long it had not heard the holder, and how many ticks ago it said so. */
interface Word {
  silent: number;
  age: number;
}

/** A watcher's doubt about its holder: kept while it hears nothing, or a fellow has reported silence. */
interface Doubt {
  /** Reports by the fellow's name. */
  readonly words: Map<string, Word>;
  /** Another member was heard since the holder was. */
  company: boolean;
  /** This watcher was paused since it heard the holder. Silence counts from then on; until it is a window long, it reports nothing. */
  stalled: boolean;
  /** It has told its fellows. */
  reported: boolean;
}

const openDoubt = (): Doubt => ({ words: new Map(), company: false, stalled: false, reported: false });

const windowFor = (seat: HeldSeat, profile: WatchProfile): number =>
  windowOf(profile, Math.max(1, seat.fellows.length));

/** One tick of silence: tells the fellows, and returns whether the holder is dead. */
function tickDoubt(doubt: Doubt, seat: HeldSeat, company: Company<WatchMessage>, profile: WatchProfile): boolean {
  const window = windowFor(seat, profile);
  for (const [name, word] of doubt.words) if (++word.age > window - profile.margin) doubt.words.delete(name);
  if (seat.silent < window) return false;
  if ((seat.silent - window) % profile.renewal === 0) reportTo(seat, fellowsOf(seat, company), company);
  doubt.reported = true;
  return confirmed(doubt, window) || aloneAndSure(doubt, seat, window, company);
}

/** Two reports that cover the present window: this watcher's own, and one more. */
const confirmed = ({ words }: Doubt, window: number): boolean => {
  for (const { silent } of words.values()) if (silent >= window) return true;
  return false;
};

/**
 * The only working watcher (the others have not answered its reports for a window) needs two windows, and must have heard another member
 * meanwhile: otherwise this member may be the one that is cut off. In a group of two there is no other member to hear.
 */
const aloneAndSure = (
  { words, company: heard }: Doubt,
  { silent }: HeldSeat,
  window: number,
  company: Company<never>,
) => silent >= 2 * window && words.size === 0 && (heard || company.size() === 2);

const fellowsOf = ({ fellows }: HeldSeat, { name }: { readonly name: string }): string[] =>
  fellows.filter((fellow) => fellow !== name);

/** Tells fellows for how long the holder was not heard. 0 takes reports back, and shows that this watcher works. */
function reportTo({ life, silent }: HeldSeat, names: readonly string[], company: Company<WatchMessage>): void {
  for (const name of names) {
    const to = company.lifeOf(name);
    if (to !== null) sendTo(company, name, { kind: "report", from: company.life, to, life, silent });
  }
}

/** A fellow's report. If this watcher hears the holder, it says so at once, so the fellow knows that it is not the only working watcher. */
function takeReport(
  doubt: Doubt,
  seat: HeldSeat,
  name: string,
  { silent }: WatchReport,
  company: Company<WatchMessage>,
  profile: WatchProfile,
): void {
  const window = windowFor(seat, profile);
  const isReport = silent >= window;
  // A watcher that has heard the holder within a tick reports a window later at the earliest. A report before that is old.
  const isOvertaken = isReport && doubt.words.get(name)?.silent === 0;
  // A watcher that has lost its seat does not count, but must learn that another watcher hears the holder.
  if (seat.fellows.includes(name) && !isOvertaken) doubt.words.set(name, { silent, age: 0 });
  if (isReport && seat.silent < window && !doubt.stalled) reportTo(seat, [name], company);
}
