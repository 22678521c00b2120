/** Whether others use the machine: what is measured beside them says nothing. Asked while nothing of ours runs. */
import { type CpuInfo, cpus } from "node:os";
import { setTimeout } from "node:timers/promises";

type Times = readonly Pick<CpuInfo, "times">[];

/** Milliseconds of a look. */
const LOOK = 2000;
/** A minute: what others do for a moment is waited for. */
const MOST_LOOKS = 30;
/** Of one core, by all others together. */
const MOST_BUSY = 0.1;

const total = (all: Times, of: (times: CpuInfo["times"]) => number) =>
  all.reduce((sum, { times }) => sum + of(times), 0);
const worked = (all: Times) => total(all, ({ user, nice, sys, irq }) => user + nice + sys + irq);
const passed = (all: Times) => worked(all) + total(all, ({ idle }) => idle);

/** How many cores were busy on average between two looks at their times. */
export function busyCores(before: Times, after: Times): number {
  return ((worked(after) - worked(before)) / (passed(after) - passed(before))) * after.length;
}

/** Why nothing measured now counts; null where the machine is quiet at one of so many looks. */
export async function noise(looks = MOST_LOOKS): Promise<string | null> {
  const before = cpus();
  await setTimeout(LOOK);
  const busy = busyCores(before, cpus());
  if (busy <= MOST_BUSY) return null;
  return looks > 1 ? noise(looks - 1) : `others use ${busy.toFixed(2)} cores (at most ${MOST_BUSY} is quiet)`;
}
