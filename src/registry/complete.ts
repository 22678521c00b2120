/** Elections by ids on complete networks, and what they cost. */

import { afekGafni } from "../protocols/complete/afek-gafni.ts";
import { afekGafniAsync } from "../protocols/complete/afek-gafni-async.ts";
import { bully } from "../protocols/complete/bully.ts";
import { lnChoose } from "../theory/chance.ts";
import type { Prediction, Question } from "../theory/prediction.ts";
import { harmonic } from "../theory/rings/rings.ts";
import type { Entry } from "./entry.ts";

/** Up to this many terms are summed; above, the number of those who start below a process is taken for its mean. */
const SUMMED = 2_000_000;

/**
 * Processes by the number p of ids above theirs. A process that starts, or is asked by one below it, asks p processes. The live
 * ones among them answer. Then the largest that lives tells all below it. One race matters: a process that has not started
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

const bullyEntry: Entry = {
  protocol: bully,
  predict: predictBully,
  planning: {
    // The largest that lives is asked, waits for those above it that do not, and is heard; or the last answers come.
    time: ({ crash }) => (crash > 0 ? 4 : 3),
    // Each half has a largest id.
    half: () => 1,
  },
};

const phasesOf = (n: number): number => Math.ceil(Math.log2(n));

/** At most n requests and answers in the first phase, 2n and n in each other one; and the announcement. */
const mostInPhases = (n: number): number => (n === 1 ? 0 : 3 * n * phasesOf(n) - n + n - 1);

/** At most n/(l + 1) candidates come to l captures, and a capture takes four messages; and the announcement. */
const mostByCaptures = (n: number): number => 4 * n * harmonic(n - 1) + n - 1;

/** How probably there is a candidate among this many processes. */
const isCandidateAmong = (processes: number, n: number, initiators: number): number =>
  processes + initiators > n ? 1 : -Math.expm1(lnChoose(n - processes, initiators) - lnChoose(n, initiators));

/**
 * A candidate is left after some phases if it is the largest of those it has met, on both sides: as many as `met`, those who gave up
 * before counted as if they were there. A process answers in a phase if the largest candidate so far asks it just then.
 */
function inPhases(n: number, initiators: number): number {
  let messages = n - 1;
  let used = 0;
  for (let phase = 0; used < n - 1; phase++) {
    const asked = Math.min(2 ** phase, n - 1 - used);
    const met = phase === 0 ? 1 : Math.min(n, 3 * 2 ** (phase - 1) - 1);
    const candidates = (n * isCandidateAmong(met, n, initiators)) / met;
    const heard = used + asked + 1;
    messages += asked * (candidates + (n * isCandidateAmong(heard, n, initiators)) / heard);
    used += asked;
  }
  return messages;
}

/** Everybody must answer the largest. */
const elects = ({ n, initiators, loss, crash }: Question, messages: number): number =>
  initiators === 0 ? 0 : (1 - crash) ** n * (1 - loss) ** messages;

function predictAfekGafni(question: Question): Partial<Prediction> {
  const { n, initiators, loss, crash } = question;
  const success = elects(question, 2 * (n - 1));
  const isPlain = loss === 0 && crash === 0;
  return {
    method: "approximation",
    success,
    pNone: 1 - success,
    pMany: 0,
    messages: isPlain ? inPhases(n, initiators) : null,
    rounds: isPlain ? (n === 1 ? 0 : 2 * phasesOf(n) + 1) : null,
    factors: { atMost: mostInPhases(n) },
  };
}

/** Of k candidates that meet a process in random order, H_k are the strongest so far: about as many owners as it has, at two messages each. */
function predictAfekGafniAsync(question: Question): Partial<Prediction> {
  const { n, initiators, loss, crash } = question;
  const atMost = mostByCaptures(n);
  const success = elects(question, atMost);
  const isPlain = loss === 0 && crash === 0;
  return {
    method: isPlain && initiators === 1 ? "exact" : "approximation",
    success,
    pNone: 1 - success,
    pMany: 0,
    messages: isPlain ? (n - 1) * (2 * harmonic(initiators) + 1) : null,
    rounds: isPlain && initiators === 1 ? (n === 1 ? 0 : 2 * n - 1) : null,
    factors: { atMost },
  };
}

export const completeEntries: readonly Entry[] = [
  bullyEntry,
  {
    protocol: afekGafni,
    predict: predictAfekGafni,
    planning: { time: ({ n }) => (n === 1 ? 0 : 2 * phasesOf(n) + 1) },
  },
  {
    protocol: afekGafniAsync,
    predict: predictAfekGafniAsync,
    // The winner's captures, and what others have sent meanwhile.
    planning: { time: ({ n }) => 4 * n },
  },
];
