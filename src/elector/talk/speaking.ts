/** How messages of the elector leave (each names the life of its sender and that of its receiver), and telling others what this member knows. */

import { live, memberNamed, portTo, sampleLive } from "../../protocols/membership/parent.ts";
import type { KnownMember } from "../../protocols/membership/records.ts";

import { ln } from "../../random/ln.ts";
import type { Office, Turn } from "../state.ts";
import type { Claim, ElectorMessage } from "./messages.ts";

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

/** The sender of a message knows less of the office than this member. */
export function inform(turn: Turn, { name: office, term, claim, applicant }: Office, sender: KnownMember | null): void {
  if (sender === null) return;
  if (claim !== null) say(turn, sender, { kind: "claim", claim, passes: 0 });
  if (applicant !== null) say(turn, sender, { kind: "claim", claim: applicant, passes: 0 });
  else if (claim === null || claim.term < term) say(turn, sender, { kind: "term", office, term });
}

/**
 * Somebody has come whom this holder had not met, or had taken for dead: it may come from the other side of a partition, which
 * has a holder of its own. Comparisons of all that is known would show that too, but later.
 */
export function introduce(turn: Turn, name: string): void {
  const { led, applications, offices } = turn.state;
  if (led.size + applications.size > MANY) return;
  for (const { claim } of [...Array.from(led, (office) => offices.get(office)!), ...applications.values()]) {
    if (claim !== null) sayTo(turn, name, { kind: "claim", claim, passes: 0 });
  }
}
