/** The parameters of one member of a group, as plain data: hosts copy them, and files can hold them. */

import { InputError } from "../errors.ts";
import type { Address } from "../protocol.ts";
import type { LeaseParams } from "../protocols/lease/params.ts";
import type { Params } from "../protocols/parameters.ts";
import { readAll, type Values } from "../setting.ts";
import { ELECTIONS } from "../settings/member.ts";
import { utf8Length } from "../wire/bytes.ts";
import { NO_FIELD } from "./talk/accepts.ts";

/** Sets of times and numbers that fit a network; see docs/how-it-works.md#membership. */
export type ProfileName = "local" | "lan" | "wan";

/**
 * What a side of a partitioned group does. `available`: each side may have a leader, and says so. `majority`: a side elects and
 * keeps one only while it sees more than half of the expected members. That is best effort: see docs/how-it-works.md.
 */
export type Policy = "available" | "majority";

/** What the choice function knows of a member besides its name. */
export interface Attributes {
  /** Members of higher priority are elected first. */
  readonly priority: number;
  /** Among equal priorities, weight 2 is chosen twice as often as weight 1. A member of weight 0 never stands. */
  readonly weight: number;
  /** The zone where the member runs; offices can prefer one. */
  readonly zone: string;
}

/** How leases are asked for in strict mode; every member of a group has the same times. See docs/how-it-works.md. */
export interface LeaseSettings extends Omit<LeaseParams, "name"> {
  /** Whether a holder that hears none of its watchers for one TTL stops renewing; true where it is missing. */
  readonly stopsWhenIsolated?: boolean;
}

/** The election settings as fields of `GroupParams`; nearly all keep their form. */
export function electionParams(settings: Values<typeof ELECTIONS>) {
  const { expected = null, preferZone: preferredZone = null, priority, weight, zone = "", ...others } = settings;
  const attributes: Attributes = { priority, weight, zone };
  return { ...others, expected, preferredZone, attributes };
}

const ELECTION_DEFAULTS = electionParams(readAll(ELECTIONS, {}));

export interface GroupParams extends Readonly<ReturnType<typeof electionParams>> {
  /** This member's name, 1 to 64 bytes, unique in the group; null: by address in `names`, and "m" + address otherwise. */
  readonly name: string | null;
  /** Simulations, in which all members have the same parameters: names by address. */
  readonly names: Readonly<Record<Address, string>>;
  /** Parameters of the protocol that must not follow from n. */
  readonly protocolParams: Params;
  /** The chance of two leaders that an election may have, for "auto". */
  readonly epsilon: number;
  /** The share of messages that is lost; null: as the member's own probes measure it. */
  readonly loss: number | null;
  /** Simulations: attributes by address, where they are not `attributes`. */
  readonly attributesOf: Readonly<Record<Address, Attributes>>;
  /** Simulations: the loss by address, where it is not `loss`: members that would hold an election differently. */
  readonly lossOf: Readonly<Record<Address, number>>;
  /** Whether holders are watched closely by a council; without it the ordinary detector has to notice a death. */
  readonly watch: boolean;
  /** Strict mode: leaders hold a lease with a token, from an engine. Null: probabilistic, without one. */
  readonly lease: LeaseSettings | null;
  /** What carries messages: others are told, and must have the same. */
  readonly transport: "udp" | "tcp";
  /** Ids of the keys that this member opens with, the one that it seals with first: others are told. Null: they are not. */
  readonly keys: readonly number[] | null;
}

export const DEFAULT_ATTRIBUTES = ELECTION_DEFAULTS.attributes;

/** The defaults. */
const DEFAULT_GROUP: GroupParams = {
  ...ELECTION_DEFAULTS,
  name: null,
  names: {},
  protocolParams: {},
  epsilon: 1e-6,
  loss: null,
  attributesOf: {},
  lossOf: {},
  watch: true,
  lease: null,
  transport: "udp",
  keys: null,
};

export const groupParams = (given: Partial<GroupParams> = {}): GroupParams => ({ ...DEFAULT_GROUP, ...given });

// Offices as users write them: "leader", "shards:3" with three seats, "council:3..5" kept between three and five.

interface OfficeSpec {
  readonly name: string;
  readonly seats: number;
  /** The least and the most members of its council, the holder included; null without a council. */
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

/** The sizes of councils, by office. */
export function rangesOf(given: readonly string[]): Map<string, SeatRange> {
  const ranges = new Map<string, SeatRange>();
  for (const { name, range } of given.map(readOffice)) if (range !== null) ranges.set(name, range);
  return ranges;
}

/** What is elected for an office: the office itself, or each of its seats. */
export function seatsOf(given: string): readonly string[] {
  const { name, seats } = readOffice(given);
  return seats === 1 ? [name] : Array.from({ length: seats }, (_, i) => `${name}#${i + 1}`);
}
