/** Who should stand for an office: the first in the order of the choice function, which all compute alike from one view. */

import { live } from "../protocols/membership/parent.ts";
import type { Member } from "../protocols/membership/records.ts";
import { firstOf } from "./choice.ts";
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
  const former = office.claim?.holder ?? office.former;
  const heir = office.claim?.heir ?? null;
  const members = live(state.members);
  return firstOf(
    state.eligible ? members : members.filter(({ name }) => name !== state.name),
    {
      ...{ office: office.name, term, zone: state.params.preferredZone, heir },
      ...(former === null ? {} : { without: new Set([former]) }),
    },
    FIRST,
  );
}
