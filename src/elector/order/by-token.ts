/**
 * The order of claims in strict mode: by the tokens of the lease store. Gives `decide` its facts about leases, says which function
 * carries out each action, and reports the lease. A member applies for a token (strict/application.ts) and holds it until its
 * tenure is over (strict/tenure.ts).
 */

import type { LeaseId } from "../../protocols/lease/messages.ts";
import * as leases from "../../protocols/lease/parent.ts";
import { isLive } from "../../protocols/membership/parent.ts";
import type { LeaseFacts } from "../decide.ts";
import { isQuorate } from "../policy.ts";
import { holderPresence, leads, type Occupancy, occupancy } from "../presence.ts";
import type { EngineReport, OfficeReport } from "../report.ts";
import type { ClaimOrder, GroupState, Office, Turn } from "../state.ts";
import {
  apply,
  askAgain,
  declineOffice,
  inherit,
  seekHolder,
  stopApplying,
  withdrawApplication,
} from "../strict/application.ts";
import {
  clientOf,
  enterTerm,
  hearTokenClaim,
  isHolderBehind,
  isHolderReachable,
  isWon,
  LEASE,
  unreachableHolder,
} from "../strict/claims.ts";
import { endClaim, isTenureOver, resignTenure, returnGrant, stopSuperseded, takeOffice } from "../strict/tenure.ts";
import { proclaim, sayTo } from "../talk/speaking.ts";

function factsOfLease(turn: Turn, office: Office): LeaseFacts {
  const { name, claim } = office;
  const client = clientOf(turn);
  const application = turn.state.applications.get(name);
  const holds = leads(turn, office);
  const hasLease = leases.statusOf(client, name) === "held";
  const applies = application !== undefined;
  return {
    applies,
    isGranted: applies && hasLease,
    isGrantNewer: claim === null || (leases.tokenOf(client, name) ?? 0) > claim.token!,
    isHopeless: application?.isHopeless ?? false,
    isHolderHeard: application?.isHolderHeard === true && isHolderReachable(turn, office),
    isDenialLifted: application?.isDenialLifted ?? false,
    seeksHolder: application?.seeksHolder ?? false,
    isHolderBehind: !holds && isHolderBehind(office),
    isEnding: turn.state.endings.has(name),
    isOver: holds && isTenureOver(turn, office),
    isSuperseded: hasLease && !holds && !applies,
  };
}

/** The timer after which the holder is told the term again. */
const tellTimer = (office: string): string => `tell/${office}`;

/** Tells the holder that a higher term was seen. Repeated until it claims that term, since a message may be lost. */
function tellTerm(turn: Turn, office: Office): void {
  const { name, term, claim } = office;
  office.toldTerm = true;
  if (isHolderReachable(turn, office)) sayTo(turn, claim!.holder!, { kind: "term", office: name, term });
  turn.ctx.arm(tellTimer(name), turn.times.review);
}

function announce(turn: Turn, office: Office): void {
  office.isUnannounced = false;
  proclaim(turn, office.claim!);
}

export const byToken: ClaimOrder = {
  hear: hearTokenClaim,
  enterTerm,
  isWon,
  outlastsTerms: true,
  isFree: (turn, { name }) => ["none", "asking"].includes(leases.statusOf(clientOf(turn), name)),
  facts: factsOfLease,
  acts: {
    claim: apply,
    inherit,
    "decline office": declineOffice,
    "give up": resignTenure,
    "end claim": endClaim,
    announce,
    "take office": takeOffice,
    "return grant": returnGrant,
    withdraw: withdrawApplication,
    yield: stopApplying,
    "ask again": askAgain,
    "seek holder": seekHolder,
    "tell term": tellTerm,
    "stop work": stopSuperseded,
  },
  report: leaseReport,
};

// The part of an office's report that strict mode adds.

type OfLease = Pick<
  OfficeReport,
  "leader" | "mine" | "token" | "lease" | "lapse" | "confirmation" | "unreachable" | "settling" | "asker"
>;

function leaseReport(turn: Turn, office: Office): OfLease {
  const client = clientOf(turn);
  const { name, applicant } = office;
  const lapse = leases.lapseTimer(client, name);
  const occupied = occupancy(turn, office);
  return {
    ...leaderOf(turn, office, occupied),
    mine: leads(turn, office) && leases.statusOf(client, name) === "held",
    lease: leaseOf(turn, office),
    lapse: lapse === null ? null : `${LEASE}/${lapse}`,
    ...(client.params.gated === true && { confirmation: leases.confirmationOf(client, name) }),
    settling: client.params.settles && leases.unsettledToken(client, name) !== null,
    asker: occupied === "awaited" ? applicant!.holder : null,
  };
}

/** The lease of this member, also while it is being released: until the lease store has answered, no other member can get it. */
function leaseOf(turn: Turn, { name }: Office): LeaseId | null {
  const seat = clientOf(turn).seats.get(name);
  return seat !== undefined && "lease" in seat ? seat.lease : null;
}

/** The lease holder: a present member that claims it, or else the holder that the lease store has named to a winner. */
function leaderOf(turn: Turn, office: Office, occupied: Occupancy): Pick<OfLease, "leader" | "token" | "unreachable"> {
  const { claim } = office;
  const presence = holderPresence(turn, office);
  // As by term: the record of an unknown holder may be on its way. On the smaller side of a partition an unknown holder does not count.
  if (claim?.holder != null && (presence === "held" || (presence === "unknown" && isQuorate(turn.state)))) {
    return { leader: claim.holder, token: claim.token!, unreachable: false };
  }
  // Only the member that waits for the lease hears from the lease store who has it.
  const behind = occupied === "awaited" ? unreachableHolder(office) : null;
  if (behind === null) return { leader: null, token: null, unreachable: false };
  const { holder, life, token } = behind;
  return { leader: holder, token, unreachable: !isLive(turn.state.members, holder, life) };
}

const NO_ENGINE: EngineReport = { state: "none", why: null };

export const engineReport = ({ lease }: GroupState): EngineReport =>
  lease === null ? NO_ENGINE : leases.engineOf(lease);
