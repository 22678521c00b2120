/** The watch inside the group: a member that holds an office has watchers, which declare it dead when it is silent. */
import type { Port } from "../protocol.ts";
import { companyIn } from "./company.ts";
import type { Invitation } from "./council/messages.ts";
import type { Turn } from "./state.ts";
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

/** This member holds nothing any more: it needs no watchers. */
export function releaseWatchers(turn: Turn): void {
  if (turn.state.watch.centre !== null) watch.release(turn.state.watch, companyOf(turn));
}

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
