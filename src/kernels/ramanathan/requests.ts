/**
 * Which process asks which in one exchange of a complete graph, and what becomes of the requests: one array, in the order in which the
 * host sends. The draws are the protocol's own, node by node.
 */
import { Coins } from "../../random/coins.ts";
import { NodeStreams } from "../../random/streams.ts";
import { Leftover } from "../leftover.ts";
import { drawUpTo, Sampler } from "../sampler.ts";
import type { AssembledRounds } from "./assembled-rounds.ts";

/** Set in a request that no mediator answers: it was lost, or its receiver has crashed or failed. */
const GONE = 2 ** 30;
/** Samples up to this size are searched; larger ones are marked. */
const SEARCHED = 24;

const UNKNOWN = 0;
const WORKS = 1;
const FAILED = 2;

/** Nodes are numbers of 30 bits; the two above say what became of a request. */
export const LARGEST_NODE = GONE - 1;

const roomLeft = new Leftover((length) => new Int32Array(length));
const countersLeft = new Leftover((n) => new Uint16Array(n));

export class Requests {
  readonly n: number;
  /** Of each contender one after the other; the last of each is stored as its complement, so it is negative. */
  list: Int32Array<ArrayBuffer> = new Int32Array(0);
  size = 0;
  /** Requests that an answer goes back to, and whether any has been delivered at all. */
  answered = 0;
  delivered = false;
  readonly draws: NodeStreams;
  readonly losses: Coins;
  readonly loss: number;
  private readonly rounds: AssembledRounds | null;
  private readonly counters: Uint16Array<ArrayBuffer>;
  private readonly gamma: number;
  private readonly crashed: Uint8Array | null;
  private readonly health: Uint8Array | null;
  private readonly sampler: Sampler;

  /** `rounds`: what plays rounds in WebAssembly, where there is any. */
  constructor(
    n: number,
    seed: number,
    trial: number,
    loss: number,
    gamma: number,
    crashed: readonly number[],
    rounds: AssembledRounds | null = null,
  ) {
    this.n = n;
    this.rounds = rounds;
    this.counters = rounds?.counters ?? countersLeft.take(n).fill(0);
    this.draws = new NodeStreams(seed, trial, n, this.counters);
    this.losses = new Coins(seed, trial, "losses", loss);
    this.loss = loss;
    this.gamma = gamma;
    this.crashed = crashed.length === 0 ? null : new Uint8Array(n);
    for (const node of crashed) this.crashed![node] = 1;
    this.health = gamma > 0 ? new Uint8Array(n) : null;
    this.sampler = new Sampler(n);
  }

  /** Makes room for this many, and forgets those of the exchange before. */
  open(most: number): void {
    if (this.list.length < most || this.assembled !== null) this.list = roomLeft.take(most);
    this.forget();
  }

  private forget(): void {
    this.size = 0;
    this.answered = 0;
    this.delivered = false;
  }

  /** All contenders of a round ask k each in WebAssembly; false where that cannot be done, and nothing is. */
  askAssembled(contending: number, k: number): boolean {
    const { rounds, draws, n } = this;
    if (rounds === null || k > SEARCHED || !draws.areCounted || !rounds.canAsk(contending, k)) return false;
    this.list = rounds.list;
    this.forget();
    const asked = rounds.askEvenly(contending, k, blocksFor(k, n));
    this.size = asked * k;
    if (asked < contending) this.askAll(rounds.contenders.subarray(asked), contending - asked, k, null);
    return true;
  }

  /** Whether the requests of this round are in linear memory. */
  get assembled(): AssembledRounds | null {
    return this.rounds !== null && this.list === this.rounds.list ? this.rounds : null;
  }

  /** Makes room for so many beside those that there are. */
  reserve(more: number): void {
    if (this.size + more <= this.list.length) return;
    const larger = new Int32Array(Math.max(this.size + more, 2 * this.list.length));
    larger.set(this.list.subarray(0, this.size));
    this.list = larger;
  }

  /** An array of n numbers, made of the room for requests where that is large enough: it is needed no more. */
  spare(): Int32Array<ArrayBuffer> {
    const { list, n, rounds } = this;
    this.list = new Int32Array(0);
    if (rounds !== null) return rounds.spare;
    return list.length < n ? roomLeft.take(n) : list;
  }

  /** It is needed no more, until the next trial; by default, the room for requests. */
  leave(spare = this.list): void {
    if (spare.length >= this.n && this.rounds === null) roomLeft.leave(spare);
  }

  /** Contenders ask, one after the other: so many processes as `sizeOf` says, which draws; null: k each. */
  askAll(contenders: Int32Array, count: number, k: number, sizeOf: (() => number) | null): void {
    const { draws } = this;
    const blocks = blocksFor(k, this.n);
    for (let from = 0; from < count; ) {
      const ready = draws.prepare(contenders, from, count, blocks);
      // A contender that asks all processes takes the last one without a draw.
      if (sizeOf === null && k <= SEARCHED && k < this.n) this.askEvenly(contenders, from, ready, k);
      else {
        for (let i = 0; i < ready; i++) {
          draws.turnTo(contenders[from + i], i);
          this.ask(contenders[from + i], sizeOf?.() ?? k);
        }
      }
      from += ready;
    }
  }

