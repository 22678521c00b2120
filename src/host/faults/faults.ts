/** The faults of a run, as data: from flags, or a file. A fault that a plan leaves out does not happen, and costs no draw. */

/** [from, to); a `to` of null is never. */
export interface Span {
  readonly from: number;
  readonly to: number | null;
}

/** A probability that something happens to a message, everywhere or on one directed link, always or for a while. */
export interface Chance extends Span {
  readonly rate: number;
  readonly kind: "unicast" | "multicast" | "both";
  readonly link: readonly [number, number] | null;
}

/** With probability `rate` a message takes `delay` longer; on links that keep the order so does what comes behind it. */
export interface Spike extends Span {
  readonly rate: number;
  readonly delay: number;
  readonly link: readonly [number, number] | null;
}

/**
 * Fail-stop at a moment; at 0 or before, the process takes no part in the run at all. With `sends`, it strikes inside the
 * first handler at or after `at`: what must be saved is saved, what is to be reported is reported, and only so many of the
 * handler's messages have left.
 */
export interface Crash {
  readonly node: number;
  readonly at: number;
  readonly sends?: number | undefined;
}

/** The process does nothing during [from, to); what arrives waits. With `sends` as for a crash; then the rest leaves at `to`. */
export interface Pause {
  readonly node: number;
  readonly from: number;
  readonly to: number;
  readonly sends?: number | undefined;
}

/** A process starts again, with what its protocol last saved or without; one that runs is ended first. */
export interface Restart {
  readonly node: number;
  readonly at: number;
  readonly saved: boolean;
}

/** A process joins (it was not there before), or leaves gracefully. */
export interface Moment {
  readonly node: number;
  readonly at: number;
}

/** What the user of a node tells it: a message of the protocol that comes through SELF. */
export interface Command extends Moment {
  readonly message: unknown;
}

/** Messages sent between groups are lost. Nodes that no group names form one more group together. */
export interface Partition extends Span {
  readonly groups: readonly (readonly number[])[];
  /** Only what the first group sends to the others is lost. */
  readonly oneWay?: boolean | undefined;
}

/** How fast the clock of a node runs: by `rate` = 0.5 a timer of 1 takes 2. */
export interface ClockRate {
  readonly node: number;
  readonly rate: number;
}

/** Everything that goes wrong in a run, as data. */
export interface FaultPlan {
  /** Probability that a unicast is lost. */
  readonly loss: number;
  /** Probability that one receiver misses a multicast. */
  readonly multicastLoss: number;
  /** Probability that a process has crashed before the start. */
  readonly crash: number;
  readonly losses: readonly Chance[];
  readonly crashes: readonly Crash[];
  readonly pauses: readonly Pause[];
  readonly partitions: readonly Partition[];
  readonly restarts?: readonly Restart[] | undefined;
  readonly joins?: readonly Moment[] | undefined;
  readonly leaves?: readonly Moment[] | undefined;
  readonly commands?: readonly Command[] | undefined;
  /** Probability that a message arrives twice. */
  readonly duplicate?: number | undefined;
  readonly duplicates?: readonly Chance[] | undefined;
  /** Probability that a message takes up to the longest (mean) delay more, and others may overtake it on its link. */
  readonly reorder?: number | undefined;
  readonly spikes?: readonly Spike[] | undefined;
  readonly clocks?: readonly ClockRate[] | undefined;
  /** The clock of each node that `clocks` does not name runs at a rate drawn from [1 - drift, 1 + drift]. */
  readonly drift?: number | undefined;
}

/** A plan in which nothing goes wrong: spread it and change the faults that you want. */
export const NO_FAULTS: FaultPlan = {
  loss: 0,
  multicastLoss: 0,
  crash: 0,
  losses: [],
  crashes: [],
  pauses: [],
  partitions: [],
};

/** Whether nothing can go wrong, except for what is named. */
export const isFaultless = (plan: FaultPlan, except: readonly (keyof FaultPlan)[] = []): boolean =>
  Object.entries(plan).every(
    ([name, value]) =>
      except.includes(name as keyof FaultPlan) || value === undefined || value === 0 || value.length === 0,
  );
