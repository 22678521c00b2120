/**
 * The clock of leases in a file. Processes compare each other's times only where they read one and the same clock: the machine's
 * monotonic one, since one and the same start, in one time namespace. Otherwise they watch whether anything changes.
 */
import { readFileSync, readlinkSync } from "node:fs";
import type { RegisterClock } from "../../protocols/lease/register-clock.ts";

/** What is read of a clock. */
export interface MachineClock {
  readonly name: string;
  now(): number;
  /** Milliseconds since 1970. */
  stamp(): number;
}

/** How much two clocks may run apart, and what is added for how late a process can be. */
const RHO = 0.01;
const MARGIN = 50;
/** What nobody asked about for a while is begun anew, which only takes longer. */
const MOST_WATCHED = 10_000;

/** The same text in all processes whose monotonic clocks can be compared; where the system does not tell, `own`. */
export function clockName(own: string): string {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    return `${boot} ${timeNamespace()}`;
  } catch {
    return own;
  }
}

function timeNamespace(): string {
  try {
    return readlinkSync("/proc/self/ns/time");
  } catch (error) {
    // Linux before 5.6 has no time namespaces: all processes read one clock.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}

/** For how long each thing that stands under another clock has been seen unchanged, by this one. */
export class Watched {
  private readonly clock: MachineClock;
  private readonly seen = new Map<string, { readonly mark: string; readonly since: number }>();

  constructor(clock: MachineClock) {
    this.clock = clock;
  }

  /** Read within the transaction: a clock read before a wait is old. */
  reading(incarnation: string): RegisterClock {
    const now = this.clock.now();
    return {
      name: this.clock.name,
      now,
      stamp: this.clock.stamp(),
      incarnation,
      foreign: (what, mark, within) => this.since(what, mark, now) + within * (1 + RHO) + MARGIN - now,
    };
  }

  private since(what: string, mark: string, now: number): number {
    const known = this.seen.get(what);
    if (known?.mark === mark) return known.since;
    if (this.seen.size >= MOST_WATCHED) this.seen.clear();
    this.seen.set(what, { mark, since: now });
    return now;
  }
}
