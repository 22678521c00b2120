/**
 * What a watcher makes of silence. It counts ticks, never time, so that a process that stood still has not waited: a pause
 * adds one tick at most, and a watcher that notices one (its tick was far too late) begins its window anew.
 */
import { type Company, sendTo } from "../council/company.ts";
import type { HeldSeat } from "../council/seats.ts";
import type { WatchMessage, WatchReport } from "./messages.ts";
import { type WatchProfile, windowOf } from "./profiles.ts";

/** What a watcher has heard from a fellow about the holder: how long that one hears nothing, and how many ticks ago it said so. */
interface Word {
  silent: number;
  age: number;
}

/** While a watcher hears nothing, or a fellow has said so. */
export interface Doubt {
  /** By name. */
  readonly words: Map<string, Word>;
  /** Some other member was heard since the holder was. */
  company: boolean;
  /** It stood still since it heard the holder: its silence counts from then on, and until it is a window long it says nothing. */
  stalled: boolean;
  /** It has told its fellows. */
  reported: boolean;
}

export const openDoubt = (): Doubt => ({ words: new Map(), company: false, stalled: false, reported: false });

const windowFor = (seat: HeldSeat, profile: WatchProfile): number =>
  windowOf(profile, Math.max(1, seat.fellows.length));

/** One tick of silence: tells the fellows, and says whether the holder is dead. */
export function tickDoubt(
  doubt: Doubt,
  seat: HeldSeat,
  company: Company<WatchMessage>,
  profile: WatchProfile,
): boolean {
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
 * The only watcher that is able (the others have not answered its reports for a window) needs two windows, and must have
 * heard some other member meanwhile: else it may be this member that is cut off. In a group of two there is no other.
 */
const aloneAndSure = (
  { words, company: heard }: Doubt,
  { silent }: HeldSeat,
  window: number,
  company: Company<never>,
) => silent >= 2 * window && words.size === 0 && (heard || company.size() === 2);

export const fellowsOf = ({ fellows }: HeldSeat, { name }: { readonly name: string }): string[] =>
  fellows.filter((fellow) => fellow !== name);

/** Tells fellows how long nothing was heard; 0 takes reports back. */
export function reportTo({ life, silent }: HeldSeat, names: readonly string[], company: Company<WatchMessage>): void {
  for (const name of names) {
    const to = company.lifeOf(name);
    if (to !== null) sendTo(company, name, { kind: "report", from: company.life, to, life, silent });
  }
}

/** A fellow's report. Who hears the holder says so at once: then the fellow knows that it is not the only one able. */
export function takeReport(
  doubt: Doubt,
  seat: HeldSeat,
  name: string,
  { silent }: WatchReport,
  company: Company<WatchMessage>,
  profile: WatchProfile,
): void {
  const window = windowFor(seat, profile);
  if (silent === 0) doubt.words.delete(name);
  // Who has lost its seat does not count, but must learn that somebody hears the holder.
  else if (seat.fellows.includes(name)) doubt.words.set(name, { silent, age: 0 });
  const isReport = silent >= window;
  if (isReport && seat.silent < window && !doubt.stalled) reportTo(seat, [name], company);
}
