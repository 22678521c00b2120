/**
 * What a parent that embeds membership asks of it: pure functions on its state. Lists that are handed out are membership's
 * own: read them in the same handler, and do not keep or change them.
 */
import type { Context, Port } from "../../protocol.ts";
import { fail } from "./hear.ts";
import { checkMeta } from "./membership.ts";
import type { KnownMember, Meta, Note } from "./records.ts";
import { isLiveStatus } from "./records.ts";
import { gossip, tellOfMember } from "./rumours.ts";
import type { MembershipContext, MembershipNews, MembershipState } from "./state.ts";
import { ofLife, store } from "./view.ts";

export { publish } from "./rumours.ts";
export { sampleLive } from "./view.ts";

/** Live members, this one included once it has joined; suspects are live. */
export const size = ({ live }: MembershipState): number => live.length;

/**
 * As `size`, without those of whom it is doubtful whether there is a way there and back: who are suspected, or did not answer
 * this member's latest probe; all others, where nobody has answered or asked it for so many ticks.
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

/** What is known of a name, dead or live. */
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
 * Whether this process is a member and knows the group: somebody has told it all, or nobody could for so long that it
 * goes on with what it has.
 */
export const hasJoined = ({ phase, hasCaughtUp }: MembershipState): boolean => phase === "member" && hasCaughtUp;

/** Why this process is no member, in words; null where it is one, or may become one. */
export const refusal = (state: MembershipState): string | null => state.refusal;

/** What the latest handler of membership changed, and calls of its functions since. */
export const membershipNews = (state: MembershipState): readonly MembershipNews[] => state.news;

/** The port that leads to a member; null where nobody of that name is known. */
export function portTo({ members }: MembershipState, name: string, ctx: Pick<Context<never>, "link">): Port | null {
  const member = members.get(name);
  return member === undefined ? null : ctx.link(member.address);
}

/** The watch has found a member dead. If that was wrong, the member refutes it as any suspicion, and is asked directly. */
export function declareFailed(state: MembershipState, name: string, life: number, ctx: MembershipContext): void {
  if (name === state.name || !isLive(state, name, life)) return;
  fail(state, name, ctx);
  gossip(state, ctx);
}

/** Changes what this member tells of itself. */
export function setMeta(state: MembershipState, meta: Meta, ctx: MembershipContext): void {
  checkMeta(meta);
  state.meta = meta;
  const own = self(state);
  if (own === undefined) return;
  store(state, { ...own, incarnation: own.incarnation + 1, meta }, ctx);
  tellOfMember(state, state.name);
}

/** A member that has failed or left, and for how many ticks that has been known here. */
export interface Departed {
  readonly member: KnownMember;
  readonly ticks: number;
}

/** The dead that are still remembered (a day, in all profiles), those first that have been dead for the longest. */
export const departed = ({ buried, members, now }: MembershipState): readonly Departed[] =>
  [...buried].map(([name, at]) => ({ member: members.get(name)!, ticks: now - at }));

/** The newest fact known under a key. */
export const note = ({ notes }: MembershipState, key: string): Note | undefined => notes.get(key);

/**
 * Direct probes lately of members that turned out to live, and how many were not answered directly in time: of those a loss q
 * of each message takes 1 - (1 - q)^2.
 */
export const lossSeen = ({ probes, lost }: MembershipState): { readonly probes: number; readonly lost: number } => ({
  probes,
  lost,
});