  /** As `ask`, for each contender whose draws have been prepared: most of a tournament's time goes by here. */
  private askEvenly(contenders: Int32Array, from: number, count: number, asked: number): void {
    const { n, draws, list } = this;
    const { ready, wordsEach } = draws;
    asking: for (let c = 0; c < count; c++) {
      const node = contenders[from + c];
      const { size } = this;
      const first = wordsEach * c + draws.offset(node);
      const end = wordsEach * (c + 1);
      let next = first;
      for (let k = 0; k < asked; k++) {
        const j = n - asked + k;
        const mask = 0xffffffff >>> Math.clz32(j);
        let drawn = 0;
        do {
          if (next === end) {
            draws.turnTo(node, c);
            this.ask(node, asked);
            continue asking;
          }
          drawn = (ready[next++] & mask) >>> 0;
        } while (drawn > j);
        list[size + k] = distinct(list, size, size + k, behind(node, drawn, n), behind(node, j, n));
      }
      draws.skip(node, next - first);
      list[size + asked - 1] = ~list[size + asked - 1];
      this.size = size + asked;
    }
  }

  /** Nobody draws any more in this trial. */
  end(): void {
    if (this.rounds === null) countersLeft.leave(this.counters);
  }

  /** A contender asks k random processes, perhaps itself: Floyd's algorithm, as in random/subsets.ts. */
  ask(node: number, k: number): void {
    const { n, draws, list } = this;
    const first = this.size;
    const asked = Math.min(k, n);
    draws.node = node;
    if (asked > SEARCHED) this.askMany(node, asked);
    else {
      for (let j = n - asked; j < n; j++) {
        list[this.size] = distinct(list, first, this.size, behind(node, drawUpTo(draws, j), n), behind(node, j, n));
        this.size++;
      }
    }
    list[this.size - 1] = ~list[this.size - 1];
  }

  private askMany(node: number, asked: number): void {
    const { n, draws, list } = this;
    const first = this.size;
    this.sampler.draw(draws, asked, list, first);
    this.size += asked;
    for (let i = first; i < this.size; i++) list[i] = behind(node, list[i], n);
  }

  /** The requests are on their way: some are lost, others find nobody who answers. */
  arrive(): void {
    const { list, size, losses, loss } = this;
    let lost = 0;
    // All that is sent is lost or not before anything arrives.
    if (loss > 0) {
      losses.each(size, (i) => {
        list[i] = gone(list[i]);
        lost++;
      });
    }
    if (this.crashed === null && this.health === null) {
      this.answered = size - lost;
      this.delivered = size > lost;
      return;
    }
    for (let i = 0; i < size; i++) {
      if (isGone(list[i])) continue;
      const to = receiver(list[i]);
      if (this.crashed !== null && this.crashed[to] === 1) list[i] = gone(list[i]);
      else {
        this.delivered = true;
        if (this.fails(to)) list[i] = gone(list[i]);
        else this.answered++;
      }
    }
  }

  /** The coin of a mediator falls when it is asked for the first time. */
  fails(node: number): boolean {
    const { health, draws } = this;
    if (health === null) return false;
    if (health[node] === UNKNOWN) {
      draws.node = node;
      health[node] = draws.coin(this.gamma) ? FAILED : WORKS;
    }
    return health[node] === FAILED;
  }
}

/** Port p leads p+1 places further on, as in topology/complete.ts; the last of the urn is the node itself. */
const behind = (node: number, port: number, n: number): number =>
  node + port + 1 < n ? node + port + 1 : node + port + 1 - n;

/** The node that was drawn, or the last of the urn where one of these requests goes there already. */
function distinct(list: Int32Array, first: number, end: number, drawn: number, last: number): number {
  for (let i = first; i < end; i++) if (list[i] === drawn) return last;
  return drawn;
}

/** As many blocks of four words as k draws below n take on average, counted from anywhere in a block; large samples go on by themselves. */
function blocksFor(k: number, n: number): number {
  const words = k * (2 ** Math.ceil(Math.log2(n)) / n);
  return Math.min(8, Math.ceil((words + 1.5) / 4));
}

/** A request with or without its complement taken; without a branch, since which of them are last cannot be guessed. */
const plain = (request: number): number => request ^ (request >> 31);
export const isLast = (request: number): boolean => request < 0;
export const isGone = (request: number): boolean => (plain(request) & GONE) !== 0;
/** The node that is asked. */
export const receiver = (request: number): number => plain(request) & (GONE - 1);
const gone = (request: number): number => (request < 0 ? ~(~request | GONE) : request | GONE);
