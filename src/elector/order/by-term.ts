/**
 * The order of claims without leases: by term. Every member keeps the claim of the highest term; within a term the holder's latest word
 * counts. If a member hears of two winners of one term, no member leads in that term.
 */

import type { KnownMember } from "../../protocols/membership/records.ts";
import { NO_LEASES } from "../decide.ts";
import { adopt } from "../election/election.ts";
import { isQuorate, mayHaveLeaders } from "../policy.ts";
import { leads, occupancy } from "../presence.ts";
import { type ClaimOrder, type Office, officeNamed, type Turn } from "../state.ts";
import type { Claim } from "../talk/messages.ts";
import { inform, proclaimEnd, publishClaim, push, sayTo, spreadClaim } from "../talk/speaking.ts";
import { endedClaim, keepClaim, LAST_NUMBER, ownClaim, proclaimOwn } from "./keeping.ts";

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

/** Whether two claims are of different winners of one term. A void term has no winner. */
const areRivals = (a: Claim, b: Claim): boolean =>
  a.life !== b.life && a.number < LAST_NUMBER && b.number < LAST_NUMBER;

/** From now on this is the claim of the present term. */
function keep(turn: Turn, office: Office, claim: Claim): void {
  office.resigns = null;
  keepClaim(turn, office, claim);
}

/** Two members have won one term. No member leads in it, the two are told, and the next term is opened. */
function conflict(turn: Turn, office: Office, known: Claim, other: Claim): void {
  const { state } = turn;
  const mine = leads(turn, office);
  state.events.push({ event: "conflict", office: office.name, term: office.term });
  office.failedTries++;
  const claim: Claim = {
    ...known,
    number: LAST_NUMBER,
    holder: null,
    life: 0,
    former: null,
    heir: null,
    invitation: null,
  };
  keep(turn, office, claim);
  publishClaim(turn, claim, false);
  if (mine) spreadClaim(turn, claim);
  else
    for (const { holder } of [known, other])
      if (holder !== null) sayTo(turn, holder, { kind: "claim", claim, passes: 0 });
}

function claimOffice(turn: Turn, office: Office): void {
  office.hasWon = false;
  const claim = ownClaim(turn, office);
  keep(turn, office, claim);
  proclaimOwn(turn, claim);
}

function giveUp(turn: Turn, office: Office): void {
  const claim = endedClaim(turn, office.claim!, office.resigns?.heir ?? null);
  keep(turn, office, claim);
  proclaimEnd(turn, claim);
  office.needsCandidates = mayHaveLeaders(turn.state);
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
    "decline office": never,
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
    const occupied = occupancy(turn, office);
    // The record of an unknown holder may be on its way. On the smaller side of a partition an unknown holder does not count.
    const held = occupied === "held" || (occupied === "unknown" && isQuorate(turn.state));
    return { leader: held ? office.claim!.holder : null, mine: leads(turn, office) };
  },
};
