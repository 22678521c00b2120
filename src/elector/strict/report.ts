/** What is reported of an office in strict mode: who has the lease, and what this member has to do with it. */
import type { LeaseId } from "../../protocols/lease/messages.ts";
import * as leases from "../../protocols/lease/parent.ts";
import { isLive } from "../../protocols/membership/parent.ts";
import { holderPresence, leads, occupancy } from "../presence.ts";
import type { EngineReport, OfficeReport } from "../report.ts";
import type { GroupState, Office, Turn } from "../state.ts";
import { unreachableHolder } from "./claims.ts";
import { clientOf, LEASE } from "./client.ts";

type OfLease = Pick<
  OfficeReport,
  "leader" | "mine" | "token" | "lease" | "lapse" | "confirmation" | "unreachable" | "settling" | "asker"
>;

export function leaseReport(turn: Turn, office: Office): OfLease {
  const client = clientOf(turn);
  const { name, applicant } = office;
  const lapse = leases.lapseTimer(client, name);
  const occupied = occupancy(turn, office);
  return {
    ...leaderOf(turn, office),
    mine: leads(turn, office) && leases.statusOf(client, name) === "held",
    lease: leaseOf(turn, office),
    lapse: lapse === null ? null : `${LEASE}/${lapse}`,
    ...(client.params.gated === true && { confirmation: leases.confirmationOf(client, name) }),
    settling: client.params.settles && leases.unsettledToken(client, name) !== null,
    asker: occupied === "awaited" ? applicant!.holder : null,
  };
}

/** Also of one that is being released: until the engine has answered, nobody else may have it. */
function leaseOf(turn: Turn, { name }: Office): LeaseId | null {
  const seat = clientOf(turn).seats.get(name);
  return seat !== undefined && "lease" in seat ? seat.lease : null;
}

/** Who has the lease: by its own word, where it is there; otherwise by that of the engine, which a winner has passed on. */
function leaderOf(turn: Turn, office: Office): Pick<OfLease, "leader" | "token" | "unreachable"> {
  const { claim } = office;
  if (claim?.holder != null && holderPresence(turn, office) !== "vacant") {
    return { leader: claim.holder, token: claim.token!, unreachable: false };
  }
  const behind = unreachableHolder(office);
  if (behind === null) return { leader: null, token: null, unreachable: false };
  const { holder, life, token } = behind;
  return { leader: holder, token, unreachable: !isLive(turn.state.members, holder, life) };
}

const NO_ENGINE: EngineReport = { state: "none", why: null };

export const engineReport = ({ lease }: GroupState): EngineReport =>
  lease === null ? NO_ENGINE : leases.engineOf(lease);
