/** Who has the lease: from the grant until it is given back or lost, and the work under it has settled. */
import type { Token } from "../../protocols/lease/messages.ts";
import * as leases from "../../protocols/lease/parent.ts";
import type { Loss } from "../../protocols/lease/state.ts";
import { isLive, memberNamed } from "../../protocols/membership/parent.ts";
import { attributesIn } from "../choice.ts";
import { publishClaim, publishSetting } from "../claim-notes.ts";
import { leads, MANY } from "../claims.ts";
import type { Claim } from "../messages.ts";
import { nextSetting } from "../settings.ts";
import type { Office, Turn } from "../state.ts";
import { askFirst, attend } from "../vacancy.ts";
import { beWatched } from "../watching.ts";
import { asideTimer, stepAside } from "./asking.ts";
import { isNewer, proclaim, takeHolder } from "./claims.ts";
import { clientOf, sawToken, toEngine } from "./client.ts";

/** Above all that a holder says under its token. */
const ENDED = 2 ** 31;

/** The engine has given this member the lease. */
export function granted(turn: Turn, office: Office, token: Token): void {
  const { state } = turn;
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
    token,
  };
  if (!isNewer(claim, office.claim)) {
    // An engine that was restored has given less than was seen meanwhile. No work has begun that would have to end first.
    leases.stopWork(clientOf(turn), name, null, toEngine(turn.ctx));
    leases.settled(clientOf(turn), name, token, toEngine(turn.ctx));
    stepAside(turn, office);
    return;
  }
  state.asking.delete(name);
  turn.ctx.disarm(asideTimer(name));
  sawToken(turn, name, token);
  takeHolder(turn, office, claim);
  proclaim(turn, claim);
  publishSetting(turn, setting);
}

/** Stops work and gives the lease back when that has settled; who only asks for it leaves that to others. */
export function giveLeaseUp(turn: Turn, office: Office, wanted: string | null): void {
  const { state, ctx } = turn;
  stepAside(turn, office);
  if (!leads(turn, office)) return;
  if (!state.stopping.has(office.name)) {
    // Nobody else would get what is reserved for one who is not there, or takes no office.
    const heir = wanted !== null && wouldFollow(turn, wanted) ? wanted : null;
    state.stopping.set(office.name, heir);
    state.touched.add(office.name);
    leases.stopWork(clientOf(turn), office.name, heir, toEngine(ctx));
  }
  // No answer is heard any more by one who leaves.
  if (state.leaving) endTenure(turn, office);
}

function wouldFollow({ state: { members } }: Turn, name: string): boolean {
  const member = memberNamed(members, name);
  return member !== undefined && isLive(members, name, member.life) && attributesIn(member.meta).weight > 0;
}

/** The token is over, and everybody is told; who was named follows, otherwise those who come first are asked to stand. */
function endTenure(turn: Turn, office: Office): void {
  const { state } = turn;
  const heir = state.stopping.get(office.name) ?? null;
  state.stopping.delete(office.name);
  const isMany = state.led.size > MANY;
  const claim = { ...office.claim!, number: ENDED, holder: null, former: state.name, heir, invitation: null };
  takeHolder(turn, office, claim);
  if (isMany) publishClaim(turn, claim, false);
  else proclaim(turn, claim);
  if (heir === null) askFirst(turn, office);
}

const isTenure = (turn: Turn, office: Office, token: Token): boolean =>
  leads(turn, office) && office.claim!.token === token;

const LOSSES: Readonly<Record<Loss, string>> = {
  lapsed: "no renewal was confirmed in time",
  taken: "the engine does not have it any more",
  ended: "its session has ended in the engine",
};

export function lost(turn: Turn, office: Office, token: Token, why: Loss): void {
  turn.state.touched.add(office.name);
  turn.state.events.push({ event: "lapsed", office: office.name, term: office.term, token, why: LOSSES[why] });
  if (isTenure(turn, office, token)) endTenure(turn, office);
}

export function freed(turn: Turn, office: Office, token: Token): void {
  turn.state.touched.add(office.name);
  if (isTenure(turn, office, token)) endTenure(turn, office);
  else attend(turn, office);
}

/** Work that did not end in time keeps its lease until that runs out, but holds nobody up: the next term can begin. */
export function giveAway(turn: Turn): void {
  const { state } = turn;
  for (const name of [...state.stopping.keys()]) {
    if (leases.statusOf(clientOf(turn), name) === "giving") endTenure(turn, state.offices.get(name)!);
  }
}

/** Somebody has a newer token: whatever this member had is over. */
export function yieldTo(turn: Turn, { name }: Office, before: Claim): void {
  const { state, ctx } = turn;
  if (before.holder !== state.name || before.life !== state.life) return;
  state.stopping.delete(name);
  leases.stopWork(clientOf(turn), name, null, toEngine(ctx));
}

/**
 * Somebody says in this member's name what it never said. Others may believe it: only a larger token, or the end of that one,
 * puts it right.
 */
export function disown(turn: Turn, office: Office, claim: Claim): void {
  const { state } = turn;
  if (leads(turn, office)) giveLeaseUp(turn, office, state.name);
  else {
    const over = { ...claim, number: claim.number + 1, holder: null, former: state.name, heir: null, invitation: null };
    takeHolder(turn, office, over);
    proclaim(turn, over);
  }
}

/** The user's work under that token has ended. */
export function workSettled(turn: Turn, office: Office, token: Token): void {
  if (!leases.settled(clientOf(turn), office.name, token, toEngine(turn.ctx))) return;
  turn.state.touched.add(office.name);
  attend(turn, office);
}

/** A guard has seen that token: under a lower one nothing can be written, so this member asks for another. */
export function raiseTo(turn: Turn, office: Office, token: Token): void {
  sawToken(turn, office.name, token);
  if (leads(turn, office) && office.claim!.token! < token) giveLeaseUp(turn, office, turn.state.name);
}
