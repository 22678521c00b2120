import { afekGafni } from "../protocols/complete/afek-gafni.ts";
import { afekGafniAsync } from "../protocols/complete/afek-gafni-async.ts";
import { lnChoose } from "../theory/chance.ts";
import type { Prediction, Question } from "../theory/prediction.ts";
import { harmonic } from "../theory/rings/rings.ts";
import type { Entry } from "./entry.ts";

const phasesOf = (n: number): number => Math.ceil(Math.log2(n));

/** At most n requests and answers in the first phase, 2n and n in each other one; and the announcement. */
const mostInPhases = (n: number): number => (n === 1 ? 0 : 3 * n * phasesOf(n) - n + n - 1);

/** At most n/(l + 1) candidates come to l captures, and a capture takes four messages; and the announcement. */
const mostByCaptures = (n: number): number => 4 * n * harmonic(n - 1) + n - 1;

/** How probably there is a candidate among so many processes. */
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

export const afekGafniEntries: readonly Entry[] = [
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
