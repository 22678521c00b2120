/** Suspicion: who finds whom silent, and how long the suspect has to answer (profile.ts has the formula). */
import { doubtFor } from "./profile.ts";
import type { KnownMember } from "./records.ts";
import { heardAgain, tellOfMember } from "./rumours.ts";
import type { MembershipContext, MembershipState, Suspicion } from "./state.ts";
import { memberSubject } from "./sums.ts";
import { store } from "./view.ts";

/** This member finds another one silent. */
export function accuse(state: MembershipState, name: string, ctx: MembershipContext): void {
  const known = state.members.get(name);
  if (known === undefined) return;
  if (known.status === "suspect") confirm(state, name, [state.life]);
  else if (known.status === "alive") {
    const said: KnownMember = { ...known, status: "suspect" };
    store(state, said, ctx);
    tellOfMember(state, name);
    doubt(state, said, [state.life]);
  }
}

export function doubt(state: MembershipState, { name, life }: KnownMember, accusers: readonly number[]): void {
  const by = accusers.slice(0, 1 + state.profile.confirmations);
  const suspicion: Suspicion = { since: state.now, by, due: 0, hasCalled: false };
  state.suspicions.set(name, suspicion);
  // One more who cannot confirm the others.
  for (const each of state.suspicions.values()) setDue(state, each);
  state.news.push({ what: "suspected", name, life });
}

/** More accusers make a suspicion shorter; so many are passed on, and no more. */
export function confirm(state: MembershipState, name: string, accusers: readonly number[]): void {
  const suspicion = state.suspicions.get(name);
  if (suspicion === undefined) return;
  const before = suspicion.by.length;
  for (const accuser of accusers) {
    if (suspicion.by.length > state.profile.confirmations) break;
    if (!suspicion.by.includes(accuser)) suspicion.by.push(accuser);
  }
  if (suspicion.by.length === before) heardAgain(state, memberSubject(name));
  else {
    setDue(state, suspicion);
    tellOfMember(state, name);
  }
}

function setDue(state: MembershipState, suspicion: Suspicion): void {
  // The last call is waited for.
  if (suspicion.hasCalled) return;
  const confirmed = Math.max(0, suspicion.by.length - 1);
  // Where many are silent at once, few are left who could confirm it.
  const able = state.live.length - (state.suspicions.size - 1);
  suspicion.due = suspicion.since + doubtFor(state.profile, able, confirmed);
  state.doubtDue = Math.min(state.doubtDue, suspicion.due - state.profile.timeout);
}
