/**
 * The CONGEST model (Peleg, "Distributed Computing: A Locality-Sensitive Approach", SIAM 2000), checked while a protocol
 * runs: at most one message per link, direction and round, of O(log n) bits. A violation is an error in the protocol.
 */
import { type Port, SELF } from "../protocol.ts";
import type { Topology } from "../topology/topology.ts";
import { keep, type Restore } from "./stepping/frames.ts";

/** Bits that a message may have: room for a few numbers polynomial in n, and for a constant. */
export const congestLimit = (n: number): number => 64 + 8 * Math.ceil(Math.log2(Math.max(2, n)));

export class CongestCheck {
  private readonly topology: Topology;
  private readonly limit: number;
  /** The round of the latest message of each link, plus one; or the links used in this round, where links are too many. */
  private latest: Float64Array | null;
  private used = new Set<number>();
  private round = -1;

  constructor(topology: Topology) {
    this.topology = topology;
    this.limit = congestLimit(topology.size);
    this.latest = topology.links === null ? null : new Float64Array(topology.links);
  }

  sent(node: number, port: Port, round: number, bits: number): void {
    if (bits > this.limit) throw new Error(`CONGEST: a message of ${bits} bits, and ${this.limit} are allowed`);
    if (port === SELF) return;
    if (this.again(this.topology.link(node, port), round)) {
      throw new Error(`CONGEST: node ${node} sends twice through port ${port} in round ${round}`);
    }
  }

  save(): Restore {
    return keep(this, ["latest", "used", "round"]);
  }

  private again(link: number, round: number): boolean {
    if (this.latest !== null) {
      const seen = this.latest[link] === round + 1;
      this.latest[link] = round + 1;
      return seen;
    }
    if (this.round !== round) {
      this.round = round;
      this.used.clear();
    }
    const seen = this.used.has(link);
    this.used.add(link);
    return seen;
  }
}
