/**
 * Rumours: what has changed and is to be told. A rumour is only its subject; what is said is what is known when it leaves, so
 * no old news travels and a packet is never larger than the group's news. The least told come first, each is told so many
 * times, and no message is larger than a packet.
 */
import type { MembershipMessage } from "./messages.ts";
import { Packet, statement } from "./packets.ts";
import { transmissions } from "./profile.ts";
import type { MembershipContext, MembershipState } from "./state.ts";
import { memberSubject, noteSubject } from "./sums.ts";
import { sampleLive } from "./view.ts";

/** With more rumours than so many, one that comes back counts as told twice: others tell it too. */
const FLOOD = 32;

export const tellOfMember = (state: MembershipState, name: string): void => tell(state, memberSubject(name));
export const tellOfNote = (state: MembershipState, key: string): void => tell(state, noteSubject(key));

function tell({ rumours, levels }: MembershipState, subject: string): void {
  const before = rumours.get(subject);
  if (before !== undefined) levels[before].delete(subject);
  if (levels.length === 0) levels.push(new Set());
  levels[0].add(subject);
  rumours.set(subject, 0);
}

/** Somebody has told this member what it was about to tell itself. */
export function heardAgain(state: MembershipState, subject: string): void {
  if (state.rumours.size > FLOOD && state.rumours.has(subject)) advance(state, subject, 2);
}

/** Counts that a rumour was told. */
function advance(state: MembershipState, subject: string, times: number): void {
  const { rumours, levels } = state;
  const before = rumours.get(subject)!;
  const after = before + times;
  levels[before].delete(subject);
  if (after < transmissions(state.profile, state.live.length)) {
    rumours.set(subject, after);
    while (levels.length <= after) levels.push(new Set());
    levels[after].add(subject);
  } else rumours.delete(subject);
}

/** A message with the next rumours that fit into it, which is sent so many `times`; the message itself where there are none. */
export function withRumours<M extends MembershipMessage>(state: MembershipState, message: M, times = 1): M {
  if (state.rumours.size === 0) return message;
  const packet = new Packet(state, message);
  const told: string[] = [];
  for (const subject of leastTold(state)) {
    const said = statement(state, subject);
    // One that is too large keeps back those behind it, or they would overtake it for ever.
    if (said !== null && !packet.add(said)) break;
    told.push(subject);
  }
  for (const subject of told) advance(state, subject, times);
  return { ...message, ...packet.gossip };
}

function* leastTold({ levels }: MembershipState): Generator<string> {
  for (const level of levels) yield* level;
}

/** Tells a few random others what is new. */
export function gossip(state: MembershipState, ctx: MembershipContext): void {
  if (state.rumours.size === 0) return;
  const others = sampleLive(state, state.profile.gossipTo, ctx);
  if (others.length === 0) return;
  const message = withRumours(state, { kind: "gossip", from: state.life }, others.length);
  for (const { address } of others) ctx.send(ctx.link(address), message);
}
