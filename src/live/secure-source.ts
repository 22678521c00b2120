/** Draws that nobody can foresee, by the same algorithms as the simulators' (random/source.ts). */
import { randomFillSync } from "node:crypto";
import { Source } from "../random/source.ts";

/** Words fetched at a time: one call to the system's generator costs as much as hundreds of words. */
const POOL = 256;

export class SecureSource extends Source {
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
