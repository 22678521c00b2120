/**
 * The contest of contest.ts among so few processes that everybody asks everybody: exactly, mediator by mediator. In large
 * groups contenders fail independently of each other; among three, the message that costs one the election gives it to another.
 */
import type { Contest, Outcomes } from "./contest.ts";

/** Above this the states are too many. */
export const TINY = 4;

/** Whether the contest is one in which all ask all of so few. */
export const isTiny = ({ urn, size, withoutSelf }: Contest): boolean =>
  size === urn && urn + (withoutSelf ? 1 : 0) <= TINY;

/** `contenders` in the order of their ranks, all of them working, and `mediators` others that work too. */
export function tinyContest(contest: Contest, contenders: number, mediators: number): Outcomes {
  // One state for each combination of positive answers (base 8, 7 standing for "refused").
  let states = new Map<number, number>([[0, 1]]);
  for (let v = 0; v < contenders + mediators; v++) {
    const askers = Array.from({ length: contenders }, (_, i) => i).filter((i) => !contest.withoutSelf || i !== v);
    states = afterMediator(states, askers, contest);
  }
  const outcomes = { none: 0, one: 0, many: 0 };
  for (const [state, p] of states) {
    let leaders = 0;
    for (let i = 0; i < contenders; i++) if (leads(digit(state, i), contest.threshold)) leaders++;
    outcomes[leaders === 0 ? "none" : leaders === 1 ? "one" : "many"] += p;
  }
  return outcomes;
}

const REFUSED = 7;
const digit = (state: number, i: number): number => Math.floor(state / 8 ** i) % 8;
const leads = (answers: number, threshold: number): boolean => answers !== REFUSED && answers >= threshold;

function afterMediator(states: Map<number, number>, askers: readonly number[], contest: Contest): Map<number, number> {
  const { loss, refuses } = contest;
  const next = new Map<number, number>();
  // Requests in the order of ranks: the first that is heard is let through.
  const visit = (state: number, p: number, index: number, passed: boolean): void => {
    if (p === 0) return;
    if (index === askers.length) {
      next.set(state, (next.get(state) ?? 0) + p);
      return;
    }
    const i = askers[index];
    visit(state, p * loss, index + 1, passed);
    const heard = p * (1 - loss);
    visit(state, heard * (passed && !refuses ? 1 : loss), index + 1, true);
    if (passed && !refuses) return;
    const before = digit(state, i);
    const after = before === REFUSED || passed ? REFUSED : before + 1;
    visit(state + (after - before) * 8 ** i, heard * (1 - loss), index + 1, true);
  };
  for (const [state, p] of states) visit(state, p, 0, false);
  return next;
}
