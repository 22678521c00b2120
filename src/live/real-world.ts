/** The world as it is: the only file of this folder that asks the system for time and randomness. */
import { randomBytes, randomFillSync } from "node:crypto";
import { Source } from "../random/source.ts";
import type { World } from "./world.ts";

/** Words fetched at a time: one call to the system's generator costs as much as hundreds of words. */
const POOL = 256;

/** Node's timers hold 31 bits of milliseconds; a longer wait wakes early and looks at the clock. */
const LONGEST_SLEEP = 2 ** 31 - 1;

/** Draws that nobody can foresee, by the same algorithms as the simulators' (random/source.ts). */
class SecureSource extends Source {
  private readonly pool = new Uint32Array(POOL);
  private next = POOL;

  word(): number {
    if (this.next === POOL) {
      randomFillSync(this.pool);
      this.next = 0;
    }
    return this.pool[this.next++];
  }
}

/**
 * Milliseconds until the next common wake-up: the first multiple of the largest power of two within the slack, by a clock that all
 * processes of the machine share. What they send each other at a wake-up is read and answered at that wake-up too.
 */
function untilWakeUp(ms: number, slack: number): number {
  if (slack < 1) return ms;
  const grain = 2 ** Math.floor(Math.log2(slack));
  const now = machineNow();
  return Math.ceil((now + ms) / grain) * grain - now;
}

/** The clock, the timers and the randomness of this machine. */
export const realWorld: World = {
  now: () => performance.now(),
  wall: () => Date.now(),
  set(ms, callback, slack = 0) {
    const wait = slack > 0 ? untilWakeUp(ms, slack) : ms;
    const timer = setTimeout(callback, Math.min(Math.max(0, wait), LONGEST_SLEEP));
    return () => clearTimeout(timer);
  },
  soon: (callback) => void setImmediate(callback),
  draws: new SecureSource(),
  bytes: (count) => randomBytes(count),
};

/**
 * Milliseconds by a clock that is the same one in all processes and threads of this machine since it was started (`performance.now`
 * counts from the start of each process).
 */
export const machineNow = (): number => Number(process.hrtime.bigint()) / 1e6;

const immediately = setImmediate;

/** A turn of the real event loop, for hosts in virtual time: whatever promises have to do is done then. Not one of fake timers. */
export const turn = (): Promise<void> => new Promise((resolve) => void immediately(resolve));
