/** A winner applies to the lease store. It tells the others, waits while another member has the lease, and stops when it can follow that holder. */
import type { Denial, Holder } from "../../protocols/lease/messages.ts";
import * as leases from "../../protocols/lease/parent.ts";
import { isLive } from "../../protocols/membership/parent.ts";
import { adopt } from "../election/election.ts";
import { ownClaim, proclaimOwn } from "../order/keeping.ts";
import { mayHaveLeaders } from "../policy.ts";
import type { Application, Office, Turn } from "../state.ts";
import type { Claim } from "../talk/messages.ts";
import { proclaim, sayTo } from "../talk/speaking.ts";
import { clientOf, keepApplicant, retract, sawToken, toEngine } from "./claims.ts";

const NEW_APPLICATION = {
  denial: "",
  holder: null,
  spared: "",
  seeksHolder: false,
  isDenialLifted: false,
  isHolderHeard: false,
  isHopeless: false,
};

/** Tells the others before it asks the lease store, so that they wait. Only the lease store knows whether the last holder's lease is over. */
export function apply(turn: Turn, office: Office): void {
  const { state, ctx } = turn;
  const { name, term } = office;
  office.hasWon = false;
  // Token 0: this member has no token yet.
  const claim = { ...ownClaim(turn, office), token: 0 };
  // This member may be applying already, as the winner of an earlier term.
  state.applications.set(name, { ...NEW_APPLICATION, ...state.applications.get(name), claim });
  state.events.push({ event: "requesting", office: name, term });
  keepApplicant(turn, office, claim);
  proclaimOwn(turn, claim);
  armPatience(turn, office);
  leases.acquire(clientOf(turn), name, toEngine(ctx));
}

/** The last holder has left the office to this member: no election is needed, only a term. */
export function inherit(turn: Turn, office: Office): void {
  office.isHeir = false;
  adopt(turn, office, office.term + 1);
  office.joinedTerm = office.term;
  apply(turn, office);
}

/**
 * The last holder has left the office to this member, which cannot take it. No other member gets the lease while it is reserved, and only
 * the lease store knows whether it is. So this member asks for the lease and gives it back unused.
 */
export function declineOffice(turn: Turn, office: Office): void {
  office.isHeir = false;
  const client = clientOf(turn);
  leases.acquire(client, office.name, toEngine(turn.ctx));
  leases.withdraw(client, office.name, toEngine(turn.ctx));
  office.needsCandidates = mayHaveLeaders(turn.state);
}

/** Applies no longer. */
export function stopApplying(turn: Turn, office: Office): Claim {
  const { state, ctx } = turn;
  const { claim } = state.applications.get(office.name)!;
  state.applications.delete(office.name);
  ctx.disarm(patienceTimer(office.name));
  leases.withdraw(clientOf(turn), office.name, toEngine(ctx));
  if (office.applicant?.life === state.life) office.applicant = null;
  office.resigns = null;
  return retract(turn, claim);
}

/** Leaves the application to somebody else. */
export function withdrawApplication(turn: Turn, office: Office): void {
  const over = stopApplying(turn, office);
  if (over.term === office.term) keepApplicant(turn, office, over);
  proclaim(turn, over);
  office.needsCandidates = mayHaveLeaders(turn.state);
}

export const patienceTimer = (office: string): string => `patience/${office}`;

/** Each winner waits twice as long as the one before, so that a lease store that is down for long does not cause many elections. */
const MOST_DOUBLINGS = 6;

function armPatience({ state, ctx }: Turn, { name, withdrawals }: Office): void {
  ctx.arm(patienceTimer(name), 2 * state.params.lease!.ttl * 2 ** Math.min(withdrawals, MOST_DOUBLINGS));
}

/** This member has applied for a while. A lease store that does not answer it, or never gives it the lease, may answer another member. */
export function patienceEnded(turn: Turn, office: Office): void {
  const application = turn.state.applications.get(office.name);
  if (application === undefined) return;
  const isRefused = application.denial.startsWith(DENIALS.floor);
  if (!isRefused && leases.engineOf(clientOf(turn)).state !== "silent") {
    armPatience(turn, office);
    return;
  }
  application.isHopeless = true;
}

const DENIALS: Readonly<Record<Exclude<Denial, "held">, string>> = {
  reserved: "the office is reserved for the member that it is handed over to",
  barred: "the lease store was restarted or restored, and waits until older leases have run out",
  floor:
    "a token was seen here that the lease store cannot have given: fix its clock; or, if that token was made up, stop this member and remove its saved state",
  over: "the session has ended; a new one is opened",
};

/** Why the lease is denied, in words: if no member reaches the holder, the user may wonder why it keeps the lease. */
const held = ({ name, lease, frozen }: Holder, { spared }: Application): string =>
  lease === spared && !frozen
    ? `${name} has the lease, which cannot be cut short: ${name} was started without preemptible`
    : `${name} has the lease`;

/** The lease store has denied the lease, and may have named who has it. */
export function hearDenial(turn: Turn, office: Office, why: Denial, holder: Holder | null): void {
  const { state } = turn;
  const application = state.applications.get(office.name);
  if (application === undefined) return;
  const words = why === "held" ? held(holder!, application) : DENIALS[why];
  const denial = `${words} ${holder?.lease ?? ""}`;
  const { term } = office;
  if (denial !== application.denial) state.events.push({ event: "denied", office: office.name, term, why: words });
  application.denial = denial;
  application.holder = holder;
  if (holder === null) return;
  sawToken(turn, office.name, holder.token);
  application.seeksHolder = true;
}

/** Asks the holder whether it leads, if this member can reach it. Otherwise tells everybody about the unreachable holder. */
export function seekHolder(turn: Turn, office: Office): void {
  const { state, ctx } = turn;
  const application = state.applications.get(office.name)!;
  application.seeksHolder = false;
  const { holder, claim } = application;
  if (holder === null) return;
  if (isLive(state.members, holder.name, holder.life)) {
    sayTo(turn, holder.name, { kind: "who", office: office.name, term: office.term });
    return;
  }
  if (claim.behind?.token !== holder.token) {
    const behind = { holder: holder.name, life: holder.life, token: holder.token };
    application.claim = { ...claim, number: claim.number + 1, behind, invitation: null };
    if (office.applicant?.life === claim.life) keepApplicant(turn, office, application.claim);
    proclaim(turn, application.claim);
  }
  if (state.params.lease!.preemptible) leases.preempt(clientOf(turn), office.name, toEngine(ctx));
}

/** Asks the lease store again at once, before the lease that it was denied for would have run out. */
export function askAgain(turn: Turn, { name }: Office): void {
  turn.state.applications.get(name)!.isDenialLifted = false;
  leases.hasten(clientOf(turn), name, toEngine(turn.ctx));
}
