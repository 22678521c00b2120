/** A holder with a lease: from the grant until the lease is given back or lost, and the work under it has ended. */

import type { Port } from "../../protocol.ts";
import { leaseClient } from "../../protocols/lease/client.ts";
import type { LeaseId, LeaseMessage, Token } from "../../protocols/lease/messages.ts";
import * as leases from "../../protocols/lease/parent.ts";
import { acknowledgeConfirmation, engineOf, halt, leaseNews, preempt } from "../../protocols/lease/parent.ts";
import type { LeaseLoss, LeaseNews, LeaseState } from "../../protocols/lease/state.ts";
import { isLive, memberNamed } from "../../protocols/membership/parent.ts";
import { isCutOff } from "../company.ts";
import { attributesIn } from "../election/choice.ts";
import { endedClaim, LAST_NUMBER, ownClaim, proclaimOwn } from "../order/keeping.ts";
import { mayHaveLeaders } from "../policy.ts";
import { leads } from "../presence.ts";
import { type Office, type Turn, touch } from "../state.ts";
import type { GroupCommand } from "../talk/messages.ts";
import { proclaimEnd } from "../talk/speaking.ts";
import { hearDenial, patienceTimer } from "./application.ts";
import { clientOf, keepHolder, sawToken, toEngine } from "./claims.ts";

/** The lease store has granted the lease: this member leads. */
export function takeOffice(turn: Turn, office: Office): void {
  const { state, ctx } = turn;
  const token = leases.tokenOf(clientOf(turn), office.name)!;
  state.applications.delete(office.name);
  ctx.disarm(patienceTimer(office.name));
  sawToken(turn, office.name, token);
  const claim = { ...ownClaim(turn, office), token };
  keepHolder(turn, office, claim);
  proclaimOwn(turn, claim);
}

/** Gives back a lease that was granted too late, or with a token that is not newer (by a restored store). No work has begun under it. */
export function returnGrant(turn: Turn, office: Office): void {
  const client = clientOf(turn);
  const token = leases.tokenOf(client, office.name)!;
  leases.stopWork(client, office.name, null, toEngine(turn.ctx));
  leases.settled(client, office.name, token, toEngine(turn.ctx));
  turn.state.applications.get(office.name)!.isHopeless = true;
}

/** Stops the work. The lease goes back when the work has ended. */
export function resignTenure(turn: Turn, office: Office): void {
  const { state, ctx } = turn;
  const wanted = office.resigns?.heir ?? null;
  // A lease that is reserved for a missing or unwilling member would block the others.
  const heir = wanted !== null && wouldFollow(turn, wanted) ? wanted : null;
  state.endings.set(office.name, heir);
  leases.stopWork(clientOf(turn), office.name, heir, toEngine(ctx));
}

function wouldFollow({ state: { members } }: Turn, name: string): boolean {
  const member = memberNamed(members, name);
  return member !== undefined && isLive(members, name, member.life) && attributesIn(member.meta).weight > 0;
}

/**
 * Whether there is nothing left to wait for: the lease was released or lost; or its work did not end in time, so the lease has to run
 * out; or this member leaves and will hear no answer.
 */
export function isTenureOver(turn: Turn, office: Office): boolean {
  const status = leases.statusOf(clientOf(turn), office.name);
  const isLeaving = turn.state.leaving && turn.state.endings.has(office.name);
  return isLeaving || !["held", "settling", "releasing"].includes(status);
}

/** The token is over, and everybody is told. The heir follows; without one, candidates are needed. */
export function endClaim(turn: Turn, office: Office): void {
  const { state } = turn;
  const heir = state.endings.get(office.name) ?? null;
  const claim = endedClaim(turn, office.claim!, heir, LAST_NUMBER);
  keepHolder(turn, office, claim);
  proclaimEnd(turn, claim);
  office.needsCandidates = heir === null && mayHaveLeaders(state);
}

/** Another member has a newer token, so this member's token is over. */
export const stopSuperseded = (turn: Turn, { name }: Office): void =>
  leases.stopWork(clientOf(turn), name, null, toEngine(turn.ctx));

const LOSSES: Readonly<Record<LeaseLoss, string>> = {
  lapsed: "no renewal was confirmed in time",
  taken: "the lease store does not have it any more",
  ended: "its session has ended in the lease store",
};

