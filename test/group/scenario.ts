/** One run of a group in full, drawn from a seed: who, which offices, what goes wrong and until when. */
import type { Policy, ProfileName } from "../../src/elector/params.ts";
import { HostStream } from "../../src/random/streams.ts";
import { mixNamed } from "./mixes.ts";
import { drawPlan, type Plan } from "./plan.ts";
import { drawLease, type Lease, type LeaseWanted } from "./strict/settings.ts";

export interface Scenario {
  readonly seed: number;
  readonly mix: string;
  readonly members: number;
  readonly policy: Policy;
  readonly offices: readonly string[];
  readonly profile: ProfileName;
  /** Members are configured differently, so that they would open elections with different parameters. */
  readonly discord: boolean;
  /** Strict mode, with an engine and a resource beside the members; null: probabilistic mode. */
  readonly lease: Lease | null;
  readonly plan: Plan;
  /** The horizon, milliseconds. */
  readonly until: number;
}

/** What is asked for instead of what the seed says. */
export interface Wanted {
  readonly members?: number | undefined;
  readonly policy?: Policy | undefined;
  readonly offices?: readonly string[] | undefined;
  readonly profile?: ProfileName | undefined;
  readonly discord?: boolean | undefined;
  readonly until?: number | undefined;
  readonly healed?: number | undefined;
  /** Strict mode; what is missing in it is drawn. */
  readonly lease?: LeaseWanted | undefined;
}

const MINUTE = 60_000;

export function scenarioOf(seed: number, mix: string, wanted: Wanted = {}): Scenario {
  const draws = new HostStream(seed, 1, "plan");
  const drawn = {
    policy: draws.coin(0.3) ? "majority" : "available",
    offices: draws.coin(0.25) ? ["leader", "reports", "shard-1"] : ["leader"],
    discord: draws.coin(0.2),
  } as const;
  const { members = 5, until = MINUTE } = wanted;
  const { healed = until / 2, profile = "lan" } = wanted;
  const { policy = drawn.policy, offices = drawn.offices, discord = drawn.discord } = wanted;
  const lease = wanted.lease === undefined ? null : drawLease(new HostStream(seed, 2, "plan"), wanted.lease);
  const plan = drawPlan(seed, mixNamed(mix, lease !== null), { members, healed, lease });
  return { seed, mix, members, policy, offices, profile, discord, lease, until, plan };
}
