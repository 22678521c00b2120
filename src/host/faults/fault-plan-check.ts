/** Whether a plan of faults makes sense: checked before anything runs. */
import { InputError } from "../../errors.ts";
import { readPlan } from "./fault-file.ts";
import type { FaultPlan } from "./faults.ts";

/** A plan for the nodes 0 .. nodes-1, with the defaults of what it leaves out. */
export function checkFaultPlan(given: FaultPlan, nodes: number, host: "lockstep" | "events"): FaultPlan {
  const plan = readPlan(given, "faults");
  if (host === "lockstep") refuseInRounds(plan);
  const { drift = 0 } = plan;
  if (drift === 1) throw new InputError(`drift must be a share from 0 to below 1, not ${drift}`);
  const outside = named(plan).find((node) => node >= nodes);
  if (outside !== undefined) {
    throw new InputError(`the fault plan names node ${outside}, but nodes are 0 to ${nodes - 1}`);
  }
  return plan;
}

/** Every node that a plan names. */
function named(plan: FaultPlan): number[] {
  const { restarts = [], joins = [], leaves = [], commands = [], clocks = [] } = plan;
  const links = [...plan.losses, ...(plan.duplicates ?? []), ...(plan.spikes ?? [])];
  return [
    ...links.flatMap(({ link }) => link ?? []),
    ...[plan.crashes, plan.pauses, restarts, joins, leaves, commands, clocks].flat().map(({ node }) => node),
    ...plan.partitions.flatMap(({ groups }) => groups.flat()),
  ];
}

/** In rounds every message takes one, and all clocks are the round's. */
export function refuseInRounds({ reorder = 0, drift = 0, spikes = [], clocks = [] }: FaultPlan): void {
  const meaningless = Object.entries({ reorder, drift, spikes: spikes.length, clocks: clocks.length });
  const [name] = meaningless.find(([, size]) => size > 0) ?? [];
  if (name === undefined) return;
  throw new InputError((field) => {
    // Lists stand in a plan only; the others can be set by themselves.
    const called = name in { reorder, drift } ? field(name) : `"${name}" in a fault plan`;
    return `${called} means nothing in rounds, which all messages and clocks keep: set ${field("host")} to events`;
  });
}
