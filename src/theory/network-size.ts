/** How well, and how dearly, repeats among random processes tell how many there are. */
import type { Surroundings } from "../protocol.ts";
import { cannotSay, type Prediction, type Question } from "./prediction.ts";

/** What is to be expected of samples drawn uniformly from n until so many were repeats. */
interface Repeats {
  /** The mean number of samples, about sqrt(2 n repeats). */
  readonly samples: number;
  /** The standard deviation of the estimate over n; its mean is n exactly. */
  readonly relativeError: number;
}

/** Less than this share of the cases is left out. */
const NEGLIGIBLE = 1e-16;

/**
 * Exact. With d distinct processes taken, a sample is a repeat with probability d/n, so the sum of d over all samples less
 * n times the repeats is a martingale: at the r-th repeat the sum has mean n r, and variance n² r less the mean sum of d².
 */
export function untilRepeats(n: number, repeats: number): Repeats {
  // The chances of having so many repeats when the d-th distinct process is taken.
  let reached = new Float64Array(repeats);
  reached[0] = 1;
  let samples = 1;
  let squares = 0;
  for (let d = 1, left = 1; d <= Math.ceil(n) && left > NEGLIGIBLE; d++) {
    const again = Math.min(1, d / n);
    const next = new Float64Array(repeats);
    let here = 0;
    left = 0;
    for (let c = 0, before = 0; c < repeats; c++) {
      const visits = reached[c] + again * before;
      here += visits;
      next[c] = (1 - again) * visits;
      left += next[c];
      before = visits;
    }
    samples += here;
    squares += here * d * d;
    reached = next;
  }
  const variance = Math.max(0, 1 / repeats - squares / (n * repeats) ** 2);
  return { samples, relativeError: Math.sqrt(variance) };
}

/**
 * The mean estimate of a walk that prefers nodes with many links, about: as if after t samples a node were taken with probability
 * 1 - e^(-p t), p being its share of all ends of links, and the repeats came when they are due on average.
 */
function preferringEstimate(around: readonly Surroundings[], repeats: number): number {
  const ends = around.reduce((sum, { nodes, degree }) => sum + nodes * degree, 0);
  let [exposure, due] = [0, 0];
  for (let t = 0; due < repeats; t++) {
    for (const { nodes, degree } of around) {
      const taken = -nodes * Math.expm1((-degree / ends) * t);
      exposure += taken;
      due += (taken * degree) / ends;
    }
  }
  return exposure / repeats;
}

/**
 * How good the estimate is follows for fresh walks alone (gap = tau). What it costs is known where all have as many links, so
 * that no step is refused; the answer's way home, at most the walk's own, is left out.
 */
export function predictSize({ n, params, initiators, loss, crash, graph }: Question): Prediction {
  const { repeats, tau, gap, lazy, walk } = params as unknown as Params;
  if (graph === undefined || graph === null) return cannotSay("the question has no network");
  if (n < 2) return cannotSay("a single process has nobody to walk to");
  if (initiators !== 1) return cannotSay("several that estimate at once have not been computed: initiators=1");
  if (tau === null || gap === null) return cannotSay("the mixing time of this network is not known: give tau");
  if (loss > 0 || crash > 0) return cannotSay("how walks that are lost distort the estimate has not been computed");
  if (gap < tau) return cannotSay("samples that are less than tau steps apart depend on each other");
  const around = walk === "simple" ? graph.surroundings() : null;
  const size = walk === "metropolis" ? n : around === null ? null : preferringEstimate(around, repeats);
  if (size === null) return cannotSay("the degrees of this network take too long to count");
  const { samples, relativeError } = untilRepeats(size, repeats);
  const steps = (tau + (samples - 1) * gap) * (lazy === "true" ? 0.5 : 1);
  const regular = walk === "simple" || graph.uniformWalk() !== "metropolis";
  return {
    method: "approximation",
    success: 1,
    pNone: 0,
    pMany: 0,
    messages: regular ? steps : null,
    rounds: regular ? steps : null,
    factors: { estimate: size, samples, relativeError, atMostError: 1 / Math.sqrt(repeats) },
    optimum: null,
  };
}

interface Params {
  readonly walk: "metropolis" | "simple";
  readonly repeats: number;
  readonly tau: number | null;
  readonly gap: number | null;
  readonly lazy: string;
}