function hearLoss(turn: Turn, office: Office, token: Token, why: LeaseLoss): void {
  turn.state.events.push({ event: "lapsed", office: office.name, term: office.term, token, why: LOSSES[why] });
}

/** The user's work under this token has ended. */
function workEnded(turn: Turn, office: Office, token: Token): void {
  if (leases.settled(clientOf(turn), office.name, token, toEngine(turn.ctx))) touch(turn, office);
}

/** A guard has seen this token. It refuses writes under a lower one, so a holder with a lower token asks for another. */
function hearGuard(turn: Turn, office: Office, token: Token): void {
  sawToken(turn, office.name, token);
  if (!leads(turn, office) || office.claim!.token! >= token) return;
  office.resigns = { heir: turn.state.name };
  touch(turn, office);
}

// What the lease client has heard changes facts about offices.

export function hearEngine(turn: Turn, port: Port, message: LeaseMessage): void {
  const { state, ctx } = turn;
  if (state.lease === null) return;
  state.leased = 0;
  leaseClient.receive(state.lease, port, message, toEngine(ctx));
  // The report names the deadline that ends a lease.
  if (message.kind === "renewed") for (const name of state.led) state.touched.add(name);
}

export function expireLease(turn: Turn, timer: string): void {
  turn.state.leased = 0;
  leaseClient.expire!(clientOf(turn), timer, toEngine(turn.ctx));
  // Work that did not end in time keeps its lease until it runs out, but this member no longer waits for it.
  for (const name of turn.state.endings.keys()) turn.state.touched.add(name);
}

export function followLeases(turn: Turn): void {
  const { state } = turn;
  if (state.lease === null) return;
  for (; state.leased < leaseNews(state.lease).length; state.leased++) hear(turn, leaseNews(state.lease)[state.leased]);
}

export const hasLeaseNews = ({ state: { lease, leased } }: Turn): boolean =>
  lease !== null && leased < leaseNews(lease).length;

function hear(turn: Turn, item: LeaseNews): void {
  const { state } = turn;
  if (item.what === "silent" || item.what === "answering") {
    hearOfEngine(turn, state.lease!);
    return;
  }
  if (item.what === "extended") {
    state.extension = item.extension;
    return;
  }
  const office = state.offices.get(item.seat);
  if (office === undefined) return;
  touch(turn, office);
  if (item.what === "denied") hearDenial(turn, office, item.why, item.holder);
  else if (item.what === "spared") hearSpared(turn, office, item.lease);
  else if (item.what === "lost") hearLoss(turn, office, item.token, item.why);
  // The frozen lease cannot be renewed. If this member stops now, its work ends gracefully and others get the lease sooner.
  else if (item.what === "frozen" && leads(turn, office)) office.resigns = { heir: null };
}

function hearSpared({ state }: Turn, { name }: Office, lease: LeaseId): void {
  const application = state.applications.get(name);
  if (application !== undefined) application.spared = lease;
}

function hearOfEngine({ state }: Turn, lease: LeaseState): void {
  const { state: engine, why } = engineOf(lease);
  state.events.push({
    event: "engine",
    engine: engine === "silent" ? "silent" : "answers",
    ...(why === null ? {} : { why }),
  });
}

/**
 * If a holder's watchers are live as far as it knows, but have been silent for one TTL, the holder stops renewing: to the others it looks
 * dead. It goes on when a watcher is heard.
 */
export function mindWatchers(turn: Turn): void {
  const { state } = turn;
  if (state.lease === null || state.params.lease!.stopsWhenIsolated === false) return;
  const cutOff = isCutOff(turn, state.params.lease!.ttl, state.lease.halted);
  if (cutOff !== state.lease.halted) halt(state.lease, cutOff);
}

type LeaseCommand = Extract<GroupCommand, { kind: "settled" | "preempt" | "floor" | "acknowledged" }>;

export function obeyLease(turn: Turn, command: LeaseCommand): void {
  const { state, ctx } = turn;
  const office = state.offices.get(command.office);
  if (office === undefined || state.lease === null) return;
  if (command.kind === "settled") workEnded(turn, office, command.token);
  else if (command.kind === "floor") hearGuard(turn, office, command.token);
  else if (command.kind === "acknowledged")
    acknowledgeConfirmation(state.lease, office.name, command.number, toEngine(ctx));
  else preempt(state.lease, office.name, toEngine(ctx));
}
