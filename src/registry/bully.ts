import { bully } from "../protocols/complete/bully.ts";
import { lnChoose } from "../theory/chance.ts";
import type { Prediction, Question } from "../theory/prediction.ts";
import type { Entry } from "./entry.ts";

/** Up to so many terms are summed; above, the number of those who start below a process is taken for its mean. */
const SUMMED = 2_000_000;

/**
 * Processes by the number p of ids above theirs. Whoever starts, or is asked by somebody below, asks p processes, and those of
 * them that live answer. Then the largest that lives tells all below it. One race matters: a process that has not started
 * holds no election if the largest, which has, is heard first; as with equal delays, each who is heard first is equally likely.
 */
function predictBully({ n, initiators, loss, crash }: Question): Partial<Prediction> | null {
  if (loss > 0) return null;
  let messages = 0;
  for (let p = 0; p < n; p++) {
    const { holds, isStarted } = election(n, initiators, crash, p);
    messages += holds * p * (2 - crash) + isStarted * crash ** p * (n - 1 - p);
  }
  const nobody = crash ** initiators;
  return {
    method: initiators === n ? "exact" : "approximation",
    success: 1 - nobody,
    pNone: nobody,
    pMany: 0,
    messages,
    rounds: crash > 0 ? null : rounds(n, initiators),
    factors: { best: n - 1, worst: n * n - 1 },
  };
}

/** How probably the process with p ids above it lives and holds an election, or lives and somebody starts up to it. */
function election(n: number, initiators: number, crash: number, p: number): { holds: number; isStarted: number } {
  const lives = 1 - crash;
  let holds = (lives * initiators) / n;
  let isStarted = holds;
  for (const { below, chance } of startersBelow(n, initiators, p)) {
    const asked = 1 - crash ** below;
    const race = p === 0 ? 0 : (lives * (initiators - below)) / p;
    const heardLater = 1 - (1 - crash ** (below + 1)) / ((below + 1) * lives);
    holds += lives * chance * ((1 - race) * asked + race * heardLater);
    isStarted += lives * chance * asked;
  }
  return { holds, isStarted };
}

/** Of a process that does not start itself: how many of those below it do. */
function startersBelow(n: number, initiators: number, p: number): { below: number; chance: number }[] {
  if (n * initiators > SUMMED) {
    const below = Math.min(initiators, (initiators * (n - 1 - p)) / (n - 1));
    return [{ below, chance: 1 - initiators / n }];
  }
  const least = Math.max(0, initiators - p);
  const most = Math.min(initiators, n - 1 - p);
  return Array.from({ length: Math.max(0, most - least + 1) }, (_, i) => {
    const below = least + i;
    const ways = lnChoose(n - 1 - p, below) + lnChoose(p, initiators - below) - lnChoose(n, initiators);
    return { below, chance: Math.exp(ways) };
  });
}

/** Equal delays. One starts: with none above it 1, with one 2, with more 3. All start: 2. */
function rounds(n: number, initiators: number): number | null {
  if (n === 1) return 0;
  if (initiators === n) return 2;
  return initiators === 1 ? (3 * (n - 1)) / n : null;
}

export const bullyEntry: Entry = {
  protocol: bully,
  predict: predictBully,
  planning: {
    // The largest that lives is asked, waits for those above it that do not, and is heard; or the last answers come.
    time: ({ crash }) => (crash > 0 ? 4 : 3),
    // Each half has a largest id.
    half: () => 1,
  },
};
