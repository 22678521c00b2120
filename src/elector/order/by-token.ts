/** With leases claims are ordered by token: see strict/claims.ts. An application brings the token, a tenure ends it. */
import * as leases from "../../protocols/lease/parent.ts";
import type { LeaseFacts } from "../decide.ts";
import { leads } from "../presence.ts";
import type { ClaimOrder, Office, Turn } from "../state.ts";
import { apply, askAgain, inherit, seekHolder, stopApplying, withdrawApplication } from "../strict/application.ts";
import { enterTerm, hearTokenClaim, isHolderBehind, isHolderReachable, isWon } from "../strict/claims.ts";
import { clientOf } from "../strict/client.ts";
import { leaseReport } from "../strict/report.ts";
import { endClaim, isTenureOver, resignTenure, returnGrant, stopSuperseded, takeOffice } from "../strict/tenure.ts";
import { proclaim } from "../talk/claim-notes.ts";
import { sayTo } from "../talk/speaking.ts";

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

/** The timer that lets the holder be told again. */
const tellTimer = (office: string): string => `tell/${office}`;

/** Told until it claims the term: one message may be lost. */
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
