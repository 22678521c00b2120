/**
 * Looking for those who are not in the view: members that are said to live again, which count once they have answered; members
 * that failed, in case a partition has healed; and seeds that nobody in the view is, in case the group is two.
 */
import { sample } from "../../random/subsets.ts";
import { compareWith } from "./compare.ts";
import { admitRecord } from "./hear.ts";
import { pingFor } from "./pings.ts";
import type { KnownMember } from "./records.ts";
import type { MembershipContext, MembershipState } from "./state.ts";

/** How often a resurrected member is asked; if it does not answer, the claim has to be heard again. */
const PROOF_TRIES = 4;

/** Asks those of whom it is said that they live after all. */
export function claimsOn(state: MembershipState, ctx: MembershipContext): void {
  if (state.claims.size === 0) return;
  let left = state.profile.proofs;
  for (const [name, claim] of state.claims) {
    if (claim.due > state.now) continue;
    if (claim.tries >= PROOF_TRIES) {
      state.claims.delete(name);
      continue;
    }
    if (left-- === 0) return;
    claim.tries++;
    claim.due = state.now + 2 * state.profile.timeout;
    // Behind those who have not had their turn.
    state.claims.delete(name);
    state.claims.set(name, claim);
    pingFor(state, "proof", claim.member, ctx);
  }
}

/** A member has answered itself, in this life. */
export function proofGiven(state: MembershipState, name: string, life: number, ctx: MembershipContext): void {
  const claim = state.claims.get(name);
  if (claim !== undefined && claim.member.life === life) admitRecord(state, claim.member, [], ctx);
}

/** Most are dead for good where any is; the one that is not should be found soon. */
const SEEDS_AT_ONCE = 3;

export function seekOn(state: MembershipState, ctx: MembershipContext): void {
  const { profile, now, live } = state;
  if (now < state.seekAt) return;
  state.seekAt = now + (profile.seekEvery >> 1) + ctx.choose(profile.seekEvery);
  if (live.length > profile.seekers && !ctx.coin(profile.seekers / live.length)) return;
  const lost = seedsOutside(state);
  const asked = sample((n) => ctx.choose(n), Math.min(SEEDS_AT_ONCE, lost.length), lost.length);
  for (const i of asked) compareWith(state, ctx.link(lost[i]), ctx);
  const dead = someFailed(state, ctx);
  if (dead !== null) pingFor(state, "seek", dead, ctx);
}

function seedsOutside({ seeds, live, address }: MembershipState): string[] {
  if (seeds.length === 0) return [];
  const inside = new Set(live.map((member) => member.address));
  return seeds.filter((seed) => seed !== address && !inside.has(seed));
}

/** Those who left have no wish to be found. */
function someFailed({ buried, members }: MembershipState, ctx: MembershipContext): KnownMember | null {
  if (buried.size === 0) return null;
  const failed = [...buried.keys()].map((name) => members.get(name)!).filter(({ status }) => status === "failed");
  return failed.length === 0 ? null : failed[ctx.choose(failed.length)];
}
