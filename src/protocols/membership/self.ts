/**
 * What others say of this member's own name. What is said of this life is refuted by a larger incarnation. What is said of
 * another life is of a former one, which is over, or of somebody who took the name: then that one is asked whether it lives.
 */
import { isLiveStatus, isNewer, type KnownMember } from "./records.ts";
import { gossip, tellOfMember } from "./rumours.ts";
import type { MembershipContext, MembershipState } from "./state.ts";
import { store } from "./view.ts";

export const ownRecord = ({ members, name }: MembershipState): KnownMember => members.get(name)!;

export function hearOfOwnName(state: MembershipState, said: KnownMember, ctx: MembershipContext): void {
  if (said.life !== state.life) hearOfNamesake(state, said, ctx);
  else if (state.phase === "joining" && isLiveStatus(said.status)) state.isAdmitted = true;
  else if (state.phase === "member") {
    // Also where that is refuted already: somebody has not heard it.
    if (!isLiveStatus(said.status)) {
      state.isOutcast = true;
      state.outcastAt = state.now;
    }
    if (!isNewer(said, ownRecord(state))) return;
    // A live member that is suspected may be slow itself.
    if (said.status !== "alive") worsen(state);
    rise(state, said.incarnation, ctx);
  }
}

/** Says in a larger incarnation that this member lives, at once. */
export function rise(state: MembershipState, above: number, ctx: MembershipContext): void {
  store(state, { ...ownRecord(state), incarnation: above + 1 }, ctx);
  tellOfMember(state, state.name);
  gossip(state, ctx);
}

export function worsen(state: MembershipState): void {
  state.health = Math.min(state.profile.health, state.health + 1);
}

export function recover(state: MembershipState): void {
  state.health = Math.max(0, state.health - 1);
}

function hearOfNamesake(state: MembershipState, said: KnownMember, ctx: MembershipContext): void {
  if (state.phase === "refused") return;
  if (state.former === null || isNewer(said, state.former)) {
    state.former = said;
    state.rivalTries = 0;
  }
  if (state.phase !== "member" || !isNewer(said, ownRecord(state))) return;
  // At this very address, or dead: a life of this member that is over.
  if (said.address === state.address || !isLiveStatus(said.status)) rise(state, said.incarnation, ctx);
}

/** Whether somebody else may live under this member's name, who has to be asked. */
export const hasRival = ({ former, address, members, name }: MembershipState): boolean => {
  if (former === null || former.address === address || !isLiveStatus(former.status)) return false;
  const own = members.get(name);
  return own === undefined || isNewer(former, own);
};

/** The namesake has answered: this process is the second of that name. */
export function giveWay(state: MembershipState): void {
  state.phase = "refused";
  state.refusal = `the name "${state.name}" is taken by a live process at ${state.former!.address}: choose another name`;
}
