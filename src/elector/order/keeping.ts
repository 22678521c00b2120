/** What both orders of claims share: a winner's claim, the end of a claim, and what follows from a claim that is kept. */
import { beWatched, hearInvitation } from "../company.ts";
import { end } from "../election/election.ts";
import { isHolderLive, rememberHolder } from "../presence.ts";
import { nextSetting } from "../standing.ts";
import { type Office, stopWaiting, type Turn, touch } from "../state.ts";
import type { Claim } from "../talk/messages.ts";
import { proclaim, publishSetting } from "../talk/speaking.ts";

/** Higher than every number of a holder in one term or under one token, so that an end is final. */
export const LAST_NUMBER = 2 ** 31;

/** The claim of a member that has won an office. */
export function ownClaim(turn: Turn, { name, term }: Office): Claim {
  const { state } = turn;
  return {
    office: name,
    term,
    number: 0,
    holder: state.name,
    life: state.life,
    setting: nextSetting(turn),
    former: null,
    heir: null,
    invitation: beWatched(turn),
  };
}

/** Tells everybody this member's new claim, and the setting of the terms after it. */
export function proclaimOwn(turn: Turn, claim: Claim): void {
  proclaim(turn, claim);
  publishSetting(turn, claim.setting!);
}

/** The end of a claim of this member. */
export const endedClaim = ({ state }: Turn, claim: Claim, heir: string | null, number = claim.number + 1): Claim => ({
  ...claim,
  number,
  holder: null,
  former: state.name,
  heir,
  invitation: null,
});

/** From now on this is the newest claim of the office. */
export function keepClaim(turn: Turn, office: Office, claim: Claim): void {
  rememberHolder(office);
  office.claim = claim;
  office.setting = claim.setting ?? office.setting;
  office.holderSeen = isHolderLive(turn, claim);
  office.isUrgent = false;
  if (claim.holder !== null) {
    office.failedTries = 0;
    office.inquiredAtTry = 0;
  }
  concludeElection(turn, office, claim);
}

/** An election of the claim's term is over, and a member that waited to stand looks again. */
export function concludeElection(turn: Turn, office: Office, claim: Claim): void {
  office.isWinnerUnheard = false;
  touch(turn, office);
  if ((office.election?.term ?? 0) <= claim.term || isHolderLive(turn, claim)) end(turn, office);
  // A holder that resigns asks some to follow it; that request may arrive first.
  if (claim.holder !== null || office.requestedTerm <= claim.term) {
    office.requestedTerm = 0;
    stopWaiting(turn, office);
  }
  if (claim.invitation !== null && claim.holder !== null) hearInvitation(turn, claim.invitation);
}
