/**
 * What comes of the requests of a round of the tournament where answers may be lost. A mediator answers all who have reached it when its first request
 * has come, so answers draw for their loss in the order of first requests. Few are lost: all that has to be known of the others is how many
 * there are before the next lost one, and that is a count per mediator.
 */
import type { Coins } from "../random/coins.ts";
import { LAST, MISSING, REFUSED, YES } from "./answers.ts";
import { isGone, type Requests, receiver } from "./requests.ts";

/** By mediator, how many requests are still to come; the two highest bits say that it has answered, and that some answers are lost. */
interface Table {
  readonly counts: Uint8Array | Uint32Array;
  readonly answered: number;
  readonly losing: number;
}

const narrow = (n: number): Table => ({ counts: new Uint8Array(n), answered: 2 ** 7, losing: 2 ** 6 });
const wide = (n: number): Table => ({ counts: new Uint32Array(n), answered: 2 ** 31, losing: 2 ** 30 });

/** Of the answers of a mediator, in the order of requests: which are lost, and how many have been given. */
interface Losing {
  readonly lost: ReadonlySet<number>;
  given: number;
}

export class LossyMarks {
  /** Whether any answer has arrived. */
  delivered = false;
  private table: Table;

  constructor(n: number) {
    this.table = narrow(n);
  }

  /** Replaces the requests of a round by what comes of them, as `Marks` does. All counts are 0 again when it is done. */
  judge(requests: Requests): void {
    if (!this.count(requests)) {
      this.table = wide(requests.n);
      this.count(requests);
    }
    const { list, size, losses } = requests;
    const { counts, answered, losing } = this.table;
    const losers = new Map<number, Losing>();
    let arrived = 0;
    for (let i = 0; i < size; i++) {
      const request = list[i];
      const last = request < 0 ? LAST : 0;
      if (isGone(request)) {
        list[i] = last | MISSING;
        continue;
      }
      const to = receiver(request);
      const mark = counts[to];
      const isFirst = (mark & answered) === 0;
      const isAlone = isFirst && mark === 1;
      let flags = mark & losing;
      if (isFirst && !losses.pass(mark)) {
        losers.set(to, { lost: lostOf(mark, losses), given: 0 });
        flags = losing;
      }
      const left = (mark & (losing - 1)) - 1;
      counts[to] = left === 0 ? 0 : left | flags | answered;
      const isLost = flags !== 0 && isNextLost(losers.get(to)!);
      if (!isLost) arrived++;
      list[i] = last | (isLost ? MISSING : isAlone ? YES : REFUSED);
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

function lostOf(answers: number, losses: Coins): Set<number> {
  const lost = new Set<number>();
  losses.each(answers, (answer) => lost.add(answer));
  return lost;
}

const isNextLost = (losing: Losing): boolean => losing.lost.has(losing.given++);
