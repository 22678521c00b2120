/**
 * With leases claims are ordered by token, whatever their terms: who leads is who has the lease, and an election only finds out who
 * asks for it. An office has two claims: `claim`, the one with the largest token, and `applicant`, of the member that has won the
 * present term and waits for a token. A token that has ended stays so.
 */
import type { Context, Self } from "../../protocol.ts";
import { embed } from "../../protocols/embed.ts";
import { leaseClient } from "../../protocols/lease/client.ts";
import type { LeaseMessage, Token } from "../../protocols/lease/messages.ts";
import { raiseFloor } from "../../protocols/lease/parent.ts";
import type { LeaseState } from "../../protocols/lease/state.ts";
import type { KnownMember } from "../../protocols/membership/records.ts";
import { adopt } from "../election/election.ts";
import { concludeElection, endedClaim, keepClaim } from "../order/keeping.ts";
import type { GroupParams } from "../params.ts";
import { isHolderLive, isMine, leads } from "../presence.ts";
import {
  type GroupContext,
  type Office,
  officeNamed,
  raiseToken,
  type Saved,
  savedToken,
  type Turn,
  touch,
} from "../state.ts";
import type { Claim, GroupMessage } from "../talk/messages.ts";
import { inform, proclaim, publishClaim, push, sayTo } from "../talk/speaking.ts";

/** The lease client runs inside the group under this name, on the link to the lease store. */
export const LEASE = "lease";

export const toEngine = (ctx: GroupContext): Context<LeaseMessage, string> =>
  embed<LeaseMessage, string, GroupMessage>(leaseClient, ctx, { name: LEASE, wrap: (message) => message });

/** Null without leases. What was saved of tokens is the floor of what is asked for. */
export function openClient(
  { lease }: GroupParams,
  name: string,
  self: Self,
  kept: Saved,
  ctx: GroupContext,
): LeaseState | null {
  if (lease === null) return null;
  return leaseClient.init({ ...lease, name }, self, kept.tokens ?? null, toEngine(ctx));
}

/** The lease client. There is one only in groups with leases. */
export const clientOf = ({ state }: Turn): LeaseState => state.lease!;

/** A token of this office has been seen: it is saved, and the engine is told of it as a floor. */
export function sawToken(turn: Turn, office: string, token: Token): void {
  raiseToken(turn, office, token);
  raiseFloor(clientOf(turn), office, token);
}

/** Of claims with a token, ended or not. */
const isNewerClaim = (a: Claim, b: Claim | null): boolean =>
  b === null || a.token! > b.token! || (a.token === b.token && a.number > b.number);

/** Another member's claim. Claims without a token come from a group without leases, and are ignored. */
export function hearTokenClaim(turn: Turn, claim: Claim, sender: KnownMember | null, passes: number): void {
  const office = claim.token === undefined ? null : officeNamed(turn, claim.office);
  if (office === null) return;
  if (claim.term > office.term) adopt(turn, office, claim.term);
  const isNews =
    claim.token === 0 ? hearApplicant(turn, office, claim, sender) : hearHolder(turn, office, claim, sender);
  if (!isNews) return;
  publishClaim(turn, claim, sender !== null);
  if (passes > 0) push(turn, claim);
}

/** Whether it was news. */
function hearHolder(turn: Turn, office: Office, claim: Claim, sender: KnownMember | null): boolean {
  sawToken(turn, office.name, claim.token!);
  touch(turn, office);
  const { claim: known } = office;
  if (isNewerClaim(claim, known)) {
    if (isMine(turn, claim)) {
      disown(turn, office, claim);
      return false;
    }
    keepHolder(turn, office, claim);
    return true;
  }
  if (isNewerClaim(known!, claim)) inform(turn, office, sender);
  else if (sender?.life === claim.life) heardHolder(turn, office);
  return false;
}

/** The holder itself says that it leads, or a newer holder is known: applications stop. */
function heardHolder({ state }: Turn, { name }: Office): void {
  const application = state.applications.get(name);
  if (application !== undefined) application.isHolderHeard = true;
}

/**
 * Another member spreads a claim of this member that it never made. Others may believe it. Only a larger token, or the end of the forged
 * one, corrects that.
 */
function disown(turn: Turn, office: Office, claim: Claim): void {
  if (leads(turn, office)) {
    office.resigns = { heir: turn.state.name };
    return;
  }
  const over = endedClaim(turn, claim, null);
  keepHolder(turn, office, over);
  proclaim(turn, over);
}

