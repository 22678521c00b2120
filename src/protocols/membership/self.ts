/**
 * Records of this member's own name. A wrong record of this life is refuted by a larger incarnation. Another life is a former one of this
 * member, or another process with the same name, which is then asked whether it lives.
 */
import { isLiveStatus, isNewer, type KnownMember } from "./records.ts";
import { gossip, isToldOn, tellOfMember } from "./rumours.ts";
import type { MembershipContext, MembershipState } from "./state.ts";
import { store } from "./view.ts";

export const ownRecord = ({ members, name }: MembershipState): KnownMember => members.get(name)!;

export function hearOfOwnName(state: MembershipState, said: KnownMember, ctx: MembershipContext): void {
  if (said.life !== state.life) hearOfNamesake(state, said, ctx);
  else if (state.phase === "joining" && isLiveStatus(said.status)) state.isAdmitted = true;
  else if (state.phase === "member") {
    // Also if it is refuted already: the sender has not heard the refutation, so it is told again.
    if (!isLiveStatus(said.status)) {
      state.isOutcast = true;
      state.outcastAt = state.now;
      if (!isToldOn(state, state.name)) tellOfMember(state, state.name);
    }
    if (!isNewer(said, ownRecord(state))) return;
    // A live member that is suspected may be slow itself.
    if (said.status !== "alive") worsen(state);
    rise(state, said.incarnation, ctx);
  }
}

/** Raises the incarnation and tells at once that this member lives. */
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

/** Whether another process may live under this member's name, which has to be asked. */
export const hasRival = ({ former, address, members, name }: MembershipState): boolean => {
  if (former === null || former.address === address || !isLiveStatus(former.status)) return false;
  const own = members.get(name);
  return own === undefined || isNewer(former, own);
};

/** The other process of this name has answered, so this process is not a member. */
export function giveWay(state: MembershipState): void {
  state.phase = "refused";
  state.refusal = `the name "${state.name}" is taken by a live process at ${state.former!.address}: choose another name`;
}
