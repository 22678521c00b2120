/**
 * The fair hash H of Gupta et al.: a keyed block cipher, so every bit of election, round and member reaches every bit of
 * the value. Values are uniform in [0, 1), multiples of 2^-53; what is asked for different purposes is independent.
 */
import type { Id } from "../../protocol.ts";
import { threefry } from "../../random/threefry.ts";

const TWO_32 = 2 ** 32;
const PURPOSE = { filter: 1, view: 2, reinitiation: 3, attribute: 4 } as const;

const block = new Uint32Array(4);

const high = (value: number): number => Math.floor(value / TWO_32);

function value(key: number, purpose: number, index: number, a: number, b: number): number {
  threefry(block, key >>> 0, high(key), purpose, index, a >>> 0, high(a), b >>> 0, high(b));
  return ((block[0] >>> 5) * 0x4000000 + (block[1] >>> 6)) / 0x20000000000000;
}

/** The values of the latest round asked about: every relay of a round asks for those of all members. */
let latest = { election: -1, round: -1, values: [] as number[] };
/** Ids above this are not remembered: they need not be dense. */
const REMEMBERED = 1e5;

/** H(election, round, member): below K/N, the member is a relay of the round. */
export function filterValue(election: number, round: number, member: Id): number {
  if (latest.election !== election || latest.round !== round) latest = { election, round, values: [] };
  const { values } = latest;
  if (member < values.length && values[member] >= 0) return values[member];
  const fresh = value(election, PURPOSE.filter, round, member, 0);
  if (member <= REMEMBERED && Number.isInteger(member) && member >= 0) {
    while (values.length <= member) values.push(-1);
    values[member] = fresh;
  }
  return fresh;
}

/** Below the view probability, `viewer` knows `member`. Each view is a set of its own, and none is ever stored. */
export function viewValue(election: number, viewer: Id, member: Id): number {
  return value(election, PURPOSE.view, 0, viewer, member);
}

/** H of a member and one message of a round, named by its sender: Fig. 3's filter on re-initiations. */
export function reinitiationValue(election: number, round: number, sender: Id, member: Id): number {
  return value(election, PURPOSE.reinitiation, round, sender, member);
}

/** A stand-in for what a live group would gossip about a member: uniform, and the same at every node and in every run. */
export function attributeValue(attribute: number, member: Id): number {
  return value(0, PURPOSE.attribute, attribute, member, 0);
}
