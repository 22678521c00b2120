/** The watch and the councils inside the group: what they need of it for one handler, and what the group tells them. */

import type { Port } from "../protocol.ts";
import { isLive, memberNamed, memberOfLife, note, portTo, publish, size } from "../protocols/membership/parent.ts";
import type { MembershipState } from "../protocols/membership/state.ts";
import type { Company } from "./council/company.ts";
import * as councils from "./council/councils.ts";
import type { Invitation, SeatMessage, WatchMessage } from "./council/messages.ts";
import { resignSeats } from "./council/seats.ts";
import type { ProfileName } from "./params.ts";
import { leads } from "./presence.ts";
import type { OfficeReport } from "./report.ts";
import type { GroupContext, Office, Turn } from "./state.ts";
import { beatOf, WATCH_PROFILES, type WatchProfile } from "./watch/profiles.ts";
import * as watch from "./watch/watch.ts";

/** Made in most handlers, so its functions are not made with it. */
class GroupCompany implements Omit<Company<never>, "send"> {
  readonly name: string;
  readonly life: number;
  protected readonly ctx: GroupContext;
  private readonly members: MembershipState;

  constructor({ state, ctx }: Turn) {
    this.name = state.name;
    this.life = state.life;
    this.ctx = ctx;
    this.members = state.members;
  }

  size(): number {
    return size(this.members);
  }

  isLive(name: string, life: number): boolean {
    return isLive(this.members, name, life);
  }

  nameOf(life: number): string | null {
    return memberOfLife(this.members, life)?.name ?? null;
  }

  lifeOf(name: string): number | null {
    const member = memberNamed(this.members, name);
    return member !== undefined && isLive(this.members, name, member.life) ? member.life : null;
  }

  portTo(name: string): Port | null {
    return this.lifeOf(name) === null ? null : portTo(this.members, name, this.ctx);
  }

  publish(key: string, number: number, value: unknown): void {
    publish(this.members, key, [number, 0], value);
  }

  noted(key: string): number {
    return note(this.members, key)?.order[0] ?? 0;
  }

  choose(n: number): number {
    return this.ctx.choose(n);
  }

  coin(p: number): boolean {
    return this.ctx.coin(p);
  }
}

// Offices with a council ("audit:3..5"): the holder of the office is one of its members, and keeps between L - 1 and U - 1 other members
// in their seats (see council/councils.ts).

/** Milliseconds. */
const TICKS: Readonly<Record<ProfileName, number>> = { local: 1000, lan: 2000, wan: 4000 };

class CouncilCompany extends GroupCompany implements councils.CouncilCompany {
  readonly tick: number;

  constructor(turn: Turn) {
    super(turn);
    this.tick = TICKS[turn.state.params.profile];
  }

  send(port: Port, message: SeatMessage): void {
    this.ctx.send(port, { kind: "council", message });
  }

  arm(timer: typeof councils.COUNCIL_TIMER, after: number): void {
    this.ctx.arm(timer, after);
  }
}

export function hearCouncil(turn: Turn, port: Port, message: SeatMessage): void {
  councils.receive(turn.state.councils, port, message, new CouncilCompany(turn));
  touch(turn);
}

/** A member takes seats in councils of offices that it wants. */
export function hearCouncilNote(turn: Turn, value: unknown): void {
  const { state } = turn;
  const isWilling = (office: string) => state.eligible && !state.leaving && state.offices.get(office)?.wanted === true;
  councils.hearNote(state.councils, value, isWilling, new CouncilCompany(turn));
  touch(turn);
}

export function tickCouncils(turn: Turn): void {
  councils.expire(turn.state.councils, new CouncilCompany(turn));
  touch(turn);
}

export const leaveCouncils = (turn: Turn): void => councils.leave(turn.state.councils, new CouncilCompany(turn));

/** The report on offices with a council may have changed. */
function touch({ state }: Turn): void {
  for (const office of state.ranges.keys()) if (state.offices.has(office)) state.touched.add(office);
}

