/** A winner asks the engine: it says so, waits while somebody else has the lease, and stops when it can follow that one. */
import type { Denial, Holder } from "../../protocols/lease/messages.ts";
import * as leases from "../../protocols/lease/parent.ts";
import { isLive } from "../../protocols/membership/parent.ts";
import { publishClaim, publishSetting } from "../claim-notes.ts";
import { adopt, end } from "../election.ts";
import type { Claim } from "../messages.ts";
import { isQuorate, mayStand } from "../policy.ts";
import { nextSetting } from "../settings.ts";
import { sayTo } from "../speaking.ts";
import type { Office, Turn } from "../state.ts";
import { askFirst, attend } from "../vacancy.ts";
import { beWatched } from "../watching.ts";
import { proclaim, takeAsker } from "./claims.ts";
import { clientOf, isFree, sawToken, toEngine } from "./client.ts";

/** The child has elected this member. Whether the last holder is over the engine knows best. */
export function winLease(turn: Turn, office: Office): void {
  end(turn, office);
  if (isQuorate(turn.state) && isFree(turn, office)) ask(turn, office);
  else attend(turn, office);
}

/** The last holder has released the office for this member: no election is needed, only a term. */
export function askAsHeir(turn: Turn, office: Office): void {
  const { state } = turn;
  if (!office.wanted || !state.eligible || !mayStand(state) || !isFree(turn, office)) return;
  adopt(turn, office, office.term + 1);
  office.took = office.term;
  ask(turn, office);
}

/** Others are told before the engine is, and wait. */
function ask(turn: Turn, office: Office): void {
  const { state, ctx } = turn;
  const { name, term } = office;
  const setting = nextSetting(turn);
  const claim: Claim = {
    office: name,
    term,
    number: 0,
    holder: state.name,
    life: state.life,
    setting,
    former: null,
    heir: null,
    invitation: beWatched(turn),
    token: 0,
  };
  // It may ask already, as the winner of an earlier term.
  state.asking.set(name, { denial: "", holder: null, ...state.asking.get(name), claim });
  state.events.push({ event: "awaits", office: name, term });
  takeAsker(turn, office, claim);
  proclaim(turn, claim);
  publishSetting(turn, setting);
  armAside(turn, office);
  leases.acquire(clientOf(turn), name, toEngine(ctx));
}

/** What this member said last about its asking is no longer so. Others hear it as a rumour: most know already. */
export function retract(turn: Turn, claim: Claim): Claim {
  const over = { ...claim, number: claim.number + 1, holder: null, former: turn.state.name, invitation: null };
  publishClaim(turn, over, false);
  return over;
}

/** Asks no longer. */
export function withdrawAsking(turn: Turn, office: Office): Claim | null {
  const { state, ctx } = turn;
  const asked = state.asking.get(office.name);
  if (asked === undefined) return null;
  state.asking.delete(office.name);
  ctx.disarm(asideTimer(office.name));
  state.touched.add(office.name);
  leases.withdraw(clientOf(turn), office.name, toEngine(ctx));
  if (office.asker?.life === state.life) office.asker = null;
  return retract(turn, asked.claim);
}

export const asideTimer = (office: string): string => `aside/${office}`;

/** Each winner in turn waits twice as long: an engine that is down for long is no reason for many elections. */
const MOST_DOUBLINGS = 6;

function armAside({ state, ctx }: Turn, { name, asides }: Office): void {
  ctx.arm(asideTimer(name), 2 * state.params.lease!.ttl * 2 ** Math.min(asides, MOST_DOUBLINGS));
}

/** Asked for long: where the engine does not answer, or never will give it, it may answer others. */
export function askedForLong(turn: Turn, office: Office): void {
  const asked = turn.state.asking.get(office.name);
  if (asked === undefined) return;
  const isHopeless = asked.denial.startsWith(DENIALS.floor);
  if (isHopeless || leases.engineOf(clientOf(turn)).state === "silent") stepAside(turn, office);
  else armAside(turn, office);
}

/** Leaves the asking to somebody else. */
export function stepAside(turn: Turn, office: Office): void {
  const over = withdrawAsking(turn, office);
  if (over === null) return;
  if (over.term === office.term) takeAsker(turn, office, over);
  proclaim(turn, over);
  askFirst(turn, office);
}

const DENIALS: Readonly<Record<Exclude<Denial, "held">, string>> = {
  reserved: "the office is reserved for the one to whom it is handed over",
  barred: "the engine was restarted or restored, and waits until older leases have run out",
  floor:
    "a token was seen here that the engine cannot have given: mend its clock; or, if somebody made that token up, stop this member and remove its saved state",
  over: "the session has ended; a new one is opened",
};

/** The engine has denied it: whom it names is followed where it can be reached, and waited out where it cannot. */
export function denied(turn: Turn, office: Office, why: Denial, holder: Holder | null): void {
  const { state } = turn;
  const asked = state.asking.get(office.name);
  if (asked === undefined) return;
  const words = why === "held" ? `${holder?.name} has the lease` : DENIALS[why];
  const denial = `${words} ${holder?.lease ?? ""}`;
  const { term } = office;
  if (denial !== asked.denial) state.events.push({ event: "denied", office: office.name, term, why: words });
  asked.denial = denial;
  asked.holder = holder;
  if (holder === null) return;
  sawToken(turn, office.name, holder.token);
  seekHolder(turn, office);
}

/** Who has the lease is asked whether it leads, where it can be reached; everybody is told where it cannot. */
export function seekHolder(turn: Turn, office: Office): void {
  const { state, ctx } = turn;
  const holder = state.asking.get(office.name)?.holder ?? null;
  if (holder === null) return;
  if (isLive(state.members, holder.name, holder.life)) {
    sayTo(turn, holder.name, { kind: "who", office: office.name, term: office.term });
    return;
  }
  sayWhoIsBehind(turn, office, holder);
  if (state.params.lease!.preemptible) leases.preempt(clientOf(turn), office.name, toEngine(ctx));
}

/** Everybody is told who has the lease, as the engine says, though nobody here can reach it. */
function sayWhoIsBehind(turn: Turn, office: Office, { name: holder, life, token }: Holder): void {
  const asked = turn.state.asking.get(office.name)!;
  if (asked.claim.behind?.token === token) return;
  const { claim } = asked;
  asked.claim = { ...claim, number: claim.number + 1, behind: { holder, life, token }, invitation: null };
  if (office.asker?.life === claim.life) takeAsker(turn, office, asked.claim);
  proclaim(turn, asked.claim);
}

/** The lease that it was denied for is over, by its holder's word: no need to wait until it would have run out. */
export function askAgain(turn: Turn, { name }: Office): void {
  const asked = turn.state.asking.get(name);
  if (asked === undefined || asked.denial === "") return;
  asked.denial = "";
  leases.hasten(clientOf(turn), name, toEngine(turn.ctx));
}
