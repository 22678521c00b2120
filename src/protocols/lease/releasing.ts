/** How a lease client sends requests, tells its parent what has changed, and releases leases. */
import type { LeaseAnswer, LeaseId, LeaseRequest, Token } from "./messages.ts";
import { askTimer, drop, holdingOf, newAsking } from "./session.ts";
import type { Holding, LeaseContext, LeaseState, Release } from "./state.ts";

type Unnumbered<R> = R extends unknown ? Omit<R, "id" | "life"> : never;

export const enginePort = ({ params: { engine } }: LeaseState, ctx: Pick<LeaseContext, "link">): number =>
  typeof engine === "number" ? engine : ctx.link(engine);

/** Sends a request under a new number, and returns the number. */
export function sendRequest(state: LeaseState, asked: Unnumbered<LeaseRequest>, ctx: LeaseContext): number {
  const id = ++state.requests;
  ctx.send(enginePort(state, ctx), { ...asked, id, life: state.life } as LeaseRequest);
  return id;
}

export function raiseFloor({ floors }: LeaseState, seat: string, token: Token): void {
  if (token > (floors.get(seat) ?? 0)) floors.set(seat, token);
}

export function notAnswered(state: LeaseState, why: string): void {
  if (state.engine === "silent" && state.silence === why) return;
  state.engine = "silent";
  state.silence = why;
  state.news.push({ what: "silent", why });
}

export function timedOut(state: LeaseState): void {
  // If the engine has reported a failure itself, its words say more.
  if (state.engine !== "silent") notAnswered(state, `no answer within ${Math.round(state.params.requestTimeout)} ms`);
}

export function engineAnswered(state: LeaseState): void {
  if (state.engine === "silent") state.news.push({ what: "answering" });
  state.engine = "answers";
  state.silence = null;
}

// Releases, repeated until they are answered or the lease would have run out.

export const RELEASE_TIMER = "release";

/** Releases a lease without work, or whose work has ended. */
export function releaseHeld(state: LeaseState, seat: string, holding: Holding, ctx: LeaseContext): void {
  const { preemptible, lease, token, heir } = holding;
  drop(state, seat, holding, ctx);
  state.seats.set(seat, { status: "releasing", preemptible, lease, token, again: false });
  begin(state, lease, { seat, token, heir, tries: 0 }, ctx);
}

/**
 * The engine has a lease of this life. If the client neither holds it nor waits for it, the lease is released, so that its seat becomes
 * free; unless its work has not ended yet.
 */
export function releaseStray(state: LeaseState, seat: string, lease: LeaseId, token: Token, ctx: LeaseContext): void {
  const asking = state.seats.get(seat);
  if (holdingOf(state, seat, lease) !== null || state.releases.has(lease)) return;
  if (asking?.status === "asking" && asking.attempt?.lease === lease) return;
  if (state.unsettled.get(seat)?.lease === lease) return;
  begin(state, lease, { seat, token, heir: null, tries: 0 }, ctx);
}

function begin(state: LeaseState, lease: LeaseId, release: Release, ctx: LeaseContext): void {
  if (state.releases.size === 0) armAgain(state, ctx);
  state.releases.set(lease, release);
  say(state, lease, release, ctx);
}

const armAgain = ({ params }: LeaseState, ctx: LeaseContext): void => ctx.arm(RELEASE_TIMER, params.requestTimeout);

function say(state: LeaseState, lease: LeaseId, release: Release, ctx: LeaseContext): void {
  const { seat, token, heir } = release;
  const reserve = heir === null ? null : { name: heir, ms: state.params.ttl };
  release.tries++;
  sendRequest(state, { kind: "release", seat, lease, token, reserve }, ctx);
}

export function releaseOn(state: LeaseState, ctx: LeaseContext): void {
  const { ttl, requestTimeout } = state.params;
  for (const [lease, release] of state.releases) {
    if (release.tries * requestTimeout < ttl) say(state, lease, release, ctx);
    else end(state, lease, false, ctx);
  }
  if (state.releases.size > 0) armAgain(state, ctx);
}

export function released(
  state: LeaseState,
  { lease }: Extract<LeaseAnswer, { kind: "released" }>,
  ctx: LeaseContext,
): void {
  if (!state.releases.has(lease)) return;
  end(state, lease, true, ctx);
  if (state.releases.size === 0) ctx.disarm(RELEASE_TIMER);
}

/** A release is over. It is news if this member held the lease, not if the lease was never wanted. */
function end(state: LeaseState, lease: LeaseId, answered: boolean, ctx: LeaseContext): void {
  const { seat, token } = state.releases.get(lease)!;
  state.releases.delete(lease);
  const it = state.seats.get(seat);
  if (it?.status === "asking") {
    // The seat was denied because of this client's own former lease.
    if (it.holder?.lease === lease && it.attempt === null) ctx.arm(askTimer(seat), 0);
  } else if (it?.status === "releasing" && it.lease === lease) {
    state.seats.delete(seat);
    state.news.push({ what: "freed", seat, token, answered });
    if (!it.again) return;
    state.seats.set(seat, newAsking(it.preemptible));
    ctx.arm(askTimer(seat), 0);
  }
}
