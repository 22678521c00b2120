/** Who should stand for an office: the first in the order of the choice function, which all compute alike from one view. */

import { live } from "../protocols/membership/parent.ts";
import type { Member } from "../protocols/membership/records.ts";
import { digestOf } from "./digest.ts";
import type { Office, Turn } from "./state.ts";

/** Who takes part in the next election besides this member: the setting does not count its last holder, who may be dead. */
export function electorate({ state }: Turn, { former }: Office): readonly Member[] {
  return live(state.members).filter(({ name }) => name !== state.name && name !== former);
}

/** So many are asked to stand, one after the other. */
export const FIRST = 3;

/** The first few for the next term, the best first: without its last holder, while others are left. */
export function firstInLine(turn: Turn, office: Office, term: number): readonly Member[] {
  const { state } = turn;
  const excluded = office.claim?.holder ?? office.former;
  const heir = office.claim?.heir ?? null;
  const ranked = live(state.members)
    .filter(({ name }) => name !== excluded && (name !== state.name || state.eligible))
    .map((member) => ({ member, lot: member.name === heir ? -1 : digestOf(`${office.name} ${term} ${member.name}`) }))
    .sort((a, b) => a.lot - b.lot);
  return ranked.slice(0, FIRST).map(({ member }) => member);
}
