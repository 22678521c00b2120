/**
 * What comes of the requests of a round of the tournament where answers may be lost. A mediator answers all who have reached it when its first request
 * has come, so answers draw for their loss in the order of first requests. Few are lost: all that has to be known of the others is how many
 * there are before the next lost one, and that is a count per mediator.
 */

import { Leftover } from "../leftover.ts";
import { MISSING, REFUSED } from "./answers.ts";
import type { AssembledRounds } from "./assembled-rounds.ts";
import { isGone, type Requests, receiver } from "./requests.ts";

const bytesLeft = new Leftover((n) => new Uint8Array(n));

/** By mediator, how many requests are still to come; the two highest bits say that it has answered, and that some answers are lost. */
interface Table {
  readonly counts: Uint8Array<ArrayBuffer> | Uint32Array;
  readonly answered: number;
  readonly losing: number;
}

/** assembly/rounds.ts knows the same bits. */
const NARROW = { answered: 2 ** 7, losing: 2 ** 6 };
const narrow = (n: number): Table => ({ ...NARROW, counts: bytesLeft.take(n).fill(0) });
const wide = (n: number): Table => ({ counts: new Uint32Array(n), answered: 2 ** 30, losing: 2 ** 29 });

/** A set ends at 2^24 numbers. */
const SETS = 64;

export class LossyMarks {
  /** Whether any answer has arrived. */
  delivered = false;
  private table: Table;
  /** Whether the table is that of rounds in WebAssembly. */
  private isShared: boolean;

  constructor(n: number, rounds: AssembledRounds | null) {
    this.table = rounds === null ? narrow(n) : { ...NARROW, counts: rounds.counts };
    this.isShared = rounds !== null;
  }

  /** There is no round after this one. */
  end(): void {
    const { counts } = this.table;
    if (counts instanceof Uint8Array && !this.isShared) bytesLeft.leave(counts);
  }

  /** Replaces the requests of a round by what comes of them, as `ReachMarks` does (YES is twice REFUSED). All counts are 0 again when it is done. */
  judge(requests: Requests): void {
    if (!this.count(requests)) {
      this.table = wide(requests.n);
      this.isShared = false;
      this.count(requests);
    }
    const { size, losses } = requests;
    // Lost answers, each by how many come after it at its mediator, times n, plus the mediator.
    const lost = Array.from({ length: SETS }, () => new Set<number>());
    const assembled = this.isShared ? requests.assembled : null;
    let arrived = 0;
    for (let i = 0; i < size; i++) {
      if (assembled !== null) {
        const { end, arrived: more, flipped } = assembled.judgeUntil(i, size, losses.ahead);
        losses.pass(flipped);
        arrived += more;
        i = end;
        if (i === size) break;
      }
      arrived += this.judgeOne(requests, i, lost);
    }
    this.delivered = arrived > 0;
  }

  /** 1 where the answer arrives. */
  private judgeOne({ list, losses, n }: Requests, i: number, lost: readonly Set<number>[]): 0 | 1 {
    const { counts, answered, losing } = this.table;
    const request = list[i];
    const last = request >>> 31;
    if (isGone(request)) {
      list[i] = last | MISSING;
      return 0;
    }
    const to = receiver(request);
    const mark = counts[to];
    // Whether it is the first here cannot be guessed, nor whether another comes: numbers instead of branches.
    const isFirst = ((mark & answered) - 1) >>> 31;
    const left = (mark & (losing - 1)) - 1;
    const comeMore = -left >>> 31;
    let flags = mark & losing;
    if (!losses.pass(mark & -isFirst)) {
      losses.each(mark, (answer) => lost[to % SETS].add((left - answer) * n + to));
      flags = losing;
    }
    counts[to] = (left | flags | answered) & -comeMore;
    list[i] = last | (REFUSED << (isFirst & ~comeMore));
    if (flags === 0 || !lost[to % SETS].delete(left * n + to)) return 1;
    list[i] = last | MISSING;
    return 0;
  }

  /** Counts the requests of each mediator; false where there are too many for the table. */
  private count({ list, size, assembled }: Requests): boolean {
    const { counts, losing } = this.table;
    if (this.isShared && assembled !== null) return assembled.count(size, losing);
    for (let i = 0; i < size; i++) {
      const request = list[i];
      if (!isGone(request) && ++counts[receiver(request)] === losing) return false;
    }
    return true;
  }
}
