/**
 * Where draws come from. A node's draws are addressed by (seed, trial, node, index), a host's own draws by
 * (seed, trial, purpose, index): results never depend on the order of evaluation, on threads or on machines.
 */
import { bulk, type Key, LEAST_BLOCKS } from "./bulk.ts";
import { Source } from "./source.ts";
import { threefry } from "./threefry.ts";

/** The host's own streams. Numbers are part of every pinned result: add, never renumber. 0 is the nodes'. */
export const PURPOSE = {
  ids: 1,
  initiators: 2,
  candidates: 3,
  crashes: 4,
  losses: 5,
  delays: 6,
  timers: 7,
  topology: 8,
  election: 9,
  wakes: 10,
  duplicates: 11,
  spikes: 12,
  reorders: 13,
  clocks: 14,
  plan: 15,
  schedule: 16,
} as const;

export type Purpose = keyof typeof PURPOSE;

const NODES = 0;
const WRAP = 2 ** 16;

export const keyOf = (seed: number, trial: number, domain: number): Key => [
  seed >>> 0,
  Math.floor(seed / 2 ** 32),
  trial,
  domain,
];

/** Streams whose draws are likely to go on are computed so many blocks ahead, and no more. */
const MOST_AHEAD = 256;

/** A stream that is read in order: block by block at first, and the further it has been read, the more blocks at once. */
abstract class OrderedSource extends Source {
  private readonly key: Key;
  private buffer = new Uint32Array(4);
  private next = 4;
  private end = 4;
  /** Computed so far. */
  private blocks = 0;

  protected constructor(key: Key) {
    super();
    this.key = key;
  }

  /** The node, where blocks are counted in the second word of the counter; null: they are counted in both. */
  protected abstract readonly node: number | null;

  word(): number {
    if (this.next === this.end) this.compute();
    return this.buffer[this.next++];
  }

  /** Remembers where the stream is; the answer goes back there. */
  save(): () => void {
    const place = 4 * this.blocks - this.end + this.next;
    return () => {
      this.blocks = Math.floor(place / 4);
      this.compute();
      this.next = place % 4;
    };
  }

  private compute(): void {
    const { key, node, blocks } = this;
    const low = node ?? blocks >>> 0;
    const high = node === null ? Math.floor(blocks / 2 ** 32) : blocks;
    const ahead = blocksAhead(blocks);
    if (this.buffer.length < 4 * ahead) this.buffer = new Uint32Array(4 * ahead);
    if (ahead === 1) threefry(this.buffer, key[0], key[1], key[2], key[3], low, high, 0, 0);
    else {
      const many = bulk();
      many.words(key, low, high, node !== null, ahead);
      this.buffer.set(many.out.subarray(0, 4 * ahead));
    }
    this.blocks += ahead;
    this.next = 0;
    this.end = 4 * ahead;
  }
}

/** The largest power of two that divides the number of blocks: so chunks double, and none begins below a multiple of 2^32 and ends above. */
function blocksAhead(blocks: number): number {
  const rest = blocks === 0 ? 1 : blocks % MOST_AHEAD || MOST_AHEAD;
  const ahead = rest & -rest;
  return ahead < LEAST_BLOCKS ? 1 : ahead;
}

/** One of the host's streams, read in order. */
export class HostStream extends OrderedSource {
  protected readonly node = null;

  constructor(seed: number, trial: number, purpose: Purpose) {
    super(keyOf(seed, trial, PURPOSE[purpose]));
  }
}

/** Every node's stream; set `node`, then draw. Costs a counter of two bytes per node. */
export class NodeStreams extends Source {
  node = 0;
  private readonly key: Key;
  private readonly block = new Uint32Array(4);
  private readonly drawn: Uint16Array;
  /** How often the counter of a node has begun anew, for the few that have drawn so much. */
  private wraps = new Map<number, number>();
  private cachedNode = -1;
  private cachedBlock = -1;

  constructor(seed: number, trial: number, nodes: number) {
    super();
    this.key = keyOf(seed, trial, NODES);
    this.drawn = new Uint16Array(nodes);
  }

  word(): number {
    const { node } = this;
    const low = this.drawn[node]++;
    const index = this.wraps.size === 0 ? low : low + WRAP * (this.wraps.get(node) ?? 0);
    if (low === WRAP - 1) this.wraps.set(node, (this.wraps.get(node) ?? 0) + 1);
    const block = index >>> 2;
    if (this.cachedNode !== node || this.cachedBlock !== block) {
      const { key } = this;
      threefry(this.block, key[0], key[1], key[2], key[3], node, block, 0, 0);
      this.cachedNode = node;
      this.cachedBlock = block;
    }
    return this.block[index & 3];
  }

  /** Remembers where every node's stream is; the answer goes back there. */
  save(): () => void {
    const drawn = this.drawn.slice();
    const wraps = [...this.wraps];
    return () => {
      this.drawn.set(drawn);
      this.wraps = new Map(wraps);
    };
  }
}

/** The stream of one node, from its first draw on: for whoever knows that nobody else draws from it. */
export class NodeStream extends OrderedSource {
  protected readonly node: number;

  constructor(seed: number, trial: number, node: number) {
    super(keyOf(seed, trial, NODES));
    this.node = node;
  }
}
