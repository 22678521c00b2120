/**
 * On a store without a clock a lease is taken over once its row stood unchanged for long enough on the clock of the member that takes
 * it. A holder tells those who come first after it of every extension of its session. So they count from what they heard last, and not
 * from when they first ask the store.
 */
import type { Extension } from "../../protocols/lease/messages.ts";
import * as leases from "../../protocols/lease/parent.ts";
import type { KnownMember } from "../../protocols/membership/records.ts";
import { firstInLine } from "../standing.ts";
import type { Turn } from "../state.ts";
import { say } from "../talk/speaking.ts";
import { toEngine } from "./claims.ts";

/** A holder of many offices has many who come first after it. */
const MOST_TOLD = 16;

/** At the end of a handler: who comes first depends on what this member holds by then. */
export function tellExtension(turn: Turn): void {
  const { state } = turn;
  const { extension, led, offices, name } = state;
  if (extension === null) return;
  state.extension = null;
  const told = new Map<string, KnownMember>();
  for (const office of led) {
    const { term } = offices.get(office)!;
    for (const member of firstInLine(turn, offices.get(office)!, term + 1)) told.set(member.name, member);
    if (told.size >= MOST_TOLD) break;
  }
  told.delete(name);
  const { session, count, at } = extension;
  for (const member of told.values()) say(turn, member, { kind: "extended", session, count, at });
}

/** Only the holder itself may say so, in its present life: what it said in an earlier one is of another session. */
export function hearExtension(turn: Turn, { name, life }: KnownMember, said: Extension): void {
  const { lease } = turn.state;
  if (lease !== null && leases.isSessionOf(said.session, name, life)) {
    leases.noteExtension(lease, said, toEngine(turn.ctx));
  }
}
