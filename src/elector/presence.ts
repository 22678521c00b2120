/** Who holds an office, as far as this member knows. */
import { isLive, memberNamed } from "../protocols/membership/parent.ts";
import type { Office, Turn } from "./state.ts";
import type { Claim } from "./talk/messages.ts";

/** `unknown`: this member has never met the holder. The holder's record may be on its way, or the holder may be long gone. */
type Presence = "held" | "vacant" | "unknown";

/** `awaited`: a member has won the office and applies to the lease store. */
export type Occupancy = Presence | "awaited";

export const isMine = ({ state: { name, life } }: Turn, claim: Claim | null): boolean =>
  claim !== null && claim.holder === name && claim.life === life;

export const leads = (turn: Turn, { claim }: Office): boolean => isMine(turn, claim);

export const isHolderLive = ({ state: { members } }: Turn, claim: Claim | null): boolean =>
  claim?.holder != null && isLive(members, claim.holder, claim.life);

export function occupancy(turn: Turn, office: Office): Occupancy {
  const { applicant } = office;
  const holder = holderPresence(turn, office);
  if (holder === "held" || applicant?.holder == null) return holder;
  const applies = turn.state.applications.has(office.name) ? "held" : presence(turn, applicant, office.applicantSeen);
  return applies === "held" ? "awaited" : applies;
}

/** Whether a live member holds the office, or has won it and applies to the lease store. */
export const isOccupied = (turn: Turn, office: Office): boolean =>
  ["held", "awaited"].includes(occupancy(turn, office));

/** As `occupancy`, but of the holder alone: a member that applies for the office does not count. */
export const holderPresence = (turn: Turn, office: Office): Presence =>
  leads(turn, office) ? "held" : presence(turn, office.claim, office.holderSeen);

/** The presence of the member that a claim names. This member does not hold an office because others say so. */
function presence({ state: { members, name } }: Turn, claim: Claim | null, seen: boolean): Presence {
  if (claim?.holder == null || claim.holder === name) return "vacant";
  if (isLive(members, claim.holder, claim.life)) return "held";
  return seen || memberNamed(members, claim.holder)?.life === claim.life ? "vacant" : "unknown";
}

/** The claim is about to be replaced: who held the office until now. */
export function rememberHolder(office: Office): void {
  const { claim } = office;
  if (claim?.holder != null) office.former = { name: claim.holder, life: claim.life };
}
