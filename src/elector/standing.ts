/** Who should stand for an office: the first in the order of the choice function, which all compute alike from one view. */

import { live } from "../protocols/membership/parent.ts";
import type { KnownMember } from "../protocols/membership/records.ts";
import { firstOf } from "./election/choice.ts";
import { seatOf } from "./seats.ts";
import type { Office, Turn } from "./state.ts";

/** Who takes part in the next election besides this member: the setting does not count its last holder, who may be dead. */
export function electorate({ state }: Turn, { former }: Office): readonly KnownMember[] {
  return live(state.members).filter(({ name }) => name !== state.name && name !== former?.name);
}

/** So many are asked to stand, one after the other. */
export const FIRST = 3;

/**
 * The first few for the next term, the best first: without its last holder, who left the asking to others, and those of its
 * other seats, while others are left.
 */
export function firstInLine(turn: Turn, office: Office, term: number): readonly KnownMember[] {
  const { state } = turn;
  const { order, others, offset } = seatOf(turn, office);
  const { claim, applicant } = office;
  const last = [claim?.holder ?? office.former?.name, applicant?.holder === null ? applicant.former : null];
  const heir = claim?.heir ?? null;
  const line = firstOf(
    state.eligible ? live(state.members) : live(state.members).filter(({ name }) => name !== state.name),
    {
      office: order,
      term,
      zone: state.params.preferredZone,
      // An heir that has tried in vain comes last, as all who have.
      heir: last.includes(heir) ? null : heir,
      without: new Set([...last.filter((name) => name != null), ...others]),
    },
    FIRST + offset,
  );
  const from = line.length === 0 ? 0 : offset % line.length;
  return [...line.slice(from), ...line.slice(0, from)].slice(0, FIRST);
}

/** Whether this member may hold the office, and nothing of its own keeps it from that. */
export const isWilling = (turn: Turn, office: Office): boolean =>
  office.wanted && turn.state.eligible && turn.order.isFree(turn, office);
