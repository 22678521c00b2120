/** The draws behind rare.ts: the sets of contenders, made to miss more often than they do. */
import { HostStream } from "../random/streams.ts";
import { sample } from "../random/subsets.ts";

/** Whose sets miss each other: `contenders` draw `size` members each among n, or among the other n-1. */
export interface MissQuestion {
  readonly n: number;
  /** How many members each contender draws. */
  readonly size: number;
  readonly contenders: number;
  /** Whether contenders draw from the others only, as Kutten et al.'s candidates do, or from all n. */
  readonly othersOnly: boolean;
}

/** By symmetry every first set has the same chance to be missed: one may serve for many samples. */
const SAMPLES_PER_FIRST_SET = 50;

const FREE = 0;
const FIRST = 1;
const DRAWN = 2;

/** Two sets among n nodes, that of contender 0 and, member by member, that of contender 1; and those of the others. */
export class MissUrn {
  private readonly question: MissQuestion;
  private readonly seed: number;
  private readonly tilt: number;
  /** Of each node: free, in the first set, or drawn for the second. */
  private readonly state: Uint8Array;
  /** Which contenders have each node, bit by bit. */
  private readonly holders: Uint32Array;
  /** Which node each contender is; it matters where they draw from the others only. */
  private nodes: number[] = [];
  private first: number[] = [];
  private firstBatch = -1;
  /** ln of the likelihood ratio of a miss, by the number of targets. */
  private readonly ratios = new Map<number, number>();

  constructor(question: MissQuestion, seed: number, tilt: number) {
    this.question = question;
    this.seed = seed;
    this.tilt = tilt;
    this.state = new Uint8Array(question.n);
    this.holders = new Uint32Array(question.contenders > 2 ? question.n : 0);
  }

  /** The contribution of one sample, times e^-scale. */
  tilted(index: number, scale: number): number {
    const { contenders, size } = this.question;
    const source = this.begin(index);
    // Too few nodes are left for a set that misses: a tilt of 0 would look for them for ever.
    if (this.targets() + size > this.urnSize()) return 0;
    const second = this.drawUpTo(source, size);
    for (const node of second) this.state[node] = FREE;
    if (second.length < size) return 0;
    const weight = Math.exp(this.lnRatio() - scale);
    if (contenders === 2) return weight;
    const pairs = (contenders * (contenders - 1)) / 2;
    return (pairs / this.missingPairs(source, second)) * weight;
  }

  /** How many paths of one splitting tree end without a hit; each counts for as many halves as there are levels. */
  split(index: number, levels: readonly number[]): number {
    return this.branch(this.begin(index), 0, levels, 0);
  }

  private branch(source: HostStream, before: number, levels: readonly number[], level: number): number {
    const end = levels[level] ?? this.question.size;
    const path = this.drawUpTo(source, end - before);
    let ends = 0;
    if (before + path.length === end) {
      if (level === levels.length) ends = 1;
      else ends = this.branch(source, end, levels, level + 1) + this.branch(source, end, levels, level + 1);
    }
    for (const node of path) this.state[node] = FREE;
    return ends;
  }

  /** So many members of contender 1's set, or fewer where a hit is taken. */
  private drawUpTo(source: HostStream, count: number): number[] {
    const { state, tilt } = this;
    const total = this.urnSize();
    const members: number[] = [];
    while (members.length < count) {
      const node = this.nodeOf(1, source.choose(total));
      if (state[node] === FREE) {
        state[node] = DRAWN;
        members.push(node);
      } else if (state[node] === FIRST && source.coin(tilt)) break;
    }
    return members;
  }

  private begin(index: number): HostStream {
    const batch = Math.floor(index / SAMPLES_PER_FIRST_SET);
    if (batch !== this.firstBatch) {
      this.firstBatch = batch;
      for (const node of this.first) this.state[node] = FREE;
      this.first = this.setOf(0, new HostStream(this.seed, batch, "initiators"));
      for (const node of this.first) this.state[node] = FIRST;
    }
    const source = new HostStream(this.seed, index, "candidates");
    if (this.question.othersOnly) this.chooseNodes(source);
    return source;
  }

  /** Contender 0 is node 0, also in the next sample; so that the others are anybody, whatever the first set is. */
  private chooseNodes(source: HostStream): void {
    const { n, contenders } = this.question;
    this.nodes = [0];
    while (this.nodes.length < contenders) {
      const node = source.choose(n);
      if (!this.nodes.includes(node)) this.nodes.push(node);
    }
  }

  /** Members of the first set that contender 1 can draw at all: not itself, where it draws from the others only. */
  private targets(): number {
    return this.first.length - (this.question.othersOnly && this.state[this.nodes[1]] === FIRST ? 1 : 0);
  }

  private lnRatio(): number {
    const targets = this.targets();
    let ln = this.ratios.get(targets);
    if (ln === undefined) {
      ln = 0;
      for (let i = 0; i < this.question.size; i++) {
        ln += Math.log1p(((this.tilt - 1) * targets) / (this.urnSize() - i));
      }
      this.ratios.set(targets, ln);
    }
    return ln;
  }

  private setOf(contender: number, source: HostStream): number[] {
    return sample((m) => source.choose(m), this.question.size, this.urnSize()).map((i) => this.nodeOf(contender, i));
  }

  /** The i-th node of a contender's urn, which may leave the contender itself out. */
  private nodeOf(contender: number, i: number): number {
    return this.question.othersOnly && i >= (this.nodes[contender] ?? 0) ? i + 1 : i;
  }

  private urnSize(): number {
    return this.question.othersOnly ? this.question.n - 1 : this.question.n;
  }

  /** Draws the sets of the other contenders, and counts the pairs without a common member: at least 1. */
  private missingPairs(source: HostStream, second: readonly number[]): number {
    const { contenders } = this.question;
    const { holders } = this;
    const sets = [this.first, second];
    while (sets.length < contenders) sets.push(this.setOf(sets.length, source));
    const meets = new Uint32Array(contenders);
    for (const [contender, set] of sets.entries()) {
      for (const node of set) {
        meets[contender] |= holders[node];
        holders[node] |= 2 ** contender;
      }
    }
    for (const set of sets) for (const node of set) holders[node] = 0;
    return meets.reduce((missing, mask, contender) => missing + contender - ones(mask), 0);
  }
}

function ones(mask: number): number {
  let count = 0;
  for (let rest = mask; rest !== 0; rest &= rest - 1) count++;
  return count;
}
