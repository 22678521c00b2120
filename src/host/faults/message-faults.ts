/** The faults of messages. A message costs a draw only if a rate applies to it. */
import { HostStream } from "../../random/streams.ts";
import { keep, type Restore } from "../stepping/frames.ts";
import type { Chance, FaultPlan, Partition, Span } from "./faults.ts";

const during = ({ from, to }: Span, time: number) => from <= time && (to === null || time < to);

const between = (link: readonly [number, number] | null, from: number, to: number) =>
  link === null || (link[0] === from && link[1] === to);

export class MessageFaults {
  /** Whether nothing can be lost. */
  reliable: boolean;
  readonly duplicating: boolean;
  /** Whether messages can take longer than the delay that is drawn for them. */
  readonly delaying: boolean;
  private readonly plan: FaultPlan;
  private readonly losing: HostStream;
  private readonly copying: HostStream;
  private readonly spiking: HostStream;
  private readonly reordering: HostStream;
  private readonly partitions: readonly Cut[];
  /** The cut that the caller of a stepped run has made, if any. */
  private cutByHand: Cut | null = null;

  constructor(plan: FaultPlan, seed: number, trial: number) {
    this.plan = plan;
    this.losing = new HostStream(seed, trial, "losses");
    this.copying = new HostStream(seed, trial, "duplicates");
    this.spiking = new HostStream(seed, trial, "spikes");
    this.reordering = new HostStream(seed, trial, "reorders");
    this.partitions = plan.partitions.map(cutOf);
    this.duplicating = (plan.duplicate ?? 0) > 0 || (plan.duplicates ?? []).length > 0;
    this.delaying = (plan.reorder ?? 0) > 0 || (plan.spikes ?? []).length > 0;
    this.reliable = this.isReliable();
  }

  loses(from: number, to: number, multicast: boolean, time: number): boolean {
    if (this.cutByHand !== null && separates(this.cutByHand, from, to)) return true;
    for (const cut of this.partitions) if (during(cut.partition, time) && separates(cut, from, to)) return true;
    const { plan, losing } = this;
    if (losing.coin(multicast ? plan.multicastLoss : plan.loss)) return true;
    return plan.losses.length > 0 && strikes(plan.losses, losing, from, to, multicast, time);
  }

  duplicates(from: number, to: number, multicast: boolean, time: number): boolean {
    const { duplicate = 0, duplicates = [] } = this.plan;
    return this.copying.coin(duplicate) || strikes(duplicates, this.copying, from, to, multicast, time);
  }

  /** The time that spikes add to a message's delay. */
  lateness(from: number, to: number, time: number): number {
    let late = 0;
    for (const spike of this.plan.spikes ?? []) {
      if (between(spike.link, from, to) && during(spike, time) && this.spiking.coin(spike.rate)) late += spike.delay;
    }
    return late;
  }

  /** The extra time of a message that others may overtake; null if it keeps its place. */
  detour(longest: number): number | null {
    return this.reordering.coin(this.plan.reorder ?? 0) ? longest * this.reordering.uniform() : null;
  }

  /** Draws for the delay of a second copy, so that those of all other messages stay what they were. */
  get copies(): HostStream {
    return this.copying;
  }

  cut(partition: Partition | null): void {
    this.cutByHand = partition === null ? null : cutOf(partition);
    this.reliable = this.isReliable();
  }

  save(): Restore {
    const parts = [this.losing, this.copying, this.spiking, this.reordering].map((stream) => stream.save());
    return keep(this, ["reliable", "cutByHand"], parts);
  }

  private isReliable(): boolean {
    const { loss, multicastLoss, losses } = this.plan;
    const lossless = loss === 0 && multicastLoss === 0 && losses.length === 0;
    return lossless && this.partitions.length === 0 && this.cutByHand === null;
  }
}

interface Cut {
  readonly partition: Partition;
  readonly groupOf: ReadonlyMap<number, number>;
}

const cutOf = (partition: Partition): Cut => ({
  partition,
  groupOf: new Map(partition.groups.flatMap((group, index) => group.map((node) => [node, index] as const))),
});

function separates({ partition, groupOf }: Cut, from: number, to: number): boolean {
  const sender = groupOf.get(from) ?? -1;
  const receiver = groupOf.get(to) ?? -1;
  return sender !== receiver && (partition.oneWay !== true || sender === 0);
}

function strikes(
  chances: readonly Chance[],
  source: HostStream,
  from: number,
  to: number,
  multicast: boolean,
  time: number,
): boolean {
  const kind = multicast ? "multicast" : "unicast";
  for (const chance of chances) {
    if (chance.kind !== "both" && chance.kind !== kind) continue;
    if (between(chance.link, from, to) && during(chance, time) && source.coin(chance.rate)) return true;
  }
  return false;
}
