/** What the watch has found changes facts: a holder is dead, or one that was declared dead is there. */

import { declareFailed, memberNamed } from "../../protocols/membership/parent.ts";
import { membershipContext } from "../members.ts";
import { type Turn, touch } from "../state.ts";
import type { Claim } from "../talk/messages.ts";
import { inform } from "../talk/speaking.ts";
import { follow } from "../view.ts";
import { takeDeclared, takeReturned } from "../watch/watch.ts";

export function followWatch(turn: Turn): void {
  for (const { name, life } of takeDeclared(turn.state.watch)) bury(turn, name, life);
  for (const { name } of takeReturned(turn.state.watch)) welcome(turn, name);
}

/** The group is told, and those who come first are asked to stand, since they may not know yet. */
function bury(turn: Turn, name: string, life: number): void {
  const { state, ctx } = turn;
  declareFailed(state.members, name, life, membershipContext(ctx));
  follow(turn);
  for (const office of state.offices.values()) {
    if (!isHeldBy(office.claim, name, life) && !isHeldBy(office.applicant, name, life)) continue;
    office.needsCandidates = true;
    touch(turn, office);
  }
}

const isHeldBy = (claim: Claim | null, name: string, life: number): boolean =>
  claim?.holder === name && claim.life === life;

/** It is told who leads now where it did. */
function welcome(turn: Turn, name: string): void {
  const member = memberNamed(turn.state.members, name);
  if (member === undefined) return;
  for (const office of turn.state.offices.values()) if (office.former?.name === name) inform(turn, office, member);
}
