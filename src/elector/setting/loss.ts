/** How many messages get lost: as a user has said, or as probes have shown, with an interval. */
import { wilson } from "../../statistics/intervals.ts";

/** Direct probes, and how many of them went unanswered. A probe is two datagrams: a question and its answer. */
export interface Probes {
  readonly probes: number;
  readonly lost: number;
}

/** The share of single messages that is lost. */
export interface LossEstimate {
  readonly from: "measured" | "configured";
  /** Both ends of the 95% interval; equal where it was configured. Elections are set up for the upper one. */
  readonly low: number;
  readonly high: number;
}

/** With fewer probes an interval says next to nothing; then so much is assumed, or what was seen where that is more. */
const ENOUGH = 30;
const ASSUMED = 0.05;

/**
 * Ends of intervals move to these, outwards: a setting should change when the network does, and not with every probe. More
 * than a half is no network on which a majority answers.
 */
const CLASSES = [0, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5] as const;

const up = (loss: number): number => CLASSES.find((end) => end >= loss) ?? CLASSES[CLASSES.length - 1];
const down = (loss: number): number => CLASSES.findLast((end) => end <= loss) ?? 0;

/** Of one message, where a probe fails if either of its two is lost: 1 - (1 - q)² = failed. */
const oneWay = (failed: number): number => 1 - Math.sqrt(1 - Math.min(1, failed));

export function lossOf(configured: number | null, { probes, lost }: Probes): LossEstimate {
  if (configured !== null) return { from: "configured", low: configured, high: configured };
  const { rate, low, high } = wilson(lost, probes);
  const upper = probes < ENOUGH ? Math.max(ASSUMED, oneWay(rate ?? 0)) : oneWay(high!);
  return { from: "measured", low: down(oneWay(low ?? 0)), high: up(upper) };
}
