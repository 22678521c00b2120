/** What goes wrong in a run: the plan is data (flags, or a file), the model answers the hosts' questions about it. */
import type { Source } from "../random/source.ts";

/** A probability of loss, everywhere or on one directed link, always or during [from, to). */
export interface Loss {
  readonly rate: number;
  readonly kind: "unicast" | "multicast" | "both";
  readonly link: readonly [number, number] | null;
  readonly from: number;
  /** null: for ever. */
  readonly to: number | null;
}

/** Fail-stop at a moment; at 0 or before, the process takes no part in the run at all. */
export interface Crash {
  readonly node: number;
  readonly at: number;
}

/** The process does nothing during [from, to); what arrives waits. */
export interface Pause {
  readonly node: number;
  readonly from: number;
  readonly to: number;
}

/** Messages sent between groups during [from, to) are lost. Nodes that no group names form one more group together. */
export interface Partition {
  readonly groups: readonly (readonly number[])[];
  readonly from: number;
  /** null: it never heals. */
  readonly to: number | null;
}

/** Everything that goes wrong in a run, as data. */
export interface FaultPlan {
  /** Probability that a unicast is lost. */
  readonly loss: number;
  /** Probability that one receiver misses a multicast. */
  readonly multicastLoss: number;
  /** Probability that a process has crashed before the start. */
  readonly crash: number;
  readonly losses: readonly Loss[];
  readonly crashes: readonly Crash[];
  readonly pauses: readonly Pause[];
  readonly partitions: readonly Partition[];
}

/** A plan in which nothing goes wrong: spread it and change what shall. */
export const NO_FAULTS: FaultPlan = {
  loss: 0,
  multicastLoss: 0,
  crash: 0,
  losses: [],
  crashes: [],
  pauses: [],
  partitions: [],
};

const during = ({ from, to }: { from: number; to: number | null }, time: number) =>
  from <= time && (to === null || time < to);

/** The plan, ready to be asked. Schedules are short lists; a message costs a draw only where a rate applies to it. */
export class FaultModel {
  readonly hasPauses: boolean;
  hasCrashes: boolean;
  /** Whether nothing can happen to a message on its way. */
  readonly reliable: boolean;
  private readonly plan: FaultPlan;
  private readonly source: Source;
  private readonly deadFrom = new Map<number, number>();
  private readonly groups: readonly Map<number, number>[];

  constructor(plan: FaultPlan, crashed: readonly number[], source: Source) {
    this.plan = plan;
    this.source = source;
    for (const { node, at } of plan.crashes) this.deadFrom.set(node, Math.min(at, this.deadFrom.get(node) ?? Infinity));
    for (const node of crashed) this.deadFrom.set(node, 0);
    this.groups = plan.partitions.map(
      ({ groups }) => new Map(groups.flatMap((group, index) => group.map((node) => [node, index] as const))),
    );
    this.hasPauses = plan.pauses.length > 0;
    this.hasCrashes = this.deadFrom.size > 0;
    this.reliable =
      plan.loss === 0 && plan.multicastLoss === 0 && plan.losses.length === 0 && plan.partitions.length === 0;
  }

  crash(node: number, at: number): void {
    if (!this.dead(node, at)) this.deadFrom.set(node, at);
    this.hasCrashes = true;
  }

  dead(node: number, time: number): boolean {
    const from = this.deadFrom.get(node);
    return from !== undefined && time >= from;
  }

  /** When a node that is paused at `time` goes on; `time` itself when it is not paused. */
  resumes(node: number, time: number): number {
    let at = time;
    // Overlapping pauses chain, so the list is walked again after each step forward.
    for (let moved = true; moved; ) {
      moved = false;
      for (const pause of this.plan.pauses) {
        if (pause.node === node && during(pause, at)) {
          at = pause.to;
          moved = true;
        }
      }
    }
    return at;
  }

  loses(from: number, to: number, multicast: boolean, time: number): boolean {
    if (this.groups.length > 0 && this.separated(from, to, time)) return true;
    if (this.source.coin(multicast ? this.plan.multicastLoss : this.plan.loss)) return true;
    if (this.plan.losses.length === 0) return false;
    const kind = multicast ? "multicast" : "unicast";
    return this.plan.losses.some(
      (loss) =>
        (loss.kind === "both" || loss.kind === kind) &&
        (loss.link === null || (loss.link[0] === from && loss.link[1] === to)) &&
        during(loss, time) &&
        this.source.coin(loss.rate),
    );
  }

  private separated(from: number, to: number, time: number): boolean {
    return this.plan.partitions.some(
      (partition, index) =>
        during(partition, time) && (this.groups[index].get(from) ?? -1) !== (this.groups[index].get(to) ?? -1),
    );
  }
}
