/** The watch inside the group: whoever holds an office has a council, and whom its watchers declare dead has lost its offices. */
import type { Port } from "../protocol.ts";
import { declareFailed, memberNamed } from "../protocols/membership/parent.ts";
import { inform, leads } from "./claims.ts";
import { companyIn } from "./company.ts";
import type { Invitation } from "./council/messages.ts";
import { within } from "./members.ts";
import type { Claim } from "./messages.ts";
import type { Turn } from "./state.ts";
import { askFirst } from "./vacancy.ts";
import { follow } from "./view.ts";
import type { WatchMessage } from "./watch/messages.ts";
import { beatOf, WATCH_PROFILES } from "./watch/profiles.ts";
import * as watch from "./watch/watch.ts";

export const isWatchTimer = (timer: string): timer is watch.WatchTimer => timer.startsWith("watch/");

function companyOf(turn: Turn): watch.WatchCompany {
  const { state, ctx } = turn;
  return {
    ...companyIn(turn),
    profile: WATCH_PROFILES[state.params.profile],
    send: (port, message) => ctx.send(port, message),
    arm: (timer, after) => ctx.arm(timer, after),
    deadline: (timer, after) => ctx.deadline(timer, after),
    disarm: (timer) => ctx.disarm(timer),
  };
}

/** This member has won an office: from now on it is watched. What invites its watchers rides on the claim. */
export function beWatched(turn: Turn): Invitation | null {
  const { state } = turn;
  if (!state.params.watch) return null;
  watch.hold(state.watch, companyOf(turn));
  return watch.invitation(state.watch);
}

export function hearInvitation(turn: Turn, value: unknown): void {
  if (turn.state.params.watch) watch.invited(turn.state.watch, value, companyOf(turn));
}

export function hearPulse(turn: Turn, port: Port, message: WatchMessage): void {
  if (turn.state.params.watch) watch.receive(turn.state.watch, port, message, companyOf(turn));
}

export function tickWatch(turn: Turn, timer: watch.WatchTimer): void {
  watch.expire(turn.state.watch, timer, companyOf(turn));
}

/** Anything came from this life of a member. */
export function heardOf(turn: Turn, life: number | undefined): void {
  const { state } = turn;
  if (life !== undefined && state.watch.doubts.size > 0) watch.heard(state.watch, life, companyOf(turn));
}

export const stopWatching = (turn: Turn): void => watch.leave(turn.state.watch, companyOf(turn));

/** At the end of a handler: what the watch has found, and whether this member still holds anything. */
export function followWatch(turn: Turn): void {
  const { state } = turn;
  for (const { name, life } of watch.takeDeclared(state.watch)) bury(turn, name, life);
  for (const { name } of watch.takeReturned(state.watch)) welcome(turn, name);
  for (const name of state.touched) {
    if (leads(turn, state.offices.get(name)!)) state.led.add(name);
    else state.led.delete(name);
  }
  if (state.led.size === 0 && state.asking.size === 0 && state.watch.centre !== null)
    watch.release(state.watch, companyOf(turn));
}

/** A holder is dead: the group is told, and those who come first are asked to stand, since they may not know yet. */
function bury(turn: Turn, name: string, life: number): void {
  const { state, ctx } = turn;
  declareFailed(state.members, name, life, within(ctx));
  follow(turn);
  for (const office of state.offices.values()) {
    if (isHeldBy(office.claim, name, life) || isHeldBy(office.asker, name, life)) askFirst(turn, office);
  }
}

const isHeldBy = (claim: Claim | null, name: string, life: number): boolean =>
  claim?.holder === name && claim.life === life;

/** As a holder: whether its watchers, who live, have been silent for so many milliseconds; `still`: whether any has been heard since. */
export function isCutOff(turn: Turn, silence: number, still: boolean): boolean {
  const { watch: state } = turn.state;
  const company = companyOf(turn);
  const { tick, exchange, patience } = company.profile;
  // Watchers speak once an exchange, and are asked some times more where that is lost: until then silence says nothing.
  const exchanged = exchange + patience * beatOf(company.profile, state.centre?.seats.size ?? 0);
  const ticks = Math.max(Math.ceil(silence / tick), exchanged);
  return still ? (state.centre?.alone ?? 0) >= ticks : watch.isolated(state, ticks, company);
}

/** Somebody that was declared dead is there: it is told who leads now where it did. */
function welcome(turn: Turn, name: string): void {
  const member = memberNamed(turn.state.members, name);
  if (member === undefined) return;
  for (const office of turn.state.offices.values()) if (office.former?.name === name) inform(turn, office, member);
}
