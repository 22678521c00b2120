/**
 * A council election as a Markov chain, exchange by exchange, where replies and feedbacks may be lost: what the centre believes,
 * and how many hosts are active, of which it may know nothing. Lost replies leave such hosts, and so do missed feedbacks.
 */

/** Where an exchange can lead: on to other states, or to the end. */
interface Row {
  /** Replies sent, on average. */
  readonly sent: number;
  readonly next: Int32Array;
  readonly weights: Float64Array;
  /** That the council stands with fewer than L members, or with more than U; and that it stands at all. */
  readonly none: number;
  readonly many: number;
  readonly ends: number;
}

export interface ElectionMeans {
  readonly rounds: number;
  readonly messages: number;
  readonly pNone: number;
  readonly pMany: number;
}

/** Collects what one exchange leads to. */
export class Outlook<State> {
  private readonly chain: FeedbackChain<State>;
  private readonly targets = new Map<number, number>();
  sent = 0;
  private none = 0;
  private many = 0;
  private ends = 0;

  constructor(chain: FeedbackChain<State>) {
    this.chain = chain;
  }

  goesOn(state: State, p: number): void {
    const index = this.chain.indexOf(state);
    this.targets.set(index, (this.targets.get(index) ?? 0) + p);
  }

  stands(p: number, none: number, many: number): void {
    this.ends += p;
    this.none += p * none;
    this.many += p * many;
  }

  row(): Row {
    const { sent, targets } = this;
    // What was left out as too rare goes where the rest goes.
    let total = this.ends;
    for (const p of targets.values()) total += p;
    return {
      sent,
      next: Int32Array.from(targets.keys()),
      weights: Float64Array.from(targets.values(), (p) => p / total),
      none: this.none / total,
      many: this.many / total,
      ends: this.ends / total,
    };
  }
}

/** When so little is left of the elections that it cannot show. */
const NEGLIGIBLE = 1e-9;

/** Steps from state to state that can be followed in a moment. */
const MOST = 300_000;

export class FeedbackChain<State> {
  private readonly explore: (state: State, outlook: Outlook<State>) => void;
  private readonly keyOf: (state: State) => string;
  private readonly states: State[] = [];
  private readonly known = new Map<string, number>();
  private readonly rows: Row[] = [];
  private size = 0;

  private readonly least: number;

  /** `least`: states that fewer elections than this reach are not followed; they end as the others do. */
  constructor(
    keyOf: (state: State) => string,
    explore: (state: State, outlook: Outlook<State>) => void,
    least: number,
  ) {
    this.keyOf = keyOf;
    this.explore = explore;
    this.least = least;
  }

  indexOf(state: State): number {
    const key = this.keyOf(state);
    const old = this.known.get(key);
    if (old !== undefined) return old;
    this.known.set(key, this.states.length);
    this.states.push(state);
    return this.states.length - 1;
  }

  private rowOf(index: number): Row {
    if (this.rows[index] === undefined) {
      const outlook = new Outlook(this);
      this.explore(this.states[index], outlook);
      this.rows[index] = outlook.row();
      this.size += this.rows[index].next.length;
    }
    return this.rows[index];
  }

  /** Without the states that are too rare; the others stand for them. */
  private likely(at: ReadonlyMap<number, number>, left: number): Map<number, number> {
    const kept = [...at].filter(([, p]) => p > this.least * left);
    const total = kept.reduce((sum, [, p]) => sum + p, 0);
    return new Map(kept.map(([index, p]) => [index, (p / total) * left]));
  }

  /** From one state on; after `limit` exchanges the centre gives up, and nobody is elected. Null where there are too many states. */
  run(start: State, limit: number): ElectionMeans | null {
    let at = new Map<number, number>([[this.indexOf(start), 1]]);
    let left = 1;
    const total = { rounds: 0, messages: 0, pNone: 0, pMany: 0 };
    for (let exchange = 1; exchange <= limit && left > NEGLIGIBLE; exchange++) {
      const next = new Map<number, number>();
      for (const [index, p] of at) {
        const row = this.rowOf(index);
        total.rounds += p;
        total.messages += p * row.sent;
        total.pNone += p * row.none;
        total.pMany += p * row.many;
        left -= p * row.ends;
        for (let i = 0; i < row.next.length; i++) {
          next.set(row.next[i], (next.get(row.next[i]) ?? 0) + p * row.weights[i]);
        }
      }
      if (this.size > MOST) return null;
      at = this.likely(next, left);
    }
    total.pNone += Math.max(0, left > NEGLIGIBLE ? left : 0);
    return total;
  }
}
