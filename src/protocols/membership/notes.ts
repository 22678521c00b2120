/** Notes: facts by key that spread as rumours do; the larger order wins, everywhere. */
import { encodedSize } from "../../wire/codec.ts";
import { LARGEST_NOTE } from "./messages.ts";
import { compareOrders, type Note } from "./records.ts";
import { heardAgain, tellOfNote } from "./rumours.ts";
import type { MembershipState } from "./state.ts";
import { noteSubject, sumNote, textDigest } from "./sums.ts";

/** More keys than any group should need; beyond it strangers' new ones are dropped, so that memory stays bounded. */
const MOST_NOTES = 16_384;

/**
 * Publishes a fact; false where one of a larger order (or of the same, with another value) is known already. `isOldToOthers`:
 * the parent has told everybody in its own way, so that only comparisons need it.
 */
export function publish(
  state: MembershipState,
  key: string,
  order: Note["order"],
  value: unknown,
  isOldToOthers = false,
): boolean {
  const size = encodedSize(value);
  if (size > LARGEST_NOTE) {
    throw new RangeError(`the note ${key} takes ${size} bytes; a note may take ${LARGEST_NOTE}: publish less`);
  }
  const known = state.notes.get(key);
  if (known !== undefined && compareOrders(order, known.order) <= 0) return false;
  keep(state, { key, order, value }, isOldToOthers);
  return true;
}

/** `lesson`: for one who is catching up with what the others know already. */
export function learnNote(state: MembershipState, said: Note, how: "rumour" | "lesson" | "proof"): void {
  const known = state.notes.get(said.key);
  if (known === undefined) {
    if (state.notes.size < MOST_NOTES) keep(state, said, how === "lesson");
    return;
  }
  const compared = compareOrders(said.order, known.order);
  if (compared > 0) keep(state, said, how === "lesson");
  else if (compared === 0) settleTie(state, known, said);
}

/** Two values of one order: all keep the same one, by lot, and whoever hears of the other says so. */
function settleTie(state: MembershipState, known: Note, said: Note): void {
  const [own, other] = [JSON.stringify(known.value), JSON.stringify(said.value)];
  if (own === other) {
    heardAgain(state, noteSubject(known.key));
    return;
  }
  const [ownLot, otherLot] = [textDigest(own), textDigest(other)];
  if (otherLot > ownLot || (otherLot === ownLot && other > own)) keep(state, said);
  else state.news.push({ what: "note", ...said, rival: true });
}

function keep(state: MembershipState, note: Note, isOldToOthers = false): void {
  sumNote(state.parts, state.notes.get(note.key), note);
  state.notes.set(note.key, note);
  state.news.push({ what: "note", ...note });
  if (!isOldToOthers) tellOfNote(state, note.key);
}
