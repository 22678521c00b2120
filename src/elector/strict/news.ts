/** What the lease client has heard changes facts about offices. */
import type { Port } from "../../protocol.ts";
import { leaseClient } from "../../protocols/lease/client.ts";
import type { LeaseMessage } from "../../protocols/lease/messages.ts";
import { acknowledgeConfirmation, engineOf, halt, leaseNews, preempt } from "../../protocols/lease/parent.ts";
import type { LeaseNews, LeaseState } from "../../protocols/lease/state.ts";
import { leads } from "../presence.ts";
import { type Turn, touch } from "../state.ts";
import type { GroupCommand } from "../talk/messages.ts";
import { isCutOff } from "../watching.ts";
import { hearDenial } from "./application.ts";
import { clientOf, toEngine } from "./client.ts";
import { hearGuard, hearLoss, workEnded } from "./tenure.ts";

export function hearEngine(turn: Turn, port: Port, message: LeaseMessage): void {
  const { state, ctx } = turn;
  if (state.lease === null) return;
  state.leased = 0;
  leaseClient.receive(state.lease, port, message, toEngine(ctx));
  // Which deadline ends a lease is part of the report.
  if (message.kind === "renewed") for (const name of state.led) state.touched.add(name);
}

export function expireLease(turn: Turn, timer: string): void {
  turn.state.leased = 0;
  leaseClient.expire!(clientOf(turn), timer, toEngine(turn.ctx));
  // Work that did not end in time keeps its lease until that runs out, but nobody waits for it.
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
  const office = state.offices.get(item.seat);
  if (office === undefined) return;
  touch(turn, office);
  if (item.what === "denied") hearDenial(turn, office, item.why, item.holder);
  else if (item.what === "lost") hearLoss(turn, office, item.token, item.why);
  // Its end stands: others get it sooner, and this member's work ends in good order, if it stops now.
  else if (item.what === "frozen" && leads(turn, office)) office.resigns = { heir: null };
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
 * A holder whose watchers live, as far as it knows, but have been silent for one TTL, renews no longer: others could not
 * tell it from a dead one. It goes on when any of them is heard.
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
