/**
 * The functions of membership for a parent that embeds it; they read its state. The lists that they return belong to membership: read them
 * in the same handler, and do not keep or change them.
 */
import type { Context, Port } from "../../protocol.ts";
import { fail } from "./hear.ts";
import { checkMeta } from "./membership.ts";
import type { KnownMember, Meta, Note } from "./records.ts";
import { isLiveStatus } from "./records.ts";
import { gossip, tellOfMember } from "./rumours.ts";
import type { MembershipContext, MembershipNews, MembershipState } from "./state.ts";
import { ofLife, store } from "./view.ts";

export { isFilling } from "./compare.ts";
export { publish } from "./rumours.ts";
export { sampleLive } from "./view.ts";

/** Live members, this one included once it has joined; suspects are live. */
export const size = ({ live }: MembershipState): number => live.length;

/**
 * As `size`, without members that may be out of reach: those that are suspected, or have not answered this member's latest probe. If no
 * member has answered or asked this one for more than `patience` ticks, all others are left out.
 */
export function trusted({ live, suspicions, silent, metAt, now }: MembershipState, patience: number): number {
  if (now - metAt > patience) return Math.min(1, live.length);
  let doubtful = suspicions.size;
  for (const name of silent) if (!suspicions.has(name)) doubtful++;
  return live.length - doubtful;
}

/** The member's own clock, in ticks of its profile. */
export const ticks = ({ now }: MembershipState): number => now;

/** Live members in the order of their names (as JavaScript compares texts), this one included once it has joined. */
export const live = (state: MembershipState): readonly KnownMember[] => state.live;

/** The record of a name, dead or live. */
export const memberNamed = ({ members }: MembershipState, name: string): KnownMember | undefined => members.get(name);

/** The live member that has this life. */
export function memberOfLife(state: MembershipState, life: number): KnownMember | undefined {
  const member = ofLife(state, life);
  return member !== undefined && isLiveStatus(member.status) ? member : undefined;
}

export function isLive({ members }: MembershipState, name: string, life: number): boolean {
  const member = members.get(name);
  return member !== undefined && member.life === life && isLiveStatus(member.status);
}

/** This member as others know it; undefined before it has joined. */
const self = (state: MembershipState): KnownMember | undefined => state.members.get(state.name);

/**
 * Whether this process is a member and knows the group: another member has told it everything, or none could for so long that it goes on
 * with what it knows.
 */
export const hasJoined = ({ phase, hasCaughtUp }: MembershipState): boolean => phase === "member" && hasCaughtUp;

/** Whether others have said lately that they take this member for dead, and none of them has taken it back. */
export const isOutcast = (state: MembershipState): boolean => state.isOutcast;

/** Why this process is not a member, in words; null if it is one, or may become one. */
export const refusal = (state: MembershipState): string | null => state.refusal;

/** What the latest handler of membership changed, and calls of its functions since. */
export const membershipNews = (state: MembershipState): readonly MembershipNews[] => state.news;

/** The port to a member; null if the name is not known. */
export function portTo({ members }: MembershipState, name: string, ctx: Pick<Context<never>, "link">): Port | null {
  const member = members.get(name);
  return member === undefined ? null : ctx.link(member.address);
}

/** The watch has found a member dead. A member that lives refutes that like a suspicion, since it is asked directly. */
export function declareFailed(state: MembershipState, name: string, life: number, ctx: MembershipContext): void {
  if (name === state.name || !isLive(state, name, life)) return;
  fail(state, name, ctx);
  gossip(state, ctx);
}

/** Changes this member's meta data. */
export function setMeta(state: MembershipState, meta: Meta, ctx: MembershipContext): void {
  checkMeta(meta);
  state.meta = meta;
  const own = self(state);
  if (own === undefined) return;
  store(state, { ...own, incarnation: own.incarnation + 1, meta }, ctx);
  tellOfMember(state, state.name);
}

/** A member that has failed or left, and since how many ticks this member knows that. */
export interface Departed {
  readonly member: KnownMember;
  readonly ticks: number;
}

/** The dead members that are remembered (for a day, in all profiles), the longest dead first. */
export const departed = ({ buried, members, now }: MembershipState): readonly Departed[] =>
  [...buried].map(([name, at]) => ({ member: members.get(name)!, ticks: now - at }));

/** The newest fact known under a key. */
export const note = ({ notes }: MembershipState, key: string): Note | undefined => notes.get(key);

/**
 * The recent direct probes of members that turned out to live, and how many of them were not answered directly in time. With a loss of q
 * for each message, that is a share of 1 - (1 - q)^2.
 */
export const lossSeen = ({ probes, lost }: MembershipState): { readonly probes: number; readonly lost: number } => ({
  probes,
  lost,
});
