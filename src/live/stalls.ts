/**
 * Notices when the process was paused: stopped, swapped out, collecting garbage or busy. A clock that is looked at
 * regularly shows a gap. Monotonic time; it goes on while the process does not.
 */
import { type Cancel, every, type World } from "./world.ts";

/** How often and how long this process was paused. */
export interface StallReport {
  readonly count: number;
  readonly longestMs: number;
}

export const NO_STALLS: StallReport = { count: 0, longestMs: 0 };

/** Who looks at the clock with one beat of a world, and how the beat ends. */
interface Beat {
  readonly followers: Set<() => void>;
  readonly stop: Cancel;
}

const beats = new WeakMap<World, Map<number, Beat>>();

/** A process is paused as a whole: all its members look with one timer, so that a thousand of them do not need a thousand timers. */
function followBeat(world: World, ms: number, look: () => void): Cancel {
  const ofWorld = beats.get(world) ?? new Map<number, Beat>();
  beats.set(world, ofWorld);
  const beat = ofWorld.get(ms) ?? newBeat(world, ms);
  ofWorld.set(ms, beat);
  beat.followers.add(look);
  return () => {
    beat.followers.delete(look);
    if (beat.followers.size > 0 || ofWorld.get(ms) !== beat) return;
    ofWorld.delete(ms);
    beat.stop();
  };
}

function newBeat(world: World, ms: number): Beat {
  const followers = new Set<() => void>();
  const stop = every(world, ms, () => {
    for (const look of followers) look();
  });
  return { followers, stop };
}

export class StallWatch {
  /** Gaps of more milliseconds than this are stalls. */
  private readonly limit: number;
  private readonly world: World;
  private readonly leaveBeat: Cancel;
  private readonly told: (ms: number) => void;
  private last: number;
  private count = 0;
  private longest = 0;

  /** `told`: of each stall, as soon as anything runs again. */
  constructor(world: World, limit: number, told: (ms: number) => void = () => {}) {
    this.world = world;
    this.limit = limit;
    this.told = told;
    this.last = world.now();
    this.leaveBeat = followBeat(world, limit / 4, () => this.look());
  }

  get report(): StallReport {
    return { count: this.count, longestMs: Math.round(this.longest) };
  }

  look(): void {
    const now = this.world.now();
    const gap = now - this.last;
    this.last = now;
    if (gap <= this.limit) return;
    this.count++;
    this.longest = Math.max(this.longest, gap);
    this.told(Math.round(gap));
  }

  stop(): void {
    this.leaveBeat();
  }
}