/** Returns whether the claim was news. If two members have won one term, both apply, and the first that is heard of counts. */
function hearApplicant(turn: Turn, office: Office, claim: Claim, sender: KnownMember | null): boolean {
  const { applicant: known } = office;
  if (isMine(turn, claim) && !turn.state.applications.has(office.name)) {
    retract(turn, claim);
    return false;
  }
  // A token of that term, or of a later one, has settled it.
  if (leads(turn, office) || claim.term <= Math.max(office.term - 1, office.claim?.term ?? 0)) {
    inform(turn, office, sender);
    return false;
  }
  if (known !== null && known.life === claim.life && claim.number < known.number) inform(turn, office, sender);
  if (known !== null && !replaces(turn, known, claim)) return false;
  keepApplicant(turn, office, claim);
  return true;
}

const replaces = (turn: Turn, known: Claim, claim: Claim): boolean =>
  known.life === claim.life ? claim.number > known.number : !isHolderLive(turn, known);

/** Ends this member's claim of its application. Others hear of it by gossip; most know already. */
export function retract(turn: Turn, claim: Claim): Claim {
  const over = endedClaim(turn, claim, claim.heir);
  publishClaim(turn, over, false);
  return over;
}

/** When it expires, an applicant is asked what has become of its application: its claim may have been lost on the way here. */
const applicantTimer = (office: string): string => `applicant/${office}`;

/** The lease before is over by then, where nothing went wrong. */
function armApplicant({ state, ctx, times }: Turn, { name }: Office): void {
  const least = times.unknown + state.params.lease!.ttl;
  ctx.arm(applicantTimer(name), least, 2 * least);
}

export function askApplicant(turn: Turn, office: Office): void {
  const { name, term, applicant } = office;
  if (applicant?.holder == null || isMine(turn, applicant)) return;
  sayTo(turn, applicant.holder, { kind: "who", office: name, term });
  armApplicant(turn, office);
}

/** From now on this claim names the winner of the present term. */
export function keepApplicant(turn: Turn, office: Office, claim: Claim): void {
  office.applicant = claim;
  if (claim.holder !== null && !isMine(turn, claim)) armApplicant(turn, office);
  office.applicantSeen = isHolderLive(turn, claim);
  office.setting = claim.setting ?? office.setting;
  if (claim.holder === null) {
    office.former = { name: claim.former!, life: claim.life };
    office.withdrawals++;
  }
  concludeElection(turn, office, claim);
}

/** From now on this claim has the newest token, or its end. */
export function keepHolder(turn: Turn, office: Office, claim: Claim): void {
  const { state } = turn;
  office.isUnannounced = false;
  office.toldTerm = false;
  if (!isMine(turn, claim)) {
    office.resigns = null;
    state.endings.delete(office.name);
  }
  // The end of a token may arrive after the next application of the member that had it.
  if (office.applicant !== null && office.applicant.term <= claim.term) office.applicant = null;
  if (claim.holder !== null) office.withdrawals = 0;
  keepClaim(turn, office, claim);
  const application = state.applications.get(office.name);
  // After a restart this member may hear of an end that other tenures have long followed. Its own end it knows: it may have seen at a
  // guard that it needs a larger token.
  const isLatest = claim.life === state.life || claim.token! >= savedToken(state.kept, office.name);
  office.isHeir = claim.holder === null && claim.heir === state.name && application === undefined && isLatest;
  if (claim.holder !== null) heardHolder(turn, office);
  else if (application === undefined) return;
  else if (application.denial !== "") {
    application.denial = "";
    application.isDenialLifted = true;
  }
}

/** A higher term was seen. A claim with a token stays: its holder goes on leading in the new term, and says so. */
export function enterTerm(turn: Turn, office: Office): void {
  office.applicant = null;
  office.toldTerm = false;
  if (!leads(turn, office)) return;
  const { claim, term } = office;
  office.claim = { ...claim!, term, number: claim!.number + 1, invitation: null };
  office.isUnannounced = true;
}

/** Whether the holder has to be told of a higher term. It then claims that term, which ends an election against it. */
export const isHolderBehind = ({ claim, term, toldTerm }: Office): boolean =>
  claim?.holder != null && claim.term < term && !toldTerm;

export const isHolderReachable = (turn: Turn, office: Office): boolean =>
  isHolderLive(turn, office.claim) && !leads(turn, office);

/** Whether a member has won the present term, or leads in it. */
export const isWon = ({ claim, applicant, term }: Office): boolean =>
  applicant?.holder != null || (claim?.holder != null && claim.term === term);

/** The holder that the lease store has named to an applicant; null if that token is known to be over. */
export function unreachableHolder({ applicant, claim }: Office): NonNullable<Claim["behind"]> | null {
  if (applicant?.holder == null || applicant.behind === undefined) return null;
  const { token } = applicant.behind;
  const isOver = claim !== null && (claim.token! > token || (claim.token === token && claim.holder === null));
  return isOver ? null : applicant.behind;
}
