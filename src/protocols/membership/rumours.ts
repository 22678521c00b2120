/**
 * Rumours: what has changed and is to be told. A rumour is only its subject; what is said is what is known when it leaves, so
 * no old news travels and a packet is never larger than the group's news. The least told come first, each is told so many
 * times, and no message is larger than a packet.
 */
import type { MembershipMessage } from "./messages.ts";
import { Packet, statement } from "./packets.ts";
import { transmissions } from "./profile.ts";
import type { Ctx, MembershipState } from "./state.ts";
import { memberSubject, noteSubject } from "./sums.ts";
import { sampleLive } from "./view.ts";

export const tellOfMember = (state: MembershipState, name: string): void => tell(state, memberSubject(name));
export const tellOfNote = (state: MembershipState, key: string): void => tell(state, noteSubject(key));

function tell({ untold }: MembershipState, subject: string): void {
  for (const level of untold) level.delete(subject);
  if (untold.length === 0) untold.push(new Map());
  untold[0].set(subject, true);
}

const hasRumours = ({ untold }: MembershipState): boolean => untold.length > 0;

/** A message with the next rumours that fit into it; the message itself where there are none. */
export function withRumours<M extends MembershipMessage>(state: MembershipState, message: M): M {
  if (!hasRumours(state)) return message;
  const { untold } = state;
  const packet = new Packet(state, message);
  const told: [string, number][] = [];
  for (let level = 0; level < untold.length; level++) {
    for (const subject of untold[level].keys()) {
      const said = statement(state, subject);
      if (said === null) untold[level].delete(subject);
      else if (packet.add(said)) told.push([subject, level]);
      else {
        // The next may be smaller, but then it would overtake this one for ever.
        level = untold.length;
        break;
      }
    }
  }
  const limit = transmissions(state.profile, state.live.length);
  for (const [subject, level] of told) {
    untold[level].delete(subject);
    if (level + 1 >= limit) continue;
    if (untold.length === level + 1) untold.push(new Map());
    untold[level + 1].set(subject, true);
  }
  while (untold.at(-1)?.size === 0) untold.pop();
  return { ...message, ...packet.gossip };
}

/** Tells a few random others what is new. */
export function gossip(state: MembershipState, ctx: Ctx): void {
  if (!hasRumours(state)) return;
  for (const member of sampleLive(state, state.profile.gossipTo, ctx)) {
    if (!hasRumours(state)) return;
    ctx.send(ctx.link(member.address), withRumours(state, { kind: "gossip", from: state.life }));
  }
}
