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

/** How many have reached each mediator in a round: none, one or more; rounds have marks of their own, so that none is erased. */
export class Marks {
  private readonly marks: Uint8Array;
  private round = 0;

  constructor(n: number) {
    this.marks = new Uint8Array(n);
  }

  /** Notes all the requests of a new round. */
  reach({ list, size }: Requests): void {
    if (this.round === 127) {
      this.marks.fill(0);
      this.round = 0;
    }
    const { marks } = this;
    const one = 2 * ++this.round - 1;
    for (let i = 0; i < size; i++) {
      if (isGone(list[i])) continue;
      const to = receiver(list[i]);
      marks[to] = marks[to] < one ? one : one + 1;
    }
  }

  /**
   * Replaces the requests of this round by what comes of them: `LAST`, `MISSING` and `REFUSED`, added up. Without a branch that
   * hangs on a mark: memory is then read ahead, and is what most of the time goes into.
   */
  judge({ list, size }: Requests): void {
    const { marks } = this;
    const one = 2 * this.round - 1;
    for (let i = 0; i < size; i++) {
      const request = list[i];
      const missing = isGone(request) ? 1 : 0;
      const crowded = marks[receiver(request)] === one ? 0 : 1;
      list[i] = (request >>> 31) | (missing << 1) | ((crowded & ~missing) << 2);
    }
  }
}

export const LAST = 1;
export const MISSING = 2;
export const REFUSED = 4;

/** Says which of two contenders a mediator prefers, by their places; null: it says yes to nobody who is not alone. */
export type Preference = ((a: number, b: number) => boolean) | null;

/** Answers that may be lost. */
export function answerWithLoss(requests: Requests, contenders: number, byMediator: Groups, beats: Preference): Heard {
  const { losses } = requests;
  byMediator.gather(requests);
  const yes = new Int32Array(contenders);
  const no = new Int32Array(contenders);
  const order = new Int32Array(contenders);
  let ordered = 0;
  let delivered = false;
  for (let group = 0; group < byMediator.groups; group++) {
    const from = byMediator.start(group);
    const to = byMediator.start(group + 1);
    let winner = to - from === 1 ? byMediator.members[from] : -1;
    if (beats !== null) {
      winner = byMediator.members[from];
      for (let i = from + 1; i < to; i++) if (beats(byMediator.members[i], winner)) winner = byMediator.members[i];
    }
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
export class Groups {
  groups = 0;
  members = new Int32Array(0);
  /** By mediator, the number of its group; 0: it has none. */
  private readonly groupOf: Int32Array;
  /** While members are put: where the next of each group goes, from group 1 on. Then: where each ends. */
  private ends = new Int32Array(1);

  constructor(n: number) {
    this.groupOf = new Int32Array(n);
  }

  gather({ list, size, answered, n }: Requests): void {
    const { groupOf } = this;
    if (this.members.length < answered) this.members = new Int32Array(answered);
    const ends = new Int32Array(Math.min(n, answered) + 1);
    this.groups = 0;
    for (let i = 0; i < size; i++) {
      if (isGone(list[i])) continue;
      const to = receiver(list[i]);
      if (groupOf[to] === 0) groupOf[to] = ++this.groups;
      ends[groupOf[to]]++;
    }
    for (let group = 1, place = 0; group <= this.groups; group++) {
      const members = ends[group];
      ends[group] = place;
      place += members;
    }
    for (let i = 0, contender = 0; i < size; i++) {
      if (!isGone(list[i])) this.members[ends[groupOf[receiver(list[i])]]++] = contender;
      if (isLast(list[i])) contender++;
    }
    for (let i = 0; i < size; i++) groupOf[receiver(list[i])] = 0;
    this.ends = ends;
  }

  /** Where a group begins, counted from 0: where the one before it ends. */
  start(group: number): number {
    return this.ends[group];
  }
}
