import type { GroupState } from "../../../src/elector/state.ts";
import type { Claim } from "../../../src/elector/talk/messages.ts";
import { claimIn } from "../../../src/elector/talk/speaking.ts";
import { type Bug, hearing, withoutSome } from "./bug.ts";

/** Takes what it knows of the office back to the term of the claim, which then looks like news. */
function goBackTo(state: GroupState, claim: Claim): void {
  const office = state.offices.get(claim.office);
  if (office === undefined || claim.holder === null || claim.term >= office.term) return;
  office.term = claim.term;
  office.claim = null;
  state.members.notes.delete(`office/${claim.office}`);
}

export const staleTerm: Bug = {
  name: "stale-term",
  mistake: "a claim of an earlier term is accepted, as where the term of a message is not compared before it is used",
  mix: "partitions",
  runs: 20,
  breaks: ["terms-grow"],
  plant: (machine) =>
    hearing(machine, (state, message) => {
      if ("kind" in message && message.kind === "claim") goBackTo(state, message.claim);
      return withoutSome(message, {
        note([key, term, number, value]) {
          const claim = claimIn(key, [term, number], value);
          if (claim !== null) goBackTo(state, claim);
          return true;
        },
      });
    }),
};
