/**
 * What comes of the requests of a round of the tournament where answers may be lost. A mediator answers all who have reached it when its first request
 * has come, so answers draw for their loss in the order of first requests. Few are lost: all that has to be known of the others is how many
 * there are before the next lost one, and that is a count per mediator.
 */

import { Leftover } from "../leftover.ts";
import { MISSING, REFUSED } from "./answers.ts";
import { isGone, type Requests, receiver } from "./requests.ts";

const bytesLeft = new Leftover((n) => new Uint8Array(n));

/** By mediator, how many requests are still to come; the two highest bits say that it has answered, and that some answers are lost. */
interface Table {
  readonly counts: Uint8Array<ArrayBuffer> | Uint32Array;
  readonly answered: number;
  readonly losing: number;
}

const narrow = (n: number): Table => ({ counts: bytesLeft.take(n).fill(0), answered: 2 ** 7, losing: 2 ** 6 });
const wide = (n: number): Table => ({ counts: new Uint32Array(n), answered: 2 ** 30, losing: 2 ** 29 });

/** A set ends at 2^24 numbers. */
const SETS = 64;

export class LossyMarks {
  /** Whether any answer has arrived. */
  delivered = false;
  private table: Table;

  constructor(n: number) {
    this.table = narrow(n);
  }

  /** There is no round after this one. */
  end(): void {
    if (this.table.counts instanceof Uint8Array) bytesLeft.leave(this.table.counts);
  }

  /** Replaces the requests of a round by what comes of them, as `ReachMarks` does (YES is twice REFUSED). All counts are 0 again when it is done. */
  judge(requests: Requests): void {
    if (!this.count(requests)) {
      this.table = wide(requests.n);
      this.count(requests);
    }
    const { list, size, losses, n } = requests;
    const { counts, answered, losing } = this.table;
    // Lost answers, each by how many come after it at its mediator, times n, plus the mediator.
    const lost = Array.from({ length: SETS }, () => new Set<number>());
    let arrived = 0;
    for (let i = 0; i < size; i++) {
      const request = list[i];
      const last = request >>> 31;
      if (isGone(request)) {
        list[i] = last | MISSING;
        continue;
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
      if (flags === 0 || !lost[to % SETS].delete(left * n + to)) arrived++;
      else list[i] = last | MISSING;
    }
    this.delivered = arrived > 0;
  }

  /** Counts the requests of each mediator; false where there are too many for the table. */
  private count({ list, size }: Requests): boolean {
    const { counts, losing } = this.table;
    for (let i = 0; i < size; i++) {
      const request = list[i];
      if (!isGone(request) && ++counts[receiver(request)] === losing) return false;
    }
    return true;
  }
}
