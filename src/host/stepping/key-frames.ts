/** Moments of a run to go back to. They are bounded: with too many, every other one goes and the next are twice as far apart. */
import type { Restore } from "./frames.ts";

/** At first. A frame costs about as much as an event at each node, so they are at least as many events apart as nodes. */
const LEAST_DISTANCE = 32;
/** What all of them may take together. */
const MOST_BYTES = 64 * 2 ** 20;

/** What a frame copies. */
export interface Framed {
  save(): Restore;
  /** About how many bytes that takes, at this moment. */
  weigh(): number;
}

export class KeyFrames {
  private readonly most: number;
  private readonly run: Framed;
  private distance: number;
  /** Ascending; the first is the beginning. */
  private frames: { readonly event: number; readonly weight: number; readonly restore: Restore }[] = [];

  constructor(most: number, nodes: number, run: Framed) {
    this.most = most;
    this.distance = Math.max(LEAST_DISTANCE, nodes);
    this.run = run;
  }

  get keeps(): boolean {
    return this.frames.length > 0;
  }

  /** The run is at this event: keeps it where it is time for a frame. */
  at(event: number): void {
    const last = this.frames.at(-1)?.event ?? -1;
    if (event % this.distance !== 0 || event <= last || this.most === 0) return;
    const weight = this.run.weigh();
    while (!this.hasRoomFor(weight)) {
      if (this.frames.length === 1) return;
      this.distance *= 2;
      this.frames = this.frames.filter((frame) => frame.event % this.distance === 0);
      if (event % this.distance !== 0) return;
    }
    this.frames.push({ event, weight, restore: this.run.save() });
  }

  /** The beginning is always kept. */
  private hasRoomFor(weight: number): boolean {
    const { frames } = this;
    const bytes = frames.reduce((sum, frame) => sum + frame.weight, weight);
    return frames.length === 0 || (frames.length < this.most && bytes <= MOST_BYTES);
  }

  /** Goes back to the last frame at or before an event. */
  restore(event: number): void {
    const frame = this.frames.findLast((kept) => kept.event <= event);
    if (frame === undefined) throw new Error("this run keeps no key frames: open it with some to go back");
    frame.restore();
  }

  forgetAfter(event: number): void {
    this.frames = this.frames.filter((frame) => frame.event <= event);
  }
}
