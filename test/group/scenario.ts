/** One run of a group in full, drawn from a seed: who, which offices, what goes wrong and until when. */

import type { Policy, ProfileName } from "../../src/elector/params.ts";
import { statedTimes } from "../../src/elector/times.ts";
import type { FaultPlan } from "../../src/host/faults/faults.ts";
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
  /** Faults beside those that are drawn. */
  readonly faults?: Partial<FaultPlan> | undefined;
  /** Strict mode; what is missing in it is drawn. */
  readonly lease?: LeaseWanted | undefined;
}

/** Those whose addresses everybody knows: the last of them goes for good only where it is struck as it starts again at the very end. */
export const seedsAmong = (members: number): number[] => [...new Set([0, 1, members - 1])].slice(0, members);

const MINUTE = 60_000;
/** With leases it takes longer until all is well again: the first act, and so long after the stated time. */
const FAULTY = 25_000;
const REST = 5000;

/** Of lists, all that is in either. */
function both(drawn: FaultPlan, more: Partial<FaultPlan>): FaultPlan {
  const joined = Object.entries(more).map(([name, value]) => {
    const before = drawn[name as keyof FaultPlan];
    return [name, Array.isArray(before) ? [...before, ...(value as unknown[])] : value];
  });
  return { ...drawn, ...Object.fromEntries(joined) };
}

export function scenarioOf(seed: number, mix: string, wanted: Wanted = {}): Scenario {
  const draws = new HostStream(seed, 1, "plan");
  const drawn = {
    policy: draws.coin(0.3) ? "majority" : "available",
    offices: draws.coin(0.25) ? ["leader", "reports", "shard-1"] : ["leader"],
    discord: draws.coin(0.2),
  } as const;
  const { members = 5, profile = "lan" } = wanted;
  const { policy = drawn.policy, offices = drawn.offices, discord = drawn.discord } = wanted;
  const lease = wanted.lease === undefined ? null : drawLease(new HostStream(seed, 2, "plan"), wanted.lease);
  const rest = statedTimes(profile, members, lease?.ttl).settle + REST;
  const { healed = wanted.until === undefined && lease !== null ? FAULTY : (wanted.until ?? MINUTE) / 2 } = wanted;
  const { until = lease === null ? MINUTE : healed + rest } = wanted;
  const drawnPlan = drawPlan(seed, mixNamed(mix, lease !== null), { members, healed, offices, lease });
  const plan =
    wanted.faults === undefined ? drawnPlan : { ...drawnPlan, faults: both(drawnPlan.faults, wanted.faults) };
  return { seed, mix, members, policy, offices, profile, discord, lease, until, plan };
}
