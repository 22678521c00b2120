/** Offices as users write them: "leader", "shards:3" with three seats, "council:3..5" kept between three and five. */
import { InputError } from "../errors.ts";
import { utf8Length } from "../wire/bytes.ts";

export interface OfficeSpec {
  readonly name: string;
  readonly seats: number;
}

const LONGEST = 64;
const MOST_SEATS = 1000;

export function readOffice(given: string): OfficeSpec {
  const [, name, seats] = /^([^:#/\s]+)(?::(\d+))?$/.exec(given) ?? [];
  if (name === undefined || utf8Length(name) > LONGEST) {
    throw new InputError(
      `"${given}" is no office: give a name of up to ${LONGEST} bytes without spaces, ":", "#" and "/", such as leader or shards:3`,
    );
  }
  const count = seats === undefined ? 1 : Number(seats);
  if (count < 1 || count > MOST_SEATS) throw new InputError(`"${given}" has ${count} seats: give 1 to ${MOST_SEATS}`);
  return { name, seats: count };
}

/** The offices that are elected for it, one by one: the office itself, or its seats. */
export function seatsOf(given: string): readonly string[] {
  const { name, seats } = readOffice(given);
  return seats === 1 ? [name] : Array.from({ length: seats }, (_, i) => `${name}#${i + 1}`);
}
