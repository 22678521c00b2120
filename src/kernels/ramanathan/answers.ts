/**
 * What mediators answer in one exchange, and what the contenders make of it. Without loss nothing depends on the order of
 * messages, and a mark per mediator is enough; with loss every answer draws, in the order in which the host would send it.
 */
import { isGone, isLast, type Requests, receiver } from "./requests.ts";

/** What a contender has heard: positive answers and refusals, by its place in the list of contenders. */
export interface Heard {
  readonly yes: Int32Array;
  readonly no: Int32Array;
  /** Contenders in the order in which they come to their decision. */
  readonly order: Int32Array;
  /** Whether any answer arrived. */
  readonly delivered: boolean;
}

/** Who has been reached in a round, by one or by more: two bits for each mediator, in words side by side, so that most lie in a cache. */
export class ReachMarks {
  /** Whether any answer has arrived. */
  delivered = false;
  /** For each 32 mediators a word of those that were reached, and a word of those that were reached again. */
  private marks = new Int32Array(0);

  private reach({ list, size, n }: Requests): void {
    if (this.marks.length === 0) this.marks = new Int32Array(2 * Math.ceil(n / 32));
    const { marks } = this;
    marks.fill(0);
    for (let i = 0; i < size; i++) {
      if (isGone(list[i])) continue;
      const to = receiver(list[i]);
      const at = (to >>> 5) << 1;
      const bit = 1 << (to & 31);
      const reached = marks[at];
      marks[at + 1] |= reached & bit;
      marks[at] = reached | bit;
    }
  }

  /**
   * Replaces the requests of this round by what comes of them: `LAST`, and `MISSING`, `REFUSED` or `YES`. Without a branch that
   * hangs on a mark: memory is then read ahead, and is what most of the time goes into.
   */
  judge(requests: Requests): void {
    const { list, size, answered, assembled } = requests;
    this.delivered = answered > 0;
    if (assembled !== null) {
      assembled.judge(size);
      return;
    }
    this.reach(requests);
    const { marks } = this;
    for (let i = 0; i < size; i++) {
      const request = list[i];
      const missing = isGone(request) ? 1 : 0;
      const to = receiver(request);
      const crowded = (marks[((to >>> 5) << 1) + 1] >>> (to & 31)) & 1;
      list[i] = (request >>> 31) | (missing << 1) | ((crowded & ~missing) << 2) | ((~crowded & ~missing & 1) << 3);
    }
  }
}

/** What comes of a request, as bits. The fourth bit, YES, is only read by shifts. */
export const LAST = 1;
export const MISSING = 2;
export const REFUSED = 4;

/** Says which of two contenders a mediator prefers, by their places. */
type Preference = (a: number, b: number) => boolean;

/** Answers of mediators that prefer somebody, and which may be lost; `groupOf`: room for a number of each mediator. */
export function answerWithLoss(requests: Requests, contenders: number, groupOf: Int32Array, beats: Preference): Heard {
  const { losses } = requests;
  const byMediator = new Groups(requests, groupOf);
  const yes = new Int32Array(contenders);
  const no = new Int32Array(contenders);
  const order = new Int32Array(contenders);
  let ordered = 0;
  let delivered = false;
  for (let group = 0; group < byMediator.groups; group++) {
    const from = byMediator.start(group);
    const to = byMediator.start(group + 1);
    let winner = byMediator.members[from];
    for (let i = from + 1; i < to; i++) if (beats(byMediator.members[i], winner)) winner = byMediator.members[i];
    for (let i = from; i < to; i++) {
      if (losses.flip()) continue;
      const contender = byMediator.members[i];
      delivered = true;
      if (yes[contender] + no[contender] === 0) order[ordered++] = contender;
      if (contender === winner) yes[contender]++;
      else no[contender]++;
    }
  }
  // Those who hear nothing are woken by their timers, in the order in which they asked.
  for (let i = 0; i < contenders; i++) if (yes[i] + no[i] === 0) order[ordered++] = i;
  return { yes, no, order, delivered };
}

/** Contenders by the mediator that they reached: mediators in the order of their first request, contenders in that of theirs. */
class Groups {
  readonly groups: number;
  readonly members: Int32Array;
  /** Where each group ends, from group 1 on. */
  private readonly ends: Int32Array;

  constructor({ list, size, answered, n }: Requests, groupOf: Int32Array) {
    // By mediator; 0: it has no group.
    groupOf.fill(0);
    const ends = new Int32Array(Math.min(n, answered) + 1);
    let groups = 0;
    for (let i = 0; i < size; i++) {
      if (isGone(list[i])) continue;
      const to = receiver(list[i]);
      if (groupOf[to] === 0) groupOf[to] = ++groups;
      ends[groupOf[to]]++;
    }
    for (let group = 1, place = 0; group <= groups; group++) {
      const members = ends[group];
      ends[group] = place;
      place += members;
    }
    this.members = new Int32Array(answered);
    for (let i = 0, contender = 0; i < size; i++) {
      if (!isGone(list[i])) this.members[ends[groupOf[receiver(list[i])]]++] = contender;
      if (isLast(list[i])) contender++;
    }
    this.groups = groups;
    this.ends = ends;
  }

  /** Where a group begins, counted from 0: where the one before it ends. */
  start(group: number): number {
    return this.ends[group];
  }
}
