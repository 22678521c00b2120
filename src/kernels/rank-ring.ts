/** A ring of processes as numbers: their ids ranked, those that had crashed before the run taken out, and who contends. */
import { crashedBefore, initiatorsOf, nodeIdsOf } from "../host/beginning.ts";
import type { Id } from "../protocol.ts";
import { bitLength } from "../protocols/bits.ts";
import { BitSet } from "./bit-set.ts";
import type { KernelSettings } from "./kernel.ts";

export class RankRing {
  readonly size: number;
  /** By place, how the id ranks among all: 1 is the lowest. */
  readonly ranks: Int32Array;
  /** By place, the rank of those that start on their own; 0 for the others. The same array as `ranks` where all do. */
  readonly starting: Int32Array;
  /** By place, the node; null where they are the same. */
  private readonly members: Int32Array | null;
  /** By rank, the id; null where they are the same. */
  private readonly ids: Float64Array | null;

  constructor(settings: KernelSettings, trial: number) {
    const all = ranked(nodeIdsOf(settings, trial));
    this.members = without(crashedBefore(settings, trial), settings.n);
    this.ids = all.ids;
    this.ranks = this.members === null ? all.ranks : this.members.map((node) => all.ranks[node]);
    this.size = this.ranks.length;
    const initiators = initiatorsOf(settings, trial);
    this.starting = initiators === null ? this.ranks : this.only(initiators, settings.n);
  }

  id(rank: number): Id {
    return this.ids === null ? rank : this.ids[rank];
  }

  get areIdsRanks(): boolean {
    return this.ids === null;
  }

  /** The length of an id in binary. */
  bits(rank: number): number {
    return bitLength(this.id(rank));
  }

  /** Where a node is; below 0 where it is none of the ring. */
  place(node: number): number {
    return this.members === null ? node : this.members.indexOf(node);
  }

  private only(nodes: readonly number[], n: number): Int32Array {
    const wanted = new BitSet(n);
    for (const node of nodes) wanted.add(node);
    return this.ranks.map((rank, place) => (wanted.has(this.members?.[place] ?? place) ? rank : 0));
  }
}

function without(crashed: readonly number[], n: number): Int32Array | null {
  if (crashed.length === 0) return null;
  const gone = new Uint8Array(n);
  for (const node of crashed) gone[node] = 1;
  const members = new Int32Array(n - crashed.length);
  let count = 0;
  for (let node = 0; node < n; node++) if (gone[node] === 0) members[count++] = node;
  return members;
}

/** Ids that a user listed can be any numbers, which the ranks stand for. */
function ranked(ids: Int32Array | Float64Array): { ranks: Int32Array; ids: Float64Array | null } {
  if (ids instanceof Int32Array) return { ranks: ids, ids: null };
  const sorted = ids.slice().sort();
  const rankOf = new Map(Array.from(sorted, (id, index) => [id, index + 1]));
  return { ranks: Int32Array.from(ids, (id) => rankOf.get(id)!), ids: Float64Array.from([0, ...sorted]) };
}
