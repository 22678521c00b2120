import type { GroupState } from "../../../src/elector/state.ts";
import type { Claim } from "../../../src/elector/talk/messages.ts";
import { claimIn } from "../../../src/elector/talk/speaking.ts";
import { type Bug, hearing, withoutSome } from "./bug.ts";

/** Of the term that this member knows a holder of, by another one; or that the term is void because of that. */
function isRival(state: GroupState, claim: Claim): boolean {
  const known = state.offices.get(claim.office)?.claim;
  return known != null && known.term === claim.term && (known.life !== claim.life || claim.number >= 2 ** 31);
}

export const twoWinners: Bug = {
  name: "two-winners",
  mistake: "of two winners of one term everybody keeps the one it heard of first, and nobody notices",
  mix: "partitions",
  wanted: { policy: "available" },
  runs: 30,
  breaks: ["conflicts-end", "settles"],
  plant: (machine) =>
    hearing(machine, (state, message) => {
      if ("kind" in message && message.kind === "claim") return isRival(state, message.claim) ? null : message;
      return withoutSome(message, {
        note([key, term, number, value]) {
          const claim = claimIn(key, [term, number], value);
          return claim === null || !isRival(state, claim);
        },
      });
    }),
};
