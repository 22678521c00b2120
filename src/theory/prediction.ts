/** What is asked of theory, and what it answers. */
import type { GraphFacts } from "../protocol.ts";

/** What can go wrong on the way, as theory reckons with it. */
export interface Losses {
  /** That a unicast is lost, that a receiver misses a multicast, that a process has crashed (as `simulate` takes them). */
  readonly loss: number;
  readonly multicastLoss: number;
  readonly crash: number;
}

/** Nothing goes wrong. */
export const LOSSLESS: Losses = { loss: 0, multicastLoss: 0, crash: 0 };

/** Whether nothing goes wrong on the way. */
export const faultless = ({ loss, multicastLoss, crash }: Losses): boolean =>
  loss === 0 && multicastLoss === 0 && crash === 0;

/** Plain data, so that theory needs to know nothing of protocols: parameters in full, counts and probabilities. */
export interface Question extends Losses {
  readonly n: number;
  readonly params: Readonly<Record<string, number | string | boolean | null>>;
  /** How many processes start on their own. */
  readonly initiators: number;
  /** Whether parameters that would do better are wanted too; false saves the search for them. */
  readonly optimum?: boolean;
  /** The network, where the protocol runs on any. */
  readonly graph?: GraphFacts | null;
}

/**
 * exact: a closed form, a sum or a recursion without omissions. bound: no better than this is promised. approximation: near
 * it, and tested against simulation. none: theory has nothing to say, and `reason` says why.
 */
export type Method = "exact" | "bound" | "approximation" | "none";

/** Means and chances; what does not exist, or nobody can say, is null. */
export interface Prediction {
  readonly method: Method;
  readonly success: number | null;
  readonly pNone: number | null;
  readonly pMany: number | null;
  /** As `simulate` counts them. */
  readonly messages: number | null;
  readonly rounds: number | null;
  /** What the chances are made of. */
  readonly factors: Readonly<Record<string, number>> | null;
  /** Parameters that would do better. */
  readonly optimum: Readonly<Record<string, unknown>> | null;
  /** Why theory has nothing to say; only where the method is "none". */
  readonly reason?: string;
}

/** A prediction that says nothing: each formula fills in what it knows. */
export const NOTHING_PREDICTED: Prediction = {
  method: "none",
  success: null,
  pNone: null,
  pMany: null,
  messages: null,
  rounds: null,
  factors: null,
  optimum: null,
};

/** The answer to a question that theory cannot answer. */
export const cannotSay = (reason: string): Prediction => ({ ...NOTHING_PREDICTED, reason });
