/** How messages of the elector leave: each names the life of its sender and that of its receiver. */

import { live, memberNamed, portTo, sampleLive } from "../protocols/membership/parent.ts";
import type { KnownMember } from "../protocols/membership/records.ts";

import { ln } from "../random/ln.ts";
import type { Claim, ElectorMessage } from "./messages.ts";
import type { Turn } from "./state.ts";

type Unsigned<M> = M extends unknown ? Omit<M, "from" | "to"> : never;
type Word = Unsigned<ElectorMessage>;

/** Groups up to this size are told by one message to each; in larger ones each who hears it tells a few. */
const DIRECT = 64;

/**
 * A member that gives up more offices than this at once tells only those who should follow; the others hear of it by gossip, or that
 * it left.
 */
export const MANY = 16;

export function say({ state, ctx }: Turn, to: KnownMember, word: Word): void {
  const port = portTo(state.members, to.name, ctx);
  if (port !== null) ctx.send(port, { ...word, from: state.life, to: to.life } as ElectorMessage);
}

export function sayTo(turn: Turn, name: string, word: Word): void {
  const member = memberNamed(turn.state.members, name);
  if (member !== undefined && name !== turn.state.name) say(turn, member, word);
}

/** To all live members but this one. */
export function sayToAll(turn: Turn, word: Word): void {
  for (const member of live(turn.state.members)) if (member.name !== turn.state.name) say(turn, member, word);
}

/** To everybody, directly or by pushes; what gets lost on the way is repaired by the note under the office's name. */
export function spreadClaim(turn: Turn, claim: Claim): void {
  const { members } = turn.state;
  const n = live(members).length;
  if (n <= DIRECT) sayToAll(turn, { kind: "claim", claim, passes: 0 });
  else push(turn, claim);
}

/** Infect and die: whoever hears it for the first time does the same. */
export function push(turn: Turn, claim: Claim): void {
  const { members } = turn.state;
  const fan = Math.ceil(ln(live(members).length)) + 4;
  for (const member of sampleLive(members, fan, turn.ctx)) say(turn, member, { kind: "claim", claim, passes: 1 });
}
