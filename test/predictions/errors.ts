/**
 * How far predictions are from simulation. The error of a quantity is |predicted - simulated| / simulated, and it is judged only
 * where the simulation says it well enough: where the half-width of its 95% interval (1.96 standard errors) is at most 5% of
 * the larger of the two. Trials are added until every predicted quantity can be judged, or until a setting has cost enough.
 */
import { predict } from "../../src/registry/all.ts";
import { questionFrom } from "../../src/simulation/question.ts";
import { type Request, resolve } from "../../src/simulation/settings.ts";
import { runTrial, type Trial } from "../../src/simulation/trial.ts";
import type { Prediction } from "../../src/theory/prediction.ts";

export const QUANTITIES = ["success", "pNone", "pMany", "messages", "rounds"] as const;
export type Quantity = (typeof QUANTITIES)[number];

/** Half-widths above this share of the value say too little. */
const NARROW = 0.05;

const measured: Readonly<Record<Quantity, (trial: Trial) => number>> = {
  success: ({ outcome }) => Number(outcome === "one"),
  pNone: ({ outcome }) => Number(outcome === "none"),
  pMany: ({ outcome }) => Number(outcome === "many"),
  messages: ({ messages }) => messages,
  rounds: ({ rounds }) => rounds,
};

export interface Compared {
  readonly request: Request;
  readonly trials: number;
  /** Null where theory has nothing to say. */
  readonly method: Prediction["method"] | null;
  readonly judged: readonly Judged[];
}

export interface Judged {
  readonly quantity: Quantity;
  readonly predicted: number;
  readonly simulated: number;
  readonly standardError: number;
  readonly error: number;
}

class Mean {
  private count = 0;
  private mean = 0;
  private squares = 0;

  add(value: number): void {
    this.count++;
    const before = value - this.mean;
    this.mean += before / this.count;
    this.squares += before * (value - this.mean);
  }

  /**
   * Null where the interval is too wide, or where nothing was predicted and nothing happened, which is no feat. What has not
   * happened yet still may, as often as predicted.
   */
  against(quantity: Quantity, predicted: number): Judged | null {
    const { count, mean } = this;
    const rate = quantity === "messages" || quantity === "rounds" ? 0 : predicted * (1 - predicted);
    const standardError = Math.sqrt(Math.max(this.squares / Math.max(1, count - 1), rate) / count);
    if (mean === 0 && predicted === 0) return null;
    if (1.96 * standardError > NARROW * Math.max(mean, predicted)) return null;
    const off = Math.abs(predicted - mean);
    const error = off <= 1e-9 * predicted ? 0 : off / Math.max(mean, 1 / count);
    return { quantity, predicted, simulated: mean, standardError, error };
  }
}

/** `work`: messages, and a hundred for each trial. */
export function compare(request: Request, work: number, mostTrials = 40_000): Compared {
  const settings = resolve(request);
  const prediction = predict({ ...questionFrom(settings), optimum: false });
  if (prediction.method === "none") return { request, trials: 0, method: null, judged: [] };
  const means = new Map(QUANTITIES.filter((name) => prediction[name] !== null).map((name) => [name, new Mean()]));
  let judged: Judged[] = [];
  let trials = 0;
  for (
    let spent = 0, next = 200;
    (trials === 0 || judged.length < means.size) && spent < work && trials < mostTrials;
    next *= 2
  ) {
    for (; trials < Math.min(next, mostTrials) && spent < work; trials++) {
      const trial = runTrial(settings, trials);
      for (const [name, mean] of means) mean.add(measured[name](trial));
      spent += 100 + trial.messages;
    }
    judged = [...means].flatMap(([name, mean]) => mean.against(name, prediction[name]!) ?? []);
  }
  return { request, trials, method: prediction.method, judged };
}

export interface Summary {
  readonly judged: number;
  readonly median: number;
  readonly worst: number;
}

export function summaryOf(errors: readonly number[]): Summary {
  const sorted = [...errors].sort((a, b) => a - b);
  const { length } = sorted;
  if (length === 0) return { judged: 0, median: 0, worst: 0 };
  const median = (sorted[Math.floor((length - 1) / 2)] + sorted[Math.floor(length / 2)]) / 2;
  return { judged: length, median, worst: sorted[length - 1] };
}
