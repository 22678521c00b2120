/** The facts of one office, as `decide` asks for them. Some take long to compute, so each is computed when it is asked for. */
import { size } from "../protocols/membership/parent.ts";
import type { OfficeFacts } from "./decide.ts";
import { mayAct, mayHaveLeaders, mayStand } from "./policy.ts";
import { isOccupied, leads } from "./presence.ts";
import { hasEnough } from "./seats.ts";
import { FIRST, isWilling } from "./standing.ts";
import type { Office, Turn } from "./state.ts";

export function officeFacts(turn: Turn, office: Office): OfficeFacts {
  const { state, order } = turn;
  return {
    ...order.facts(turn, office),
    holds: leads(turn, office),
    isUnannounced: office.isUnannounced,
    hasWon: office.hasWon,
    isTermOpen: order.outlastsTerms || office.claim === null,
    isHeir: office.isHeir,
    needsCandidates: office.needsCandidates,
    isElecting: office.election !== null,
    isRequested: office.requestedTerm > office.term,
    wait: office.waitingPlace === null ? "none" : office.isDue ? "due" : "waiting",
    isFirst: (office.waitingPlace ?? FIRST) < FIRST || office.failedTries >= 2,
    get mustGiveUp() {
      const mayHold = state.eligible && !state.leaving && mayHaveLeaders(state);
      return !mayHold || !office.wanted || office.resigns !== null;
    },
    get mayStand() {
      return mayStand(state);
    },
    get isCalm() {
      return mayAct(state);
    },
    get isWilling() {
      return isWilling(turn, office);
    },
    get isOccupied() {
      return isOccupied(turn, office);
    },
    get isIgnorant() {
      return isIgnorant(turn, office);
    },
    get hasSeat() {
      return hasEnough(turn, office);
    },
  };
}

/**
 * Nobody has told this member of any holder, or its own election came to nothing: others may know more. It may have joined by
 * members that did not know either, or was paused or cut off while somebody won.
 */
function isIgnorant({ state, order }: Turn, { inquiredAtTry, claim, former, failedTries }: Office): boolean {
  const knowsOfNone = claim === null || order.outlastsTerms;
  return inquiredAtTry < failedTries && knowsOfNone && (former === null || failedTries > 0) && size(state.members) > 1;
}
