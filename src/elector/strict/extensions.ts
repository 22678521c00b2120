/**
 * Extensions of sessions on a store without a clock. There, a member may take a lease whose row has not changed for long enough by the
 * member's own clock. A holder tells the first in line after it about every extension of its session. So they count from the extension
 * that they heard last, and not from the time when they first ask the store.
 */
import type { Extension } from "../../protocols/lease/messages.ts";
import * as leases from "../../protocols/lease/parent.ts";
import type { KnownMember } from "../../protocols/membership/records.ts";
import { firstInLine } from "../standing.ts";
import type { Turn } from "../state.ts";
import { say } from "../talk/speaking.ts";
import { toEngine } from "./claims.ts";

/** A holder of many offices has many members first in line after it; it tells at most this many. */
const MOST_TOLD = 16;

/** Runs at the end of a handler, because the first in line depend on what this member holds by then. */
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

/** Only the holder itself may say so, in its present life: an earlier life had another session. */
export function hearExtension(turn: Turn, { name, life }: KnownMember, said: Extension): void {
  const { lease } = turn.state;
  if (lease !== null && leases.isSessionOf(said.session, name, life)) {
    leases.noteExtension(lease, said, toEngine(turn.ctx));
  }
}
