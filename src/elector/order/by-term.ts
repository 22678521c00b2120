/**
 * Without leases claims are ordered by term. Everybody keeps what it has heard of the highest term; within a term what its holder
 * said last counts. Two winners of one term are noticed by every member that hears of both: then nobody leads in that term.
 */

import type { KnownMember } from "../../protocols/membership/records.ts";
import { beWatched, hearInvitation } from "../company.ts";
import { NO_LEASES } from "../decide.ts";
import { adopt, end } from "../election/election.ts";
import { mayHaveLeaders } from "../policy.ts";
import { isHolderLive, leads, occupancy, rememberHolder } from "../presence.ts";
import { nextSetting } from "../standing.ts";
import { type ClaimOrder, type Office, officeNamed, stopWaiting, type Turn, touch } from "../state.ts";
import type { Claim } from "../talk/messages.ts";
import {
  inform,
  proclaim,
  proclaimEnd,
  publishClaim,
  publishSetting,
  push,
  sayTo,
  spreadClaim,
} from "../talk/speaking.ts";

/** Above all that a holder says in its term: two have won it, so nobody has. */
const VOID = 2 ** 31;

function hear(turn: Turn, claim: Claim, sender: KnownMember | null, passes: number): void {
  if (claim.token !== undefined) return;
  const office = officeNamed(turn, claim.office);
  if (office === null) return;
  if (claim.term > office.term) adopt(turn, office, claim.term);
  const { claim: known } = office;
  if (claim.term < office.term) inform(turn, office, sender);
  else if (known !== null && areRivals(known, claim)) conflict(turn, office, known, claim);
  else if (known === null || claim.number > known.number) {
    keep(turn, office, claim);
    publishClaim(turn, claim, sender !== null);
    if (passes > 0) push(turn, claim);
  } else if (claim.number < known.number) inform(turn, office, sender);
}

/** Of one term, by two who have won it; what is said of a term that is void is said by neither. */
const areRivals = (a: Claim, b: Claim): boolean => a.life !== b.life && a.number < VOID && b.number < VOID;

/** What is known of the present term from now on. */
function keep(turn: Turn, office: Office, claim: Claim): void {
  rememberHolder(office);
  office.claim = claim;
  office.setting = claim.setting ?? office.setting;
  office.holderSeen = isHolderLive(turn, claim);
  office.resigns = null;
  office.isUrgent = false;
  touch(turn, office);
  end(turn, office);
  if (claim.holder !== null) {
    office.failedTries = 0;
    office.inquiredAtTry = 0;
  }
  // A holder that resigns asks some to follow it; that request may arrive first.
  if (claim.holder !== null || office.requestedTerm <= claim.term) {
    office.requestedTerm = 0;
    stopWaiting(turn, office);
  }
  if (claim.invitation !== null && claim.holder !== null) hearInvitation(turn, claim.invitation);
}

/** Two have won one term: nobody leads in it, and the next one is opened. The two are told. */
function conflict(turn: Turn, office: Office, known: Claim, other: Claim): void {
  const { state } = turn;
  const mine = leads(turn, office);
  state.events.push({ event: "conflict", office: office.name, term: office.term });
  office.failedTries++;
  const claim: Claim = { ...known, number: VOID, holder: null, life: 0, former: null, heir: null, invitation: null };
  keep(turn, office, claim);
  publishClaim(turn, claim, false);
  if (mine) spreadClaim(turn, claim);
  else
    for (const { holder } of [known, other])
      if (holder !== null) sayTo(turn, holder, { kind: "claim", claim, passes: 0 });
}

function claimOffice(turn: Turn, office: Office): void {
  const { state } = turn;
  office.hasWon = false;
  const setting = nextSetting(turn);
  keep(turn, office, {
    office: office.name,
    term: office.term,
    number: 0,
    holder: state.name,
    life: state.life,
    setting,
    former: null,
    heir: null,
    invitation: beWatched(turn),
  });
  proclaim(turn, office.claim!);
  publishSetting(turn, setting);
}

function giveUp(turn: Turn, office: Office): void {
  const { state } = turn;
  const claim = {
    ...office.claim!,
    number: office.claim!.number + 1,
    holder: null,
    former: state.name,
    heir: office.resigns?.heir ?? null,
    invitation: null,
  };
  keep(turn, office, claim);
  proclaimEnd(turn, claim);
  office.needsCandidates = mayHaveLeaders(state);
}

function never(): never {
  throw new Error("there are no leases here");
}

export const byTerm: ClaimOrder = {
  hear,
  enterTerm(_, office) {
    office.claim = null;
    office.holderSeen = false;
    office.resigns = null;
  },
  isWon: ({ claim }) => claim !== null,
  outlastsTerms: false,
  isFree: () => true,
  facts: () => NO_LEASES,
  acts: {
    claim: claimOffice,
    "give up": giveUp,
    announce: never,
    inherit: never,
    "end claim": never,
    "take office": never,
    "return grant": never,
    withdraw: never,
    yield: never,
    "ask again": never,
    "seek holder": never,
    "tell term": never,
    "stop work": never,
  },
  report(turn, office) {
    const held = occupancy(turn, office) !== "vacant";
    return { leader: held ? office.claim!.holder : null, mine: leads(turn, office) };
  },
};
