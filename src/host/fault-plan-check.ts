/** Whether a plan of faults makes sense: checked before anything runs. */
import { InputError } from "../errors.ts";
import { probability, readAs } from "../values.ts";
import { readPlan } from "./fault-file.ts";
import type { FaultPlan } from "./faults.ts";

/** A plan for the nodes 0 .. nodes-1. */
export function checkFaultPlan(plan: FaultPlan, nodes: number, host: "lockstep" | "events"): FaultPlan {
  readPlan(plan, "faults");
  if (host === "lockstep") refuseInRounds(plan);
  const { loss, multicastLoss, crash, duplicate = 0, reorder = 0, drift = 0 } = plan;
  for (const [name, p] of Object.entries({ loss, multicastLoss, crash, duplicate, reorder })) {
    readAs(probability, p, name);
  }
  if (!(drift >= 0 && drift < 1)) throw new InputError(`drift must be a share from 0 to below 1, not ${drift}`);
  const { losses, duplicates = [], spikes = [], clocks = [] } = plan;
  for (const [name, chances] of Object.entries({ losses, duplicates, spikes })) {
    for (const { rate } of chances) readAs(probability, rate, `${name}: rate`);
  }
  const speed = clocks.map(({ rate }) => rate).find((rate) => !(rate > 0 && rate < Infinity));
  if (speed !== undefined) throw new InputError(`clocks: rate must be above 0, not ${speed}`);
  const outside = named(plan).find((node) => !(Number.isSafeInteger(node) && node >= 0 && node < nodes));
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
