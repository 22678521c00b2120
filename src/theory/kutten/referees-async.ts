/** Referees without rounds: how many must be asked, and how often two lead. */
import { noneReached } from "../chance.ts";

/** Up to this many all are asked: one leader for sure, for no more messages than it takes to tell everybody who leads. */
export const ASK_ALL = 64;

/** Candidates that stand at once at the most, where a parent names them. */
export const STANDERS = 3;

interface Target {
  readonly n: number;
  readonly loss: number;
  /** How often two may lead. */
  readonly epsilon: number;
}

/**
 * That a candidate hears nothing of another one: of the H referees that both asked (hypergeometric), each has heard the other,
 * has heard it, and tells it so with probability (1 - loss)³.
 */
export const pairMiss = (n: number, m: number, loss: number): number => noneReached(n, m, m, 1 - (1 - loss) ** 3);

/** The smallest m that meets the target with three candidates; all where none does, and in small groups. */
export function refereesFor({ n, loss, epsilon }: Target): number {
  if (n <= ASK_ALL) return n;
  const pairs = (STANDERS * (STANDERS - 1)) / 2;
  const meets = (m: number): boolean => m >= n || pairs * pairMiss(n, m, loss) <= epsilon;
  // Doubling first: a sum over m referees should not be taken over n of them.
  let [low, high] = [1, 1];
  while (!meets(high)) [low, high] = [high + 1, Math.min(n, 2 * high)];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (meets(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
