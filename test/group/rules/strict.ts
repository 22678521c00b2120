/** Everything that must hold in a run of a group in strict mode: what holds in every group, and what leases promise. */
import type { MakeRule } from "../watch.ts";
import { RULES } from "./all.ts";
import { followersAreSilent, restsAtRest } from "./engine-load.ts";
import { neverOld, theNewestWrites } from "./guarded.ts";
import { dropsWhatIsGone, endsInTime, renewalsAreTrue } from "./leases.ts";
import { oneHolderPerToken, tokensGrow } from "./tokens.ts";
import { settledFirst } from "./work.ts";

export const LEASE_RULES: readonly MakeRule[] = [
  oneHolderPerToken,
  tokensGrow,
  endsInTime,
  renewalsAreTrue,
  dropsWhatIsGone,
  neverOld,
  theNewestWrites,
  settledFirst,
  followersAreSilent,
  restsAtRest,
];

export const STRICT_RULES: readonly MakeRule[] = [...LEASE_RULES, ...RULES];
