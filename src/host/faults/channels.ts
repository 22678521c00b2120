/** Keeps channels first-in first-out under random delays: no message arrives before one sent earlier on the same link. */
import { SELF } from "../../protocol.ts";
import type { Topology } from "../../topology/topology.ts";
import { keep, type Restore } from "../stepping/frames.ts";

/** Above this many links, remember only those with something on the way. */
const DENSE_LIMIT = 1 << 24;

export class Channels {
  private readonly topology: Topology;
  private dense: Float64Array | null;
  private sparse = new Map<number, number>();
  private sweepAt = 1 << 16;

  constructor(topology: Topology) {
    this.topology = topology;
    const { links, size } = topology;
    this.dense = links !== null && links + size <= DENSE_LIMIT ? new Float64Array(links + size) : null;
  }

  /** When a message leaving `node` through `port` at `now` for `to`, on its own due at `time`, arrives. */
  arrival(node: number, port: number, to: number, time: number, now: number): number {
    if (this.dense !== null) {
      const link = port === SELF ? (this.topology.links as number) + node : this.topology.link(node, port);
      const arrival = Math.max(time, this.dense[link]);
      this.dense[link] = arrival;
      return arrival;
    }
    const link = node * this.topology.size + to;
    const arrival = Math.max(time, this.sparse.get(link) ?? 0);
    if (this.sparse.size >= this.sweepAt) this.sweep(now);
    this.sparse.set(link, arrival);
    return arrival;
  }

  /** When the last message on a node's first link arrives; 0 where that is not known at once. */
  lastOf(node: number): number {
    return this.dense === null ? 0 : this.dense[this.topology.link(node, 0)];
  }

  save(): Restore {
    return keep(this, ["dense", "sparse", "sweepAt"]);
  }

  private sweep(now: number): void {
    for (const [link, arrival] of this.sparse) if (arrival < now) this.sparse.delete(link);
    this.sweepAt = Math.max(1 << 16, 2 * this.sparse.size);
  }
}
