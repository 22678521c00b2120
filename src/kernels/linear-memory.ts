/** The instance of WebAssembly that runs the kernels of this thread, with as much memory as a trial wants. */
import { assembled, type Linear } from "../random/assembly.ts";

const PAGE = 2 ** 16;
/** Below are the places of assembly/threefry.ts. */
const FIRST = PAGE;

/** Held weakly, as by `Leftover`: a memory never gets smaller, and goes as soon as nobody runs trials any more. */
let left: WeakRef<object> | null = null;

/** A trial's part of the memory: arrays one after the other. */
export class LinearMemory<Functions> {
  readonly run: Linear & Functions;
  /** Whether all of it is still 0. */
  readonly isFresh: boolean;
  private next = FIRST;

  private constructor(run: Linear & Functions, isFresh: boolean) {
    this.run = run;
    this.isFresh = isFresh;
  }

  /** With room for this many bytes; null where there is no WebAssembly, or not so much memory for it. */
  static open<Functions>(bytes: number): LinearMemory<Functions> | null {
    try {
      const before = left?.deref() as (Linear & Functions) | undefined;
      const run = before ?? assembled<Functions>();
      const pages = Math.ceil((FIRST + bytes - run.memory.buffer.byteLength) / PAGE);
      if (pages > 0) run.memory.grow(pages);
      left = new WeakRef(run);
      return new LinearMemory(run, before === undefined);
    } catch {
      return null;
    }
  }

  /** Room for this many numbers; where it is, in bytes. A multiple of 16. */
  place(numbers: number): number {
    const place = this.next;
    this.next += 16 * Math.ceil(numbers / 4);
    return place;
  }

  /** The numbers at a place. */
  at(place: number, numbers: number): Uint32Array {
    return new Uint32Array(this.run.memory.buffer, place, numbers);
  }
}