/** At the end of a handler: this member keeps the councils of the offices that it holds, and no others. */
export function followCouncils(turn: Turn): void {
  const { state } = turn;
  if (state.ranges.size === 0) return;
  for (const [office, { L, U }] of state.ranges) {
    const holds = state.led.has(office);
    if (holds === state.councils.kept.has(office)) continue;
    if (holds) councils.keepCouncil(state.councils, office, { L: L - 1, U: U - 1 }, new CouncilCompany(turn));
    else councils.closeCouncil(state.councils, office, new CouncilCompany(turn));
    state.touched.add(office);
  }
  if (state.eligible || state.councils.seats.held.size === 0) return;
  resignSeats(state.councils.seats, new CouncilCompany(turn));
  touch(turn);
}

/** The report's fields about a council; none for offices without one. */
export function councilOf(
  turn: Turn,
  office: Office,
  leader: string | null,
): Pick<OfficeReport, "council" | "seat"> | Record<string, never> {
  const { councils: state, ranges } = turn.state;
  if (!ranges.has(office.name)) return {};
  const seat = leads(turn, office) || councils.hasSeat(state, office.name);
  const others = councils.memberNames(state, office.name).filter((name) => name !== leader);
  return { council: leader === null ? others : [leader, ...others], seat };
}

// The watch inside the group: a member that holds an office has watchers, which declare it dead when it is silent.

export const isWatchTimer = (timer: string): timer is watch.WatchTimer => timer.startsWith("watch/");

class WatchCompany extends GroupCompany implements watch.WatchCompany {
  readonly profile: WatchProfile;

  constructor(turn: Turn) {
    super(turn);
    this.profile = WATCH_PROFILES[turn.state.params.profile];
  }

  send(port: Port, message: WatchMessage): void {
    this.ctx.send(port, message);
  }

  arm(timer: watch.WatchTimer, after: number): void {
    this.ctx.arm(timer, after);
  }

  deadline(timer: watch.WatchTimer, after: number): void {
    this.ctx.deadline(timer, after);
  }

  disarm(timer: watch.WatchTimer): void {
    this.ctx.disarm(timer);
  }
}

/** This member has won an office: from now on it is watched. The result goes into its claim, and invites its watchers. */
export function beWatched(turn: Turn): Invitation | null {
  const { state } = turn;
  if (!state.params.watch) return null;
  watch.hold(state.watch, new WatchCompany(turn));
  return watch.invitation(state.watch);
}

export function hearInvitation(turn: Turn, value: unknown): void {
  if (turn.state.params.watch) watch.invited(turn.state.watch, value, new WatchCompany(turn));
}

export function hearPulse(turn: Turn, port: Port, message: WatchMessage): void {
  if (turn.state.params.watch) watch.receive(turn.state.watch, port, message, new WatchCompany(turn));
}

export function tickWatch(turn: Turn, timer: watch.WatchTimer): void {
  watch.expire(turn.state.watch, timer, new WatchCompany(turn));
}

/** A message of any kind has come from this life of a member. */
export function heardOf(turn: Turn, life: number | undefined): void {
  const { state } = turn;
  if (life !== undefined && state.watch.doubts.size > 0) watch.heard(state.watch, life, new WatchCompany(turn));
}

export const stopWatching = (turn: Turn): void => watch.leave(turn.state.watch, new WatchCompany(turn));

/** This member holds nothing any more: it needs no watchers. */
export function releaseWatchers(turn: Turn): void {
  if (turn.state.watch.centre !== null) watch.release(turn.state.watch, new WatchCompany(turn));
}

/** For a holder: whether its live watchers have been silent for `silence` ms. `still`: it was before, and only a heard watcher ends that. */
export function isCutOff(turn: Turn, silence: number, still: boolean): boolean {
  const { watch: state, params } = turn.state;
  const profile = WATCH_PROFILES[params.profile];
  const { tick, exchange, patience } = profile;
  // Watchers answer once an exchange, and are asked again if an answer is lost. A shorter silence says nothing.
  const exchanged = exchange + patience * beatOf(profile, state.centre?.seats.size ?? 0);
  const ticks = Math.max(Math.ceil(silence / tick), exchanged);
  return still ? (state.centre?.alone ?? 0) >= ticks : watch.isolated(state, ticks, new WatchCompany(turn));
}
