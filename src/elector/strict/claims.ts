/**
 * Claims in strict mode. Who leads is who holds the lease, so claims are ordered by token, whatever their terms; an election
 * only finds out who asks for it. An office has two claims: `claim`, the newest of somebody with a token, and `asker`, of the
 * one who has won the present term and waits for one. A token that has ended stays so.
 */
import { isLive } from "../../protocols/membership/parent.ts";
import type { Member } from "../../protocols/membership/records.ts";
import { publishClaim } from "../claim-notes.ts";
import { inform, leads, remember } from "../claims.ts";
import { adopt, end } from "../election.ts";
import type { Claim } from "../messages.ts";
import { push, sayTo, spread } from "../speaking.ts";
import { type Office, officeNamed, type Turn } from "../state.ts";
import { attend, stopWaiting } from "../vacancy.ts";
import { hearInvitation } from "../watching.ts";
import { askAgain, askAsHeir, retract, withdrawAsking } from "./asking.ts";
import { sawToken } from "./client.ts";
import { disown, yieldTo } from "./holding.ts";

/** What has a token, ended or not. */
export const isNewer = (a: Claim, b: Claim | null): boolean =>
  b === null || a.token! > b.token! || (a.token === b.token && a.number > b.number);

const isHolderLive = ({ state: { members } }: Turn, claim: Claim | null): boolean =>
  claim?.holder != null && isLive(members, claim.holder, claim.life);

/** What somebody says of an office; those who hold no leases are of another group's mind, and not heard. */
export function hearTokens(turn: Turn, claim: Claim, sender: Member | null, passes: number): void {
  const office = claim.token === undefined ? null : officeNamed(turn, claim.office);
  if (office === null) return;
  if (claim.term > office.term) adopt(turn, office, claim.term);
  const isNews = claim.token === 0 ? hearAsker(turn, office, claim, sender) : hearHolder(turn, office, claim, sender);
  if (!isNews) return;
  publishClaim(turn, claim, sender !== null);
  if (passes > 0) push(turn, claim);
}

/** Whether it was news. */
function hearHolder(turn: Turn, office: Office, claim: Claim, sender: Member | null): boolean {
  sawToken(turn, office.name, claim.token!);
  const { claim: known } = office;
  tellTerm(turn, office, claim);
  if (isNewer(claim, known)) {
    if (claim.holder === turn.state.name && claim.life === turn.state.life) {
      disown(turn, office, claim);
      return false;
    }
    takeHolder(turn, office, claim);
    return true;
  }
  if (isNewer(known!, claim)) inform(turn, office, sender);
  else if (sender !== null && sender.life === claim.life) follow(turn, office);
  return false;
}

/** Whether it was news. Of two who have won one term both ask, and the first that is heard of will do. */
function hearAsker(turn: Turn, office: Office, claim: Claim, sender: Member | null): boolean {
  const { state } = turn;
  const { asker: known } = office;
  if (claim.holder === state.name && claim.life === state.life && !state.asking.has(office.name)) {
    retract(turn, claim);
    return false;
  }
  // Whoever has a token of that term, or of a later one, has settled it.
  if (leads(turn, office) || claim.term <= Math.max(office.term - 1, office.claim?.term ?? 0)) {
    inform(turn, office, sender);
    return false;
  }
  if (known !== null && known.life === claim.life && claim.number < known.number) inform(turn, office, sender);
  if (known !== null && !replaces(turn, known, claim)) return false;
  takeAsker(turn, office, claim);
  return true;
}

const replaces = (turn: Turn, known: Claim, claim: Claim): boolean =>
  known.life === claim.life ? claim.number > known.number : !isHolderLive(turn, known);

/** Keeps who has won the present term, and what follows from it. */
export function takeAsker(turn: Turn, office: Office, claim: Claim): void {
  office.asker = claim;
  office.askerSeen = isHolderLive(turn, claim);
  office.setting = claim.setting ?? office.setting;
  if (claim.holder === null) {
    office.former = { name: claim.former!, life: claim.life };
    office.asides++;
  }
  settleIn(turn, office, claim);
}

/** Keeps who has the newest token, or had it, and what follows from it. */
export function takeHolder(turn: Turn, office: Office, claim: Claim): void {
  const before = office.claim;
  remember(office);
  office.claim = claim;
  office.seen = isHolderLive(turn, claim);
  office.setting = claim.setting ?? office.setting;
  if (before !== null && (before.token !== claim.token || claim.holder === null)) yieldTo(turn, office, before);
  const { asker } = office;
  if (asker !== null && (asker.term <= claim.term || asker.life === claim.life)) office.asker = null;
  if (claim.holder !== null) {
    office.tries = 0;
    office.inquired = 0;
    office.asides = 0;
  }
  settleIn(turn, office, claim);
  follow(turn, office);
  if (claim.holder !== null) return;
  if (turn.state.asking.has(office.name)) askAgain(turn, office);
  else if (claim.heir === turn.state.name) askAsHeir(turn, office);
}

/** An election of its term is over, and whoever waited to stand looks again. */
function settleIn(turn: Turn, office: Office, claim: Claim): void {
  turn.state.touched.add(office.name);
  if ((office.election?.term ?? 0) <= claim.term || isHolderLive(turn, claim)) end(turn, office);
  // Who resigns asks some to follow it; that may arrive first.
  if (claim.holder !== null || office.asked <= claim.term) {
    office.asked = 0;
    stopWaiting(turn, office);
  }
  attend(turn, office);
  if (claim.invitation !== null && claim.holder !== null) hearInvitation(turn, claim.invitation);
}

/** Somebody else leads who can be reached: this member, if it has won too, asks no longer. */
export function follow(turn: Turn, office: Office): void {
  if (isHolderLive(turn, office.claim) && !leads(turn, office)) withdrawAsking(turn, office);
}

/** A higher term was seen. What has a token stays, and its holder leads on in that term, and says so. */
export function keepTokens(turn: Turn, office: Office): void {
  office.asker = null;
  if (!leads(turn, office)) return;
  const { claim, term } = office;
  office.claim = { ...claim!, term, number: claim!.number + 1, invitation: null };
  proclaim(turn, office.claim);
}

/**
 * A holder is told of a higher term than it claims: it leads on in that, so that all know the same one, and an election against
 * it ends. It is told again as long as nothing comes of it.
 */
export function tellTerm(turn: Turn, { name: office, term }: Office, claim: Claim | null): void {
  if (claim?.holder == null || claim.term >= term || claim.token === undefined) return;
  if (isHolderLive(turn, claim)) sayTo(turn, claim.holder, { kind: "term", office, term });
  turn.ctx.arm(`tell/${office}`, turn.times.review);
}

export const tellAgain = (turn: Turn, office: Office): void => tellTerm(turn, office, office.claim);

/** This member's word on an office goes to everybody. */
export function proclaim(turn: Turn, claim: Claim): void {
  spread(turn, claim);
  publishClaim(turn, claim, false);
}
