/** What the planner asks of a protocol's entry: which elections it is for, and how parameters are searched for them. */
import type { AnyProtocol, Assumptions } from "../protocol.ts";
import type { Params } from "../protocols/parameters.ts";
import type { Losses, Method, Prediction, Question } from "../theory/prediction.ts";

/** What can go wrong in a run. */
export type Fault = Assumptions["tolerates"][number];

/** Elect a council of L to U members. */
export interface Council {
  readonly L: number;
  readonly U: number;
}

/** What a user wants of an election, checked. Rates are those of a datagram; for one protocol, those of its messages. */
export interface PlanSetting extends Losses {
  readonly n: number;
  readonly success: number;
  /** How often nobody, and several, may lead at most, beside what `success` leaves for both. */
  readonly none: number;
  readonly several: number;
  readonly initiators: number;
  readonly council: Council | null;
  /** Message delays: on average, and within which exactly one leads with the probability asked for. */
  readonly latency: number;
  readonly within: number;
  /** Milliseconds that a message takes at most; null where only delays are counted. */
  readonly tau: number | null;
  /** The network has IP multicast; messages can be acknowledged and sent again; ids are 1 to n. */
  readonly multicast: boolean;
  readonly reliable: boolean;
  readonly denseIds: boolean;
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
  /** What the network carries: every link that a message crosses, every copy of a multicast, acknowledgements. */
  readonly datagrams: number;
  /** Message delays, about, on average: what makes rounds of different protocols comparable. */
  readonly delays: number;
  /** Message delays within which exactly one leads with the probability asked for; null where a simulation has to say. */
  readonly time: number | null;
  readonly pNone: number;
  readonly pMany: number;
  /** The chance of two leaders where the network falls into two halves, about. */
  readonly split: number;
  readonly method: Method;
  /** The share of the messages that elections cause which hardly ever happen. */
  readonly rare: number;
}

/** Collects attempts with one protocol; the cheapest that meets target and latency becomes the candidate. */
export interface Tries {
  readonly setting: PlanSetting;
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
  refuse?(setting: PlanSetting): string | null;
  /** Each may give a candidate; its default parameters where this is missing. Or why there is none. */
  ways?(setting: PlanSetting): readonly Way[] | string;
  /** What to expect of a whole election, where the entry's `predict` says it of a part. */
  predict?(question: Question): Prediction;
  /** Faults that it bears beyond those that it assumes, and with which parameters. */
  readonly bears?: Readonly<Partial<Record<Fault, string>>>;
  /** Message delays that an election exceeds with at most this chance; where missing, a simulation says it. */
  time?(question: Question, tail: number, prediction: Prediction): number | null;
  /** Multicasts and unicasts of an election; where missing, all its messages are unicasts. */
  traffic?(prediction: Prediction, params: Params): Traffic;
  /** Whether theory says too little of its costs here, so that a simulation has to. */
  measured?(setting: PlanSetting): boolean;
  /** So many message delays, where a multicast takes more than one. */
  lengthen?(delays: number, multicast: number): number;
  /** How probably a half of the group elects somebody when the network falls in two, at the least; where missing, one of them never does. */
  half?(params: Params, n: number): number;
  /** Why it cannot reach what is asked for, where that can be said better than by numbers. */
  shortfall?(setting: PlanSetting): string | null;
}

/** How many messages of either kind an election sends. */
export interface Traffic {
  readonly unicasts: number;
  readonly multicasts: number;
}

/** Approximations are held to a little more than what is asked for. */
const MARGIN = 0.8;

/** How much may go wrong. */
export const allowance = ({ success }: PlanSetting, method: Method): number =>
  (1 - success) * (method === "exact" ? 1 : MARGIN);

/** Of what may go wrong, the part that is left for elections that take too long. */
export const spare = ({ success }: PlanSetting, { pNone, pMany }: Pick<Attempt, "pNone" | "pMany">): number =>
  Math.max(NEGLIGIBLE, 1 - success - pNone - pMany);

const NEGLIGIBLE = 1e-15;

export const fails = ({ pNone, pMany }: Attempt): number => pNone + pMany;

export function meets(setting: PlanSetting, tried: Attempt): boolean {
  const part = tried.method === "exact" ? 1 : MARGIN;
  return (
    fails(tried) <= allowance(setting, tried.method) &&
    1 - tried.pNone - tried.pMany >= setting.success &&
    tried.pNone <= part * setting.none &&
    tried.pMany <= part * setting.several
  );
}

export const asItIs: Way = (tries) => tries.add(tries.attempt({}));
