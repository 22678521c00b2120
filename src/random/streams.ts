/**
 * Where draws come from. A node's draws are addressed by (seed, trial, node, index), a host's own draws by
 * (seed, trial, purpose, index): results never depend on the order of evaluation, on threads or on machines.
 */
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

abstract class KeyedSource extends Source {
  protected readonly block = new Uint32Array(4);
  private readonly seedLow: number;
  private readonly seedHigh: number;

  private readonly trial: number;
  private readonly domain: number;

  constructor(seed: number, trial: number, domain: number) {
    super();
    this.trial = trial;
    this.domain = domain;
    this.seedLow = seed >>> 0;
    this.seedHigh = Math.floor(seed / 2 ** 32);
  }

  protected fill(c0: number, c1: number): void {
    threefry(this.block, this.seedLow, this.seedHigh, this.trial, this.domain, c0, c1, 0, 0);
  }
}

/** One of the host's streams, read in order. */
export class HostStream extends KeyedSource {
  private next = 4;
  private blocks = 0;

  constructor(seed: number, trial: number, purpose: Purpose) {
    super(seed, trial, PURPOSE[purpose]);
  }

  word(): number {
    if (this.next === 4) {
      this.fill(this.blocks >>> 0, Math.floor(this.blocks / 2 ** 32));
      this.blocks++;
      this.next = 0;
    }
    return this.block[this.next++];
  }

  /** Remembers where the stream is; the answer goes back there. */
  save(): () => void {
    const { next, blocks } = this;
    const block = this.block.slice();
    return () => {
      this.next = next;
      this.blocks = blocks;
      this.block.set(block);
    };
  }
}

/** Every node's stream; set `node`, then draw. Costs a counter of two bytes per node. */
export class NodeStreams extends KeyedSource {
  node = 0;
  private readonly drawn: Uint16Array;
  /** How often the counter of a node has begun anew, for the few that have drawn so much. */
  private wraps = new Map<number, number>();
  private cachedNode = -1;
  private cachedBlock = -1;

  constructor(seed: number, trial: number, nodes: number) {
    super(seed, trial, NODES);
    this.drawn = new Uint16Array(nodes);
  }

  word(): number {
    const { node } = this;
    const low = this.drawn[node]++;
    const index = this.wraps.size === 0 ? low : low + WRAP * (this.wraps.get(node) ?? 0);
    if (low === WRAP - 1) this.wraps.set(node, (this.wraps.get(node) ?? 0) + 1);
    const block = index >>> 2;
    if (this.cachedNode !== node || this.cachedBlock !== block) {
      this.fill(node, block);
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
export class NodeStream extends KeyedSource {
  private readonly node: number;
  private drawn = 0;

  constructor(seed: number, trial: number, node: number) {
    super(seed, trial, NODES);
    this.node = node;
  }

  word(): number {
    if ((this.drawn & 3) === 0) this.fill(this.node, this.drawn >>> 2);
    return this.block[this.drawn++ & 3];
  }
}
