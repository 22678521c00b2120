/** How suspicions end. */
import { fail } from "./hear.ts";
import { packed } from "./packets.ts";
import { pingFor } from "./pings.ts";
import type { MembershipContext, MembershipState } from "./state.ts";
import { memberSubject } from "./sums.ts";
import { sampleLive } from "./view.ts";

/**
 * Ends the suspicions whose time has come. Shortly before, what is suspected is said once more: whoever knows better, the suspect
 * first of all, says so.
 */
export function settleSuspicions(state: MembershipState, ctx: MembershipContext): void {
  if (state.now < state.doubtDue || state.isOutcast) return;
  state.doubtDue = Infinity;
  const called: string[] = [];
  for (const [name, suspicion] of [...state.suspicions]) {
    const { due } = suspicion;
    if (due <= state.now && suspicion.hasCalled) {
      fail(state, name, ctx);
      continue;
    }
    if (due - state.profile.timeout <= state.now) {
      suspicion.hasCalled = true;
      suspicion.due = Math.max(due, state.now + state.profile.timeout);
      called.push(name);
    }
    state.doubtDue = Math.min(state.doubtDue, suspicion.hasCalled ? suspicion.due : due - state.profile.timeout);
  }
  if (called.length > 0) lastCall(state, called, ctx);
}

/** Asks the suspects themselves, and tells a few others, who answer where they know better (hear.ts). */
function lastCall(state: MembershipState, suspects: readonly string[], ctx: MembershipContext): void {
  for (const name of suspects) {
    const isOwn = state.suspicions.get(name)!.by.includes(state.life);
    if (isOwn) pingFor(state, "proof", state.members.get(name)!, ctx);
  }
  const head = { kind: "gossip", from: state.life } as const;
  const [{ gossip }] = packed(state, suspects.map(memberSubject), head, 1);
  for (const { address } of sampleLive(state, state.profile.gossipTo, ctx)) {
    ctx.send(ctx.link(address), { ...head, ...gossip });
  }
}
