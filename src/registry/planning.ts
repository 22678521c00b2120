/** What the planner asks of a protocol's entry: which elections it is for, and how parameters are searched for them. */
import type { AnyProtocol } from "../protocol.ts";
import type { Params } from "../protocols/parameters.ts";
import type { Losses } from "../theory/losses.ts";
import type { Method, Prediction, Question } from "../theory/prediction.ts";

/** Elect a council of L to U members. */
export interface Council {
  readonly L: number;
  readonly U: number;
}

/** What a user wants of an election, checked. */
export interface Setting extends Losses {
  readonly n: number;
  readonly success: number;
  readonly initiators: number;
  readonly council: Council | null;
  readonly latency: number;
  readonly topology: string;
  readonly seed: number;
}

/** One way to run an election, and what is to be expected of it. */
export interface Attempt {
  readonly protocol: AnyProtocol;
  /** What was chosen, and everything in full. */
  readonly chosen: Params;
  readonly parameters: Params;
  readonly messages: number;
  readonly rounds: number;
  /** Messages times the links that each crosses: the same where the network is complete. */
  readonly links: number;
  /** Message delays, about: what makes rounds of different protocols comparable. */
  readonly delays: number;
  readonly pNone: number;
  readonly pMany: number;
  readonly method: Method;
  /** The share of the messages that elections cause which hardly ever happen. */
  readonly rare: number;
}

/** Collects attempts with one protocol; the cheapest that meets target and latency becomes the candidate. */
export interface Tries {
  readonly setting: Setting;
  /** What to expect with these parameters; null where theory cannot say. */
  attempt(chosen: Params): Attempt | null;
  add(tried: Attempt | null): void;
  /** The smallest size that meets the target, as if all larger ones did; the largest where none does. */
  addSmallest(largest: number, tryWith: (size: number) => Attempt | null): void;
  /** The cheapest so far. */
  readonly found: Attempt | null;
}

/** One way to search for parameters. */
export type Way = (tries: Tries) => void;

/** How the planner may use a protocol. */
export interface Planning {
  /** What it elects: one leader where this is missing. */
  readonly elects?: "leader" | "council";
  /** Why it is not for this election, or null. */
  refuse?(setting: Setting): string | null;
  /** Each may give a candidate; its default parameters where this is missing. Or why there is none. */
  ways?(setting: Setting): readonly Way[] | string;
  /** What to expect of a whole election, where the entry's `predict` says it of a part. */
  predict?(question: Question): Prediction | null;
  /** Why it cannot reach what is asked for, where that can be said better than by numbers. */
  shortfall?(setting: Setting): string | null;
}

/** Approximations are held to a little more than what is asked for. */
const MARGIN = 0.8;

/** How much may go wrong. */
export const allowance = ({ success }: Setting, method: Method): number =>
  (1 - success) * (method === "exact" ? 1 : MARGIN);

export const fails = ({ pNone, pMany }: Attempt): number => pNone + pMany;

export const meets = (setting: Setting, tried: Attempt): boolean =>
  fails(tried) <= allowance(setting, tried.method) && 1 - tried.pNone - tried.pMany >= setting.success;

export const asItIs: Way = (tries) => tries.add(tries.attempt({}));
