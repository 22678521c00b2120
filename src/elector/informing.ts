/** Tells others what this member knows of offices. */
import type { KnownMember } from "../protocols/membership/records.ts";
import { MANY, say, sayTo } from "./speaking.ts";
import type { Office, Turn } from "./state.ts";

/** The sender of a message knows less of the office than this member. */
export function inform(turn: Turn, { name: office, term, claim, applicant }: Office, sender: KnownMember | null): void {
  if (sender === null) return;
  if (claim !== null) say(turn, sender, { kind: "claim", claim, passes: 0 });
  if (applicant !== null) say(turn, sender, { kind: "claim", claim: applicant, passes: 0 });
  else if (claim === null || claim.term < term) say(turn, sender, { kind: "term", office, term });
}

/**
 * Somebody has come whom this holder had not met, or had taken for dead: it may come from the other side of a partition, which
 * has a holder of its own. Comparisons of all that is known would show that too, but later.
 */
export function introduce(turn: Turn, name: string): void {
  const { led, applications, offices } = turn.state;
  if (led.size + applications.size > MANY) return;
  for (const { claim } of [...Array.from(led, (office) => offices.get(office)!), ...applications.values()]) {
    if (claim !== null) sayTo(turn, name, { kind: "claim", claim, passes: 0 });
  }
}
