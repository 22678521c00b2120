/** Pings and their answers, and the gossip that both carry. */
import type { MembershipMessage } from "./messages.ts";
import { type KnownMember, type MemberRecord, toEntry } from "./records.ts";
import { withRumours } from "./rumours.ts";
import { ownRecord } from "./self.ts";
import type { MembershipContext, MembershipState, PingPurpose } from "./state.ts";
import { ofLife } from "./view.ts";

type Ping = Extract<MembershipMessage, { kind: "ping" }>;
type Target = Pick<KnownMember, "name" | "life" | "address">;

/** Suspects are told no rumours: most are dead, and each rumour is told only so often. A failed member that is back needs them. */
export function sendPing(state: MembershipState, target: Target, ctx: MembershipContext): number {
  const seq = ++state.seq;
  const { life: from } = state;
  const ping: Ping = { kind: "ping", seq, to: target.life, from, ...beliefAbout(state, target.name) };
  const isSuspect = state.members.get(target.name)?.status === "suspect";
  ctx.send(ctx.link(target.address), isSuspect ? ping : withRumours(state, ping));
  return seq;
}

/** A ping in addition to the period's probe. */
export function pingFor(
  state: MembershipState,
  why: Extract<PingPurpose, { name: string }>["why"],
  target: Target,
  ctx: MembershipContext,
): void {
  expectAnswer(state, sendPing(state, target, ctx), {
    why,
    name: target.name,
    life: target.life,
    due: state.now + 2 * state.profile.timeout,
  });
}

export function expectAnswer(state: MembershipState, seq: number, asked: PingPurpose): void {
  state.asked.set(seq, asked);
  state.askedDue = Math.min(state.askedDue, asked.due);
}

/** What this member believes of another, if that is not "alive": the other one can refute it at once. */
function beliefAbout(state: MembershipState, name: string): { about?: MemberRecord } {
  const known = state.members.get(name);
  return known === undefined || known.status === "alive" || name === state.name ? {} : { about: toEntry(known) };
}

export function answerPing(state: MembershipState, port: number, message: Ping, ctx: MembershipContext): void {
  const { seq, to, from, about } = message;
  const isMember = state.phase === "member";
  const asker = ofLife(state, from)?.name;
  const isMisled = to !== state.life || about !== undefined;
  ctx.send(
    port,
    withRumours(state, {
      kind: "ack",
      seq,
      from: state.life,
      ...(isMember && isMisled ? { me: toEntry(ownRecord(state)) } : {}),
      ...(asker === undefined ? { who: true } : beliefAbout(state, asker)),
    }),
  );
}
