/** Offices as users write them: "leader", "shards:3" with three seats, "council:3..5" kept between three and five. */
import { InputError } from "../errors.ts";
import { utf8Length } from "../wire/bytes.ts";
import { NO_FIELD } from "./talk/accepts.ts";

export interface OfficeSpec {
  readonly name: string;
  readonly seats: number;
  /** How few and how many members its council should have, the holder among them; null where it has none. */
  readonly range: SeatRange | null;
}

export interface SeatRange {
  readonly L: number;
  readonly U: number;
}

const LONGEST = 64;
const MOST_SEATS = 1000;

export function readOffice(given: string): OfficeSpec {
  const [, name, seats, most] = /^([^:#/\s\0\p{Surrogate}]+)(?::(\d+)(?:\.\.(\d+))?)?$/u.exec(given) ?? [];
  if (name === undefined || name === NO_FIELD || utf8Length(name) > LONGEST) {
    throw new InputError(
      `"${given}" is no office: give a name of up to ${LONGEST} bytes without spaces, ":", "#" and "/", such as leader, shards:3 or council:3..5`,
    );
  }
  const count = seats === undefined ? 1 : Number(seats);
  if (count < 1 || count > MOST_SEATS) throw new InputError(`"${given}" has ${count} seats: give 1 to ${MOST_SEATS}`);
  if (most === undefined) return { name, seats: count, range: null };
  const U = Number(most);
  if (U < count || U > MOST_SEATS) {
    throw new InputError(`"${given}" should have ${count} to ${U} members: give L..U, L <= U <= ${MOST_SEATS}`);
  }
  return { name, seats: 1, range: { L: count, U } };
}

/** Those that have a council, by name. */
export function rangesOf(given: readonly string[]): Map<string, SeatRange> {
  const ranges = new Map<string, SeatRange>();
  for (const { name, range } of given.map(readOffice)) if (range !== null) ranges.set(name, range);
  return ranges;
}

/** The offices that are elected for it, one by one: the office itself, or its seats. */
export function seatsOf(given: string): readonly string[] {
  const { name, seats } = readOffice(given);
  return seats === 1 ? [name] : Array.from({ length: seats }, (_, i) => `${name}#${i + 1}`);
}
