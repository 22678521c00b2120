/** What a user wants of an election, checked; and one try of a protocol with parameters against it. */

import { questionOf } from "../simulation/question.ts";
import { InputError } from "../errors.ts";
import { protocolNamed } from "../protocols/catalogue.ts";
import type { Params } from "../protocols/parameters.ts";
import { checkNetwork } from "../simulation/network.ts";
import type { Request } from "../simulation/settings.ts";
import { predictElection } from "../theory/filter-relay-election.ts";
import { predict } from "../theory/predict.ts";
import type { Method, Prediction } from "../theory/prediction.ts";
import { networkOf } from "../topology/spec.ts";

/** The network, its faults, and what is wanted of an election on it. */
export interface PlanRequest {
  readonly n: number;
  /** The chance of exactly one leader (or of a council within its range) that is wanted: below 1. */
  readonly success: number;
  /** That a unicast is lost, that a receiver misses a multicast, that a process has crashed. */
  readonly loss?: number;
  readonly multicastLoss?: number;
  readonly crash?: number;
  /** How many processes contend; all where missing. */
  readonly initiators?: number;
  /** Elect a council of L to U members instead of a leader. */
  readonly council?: { readonly L: number; readonly U: number };
  /** Message delays that an election may take on average. */
  readonly latency?: number;
  /** The network, as `simulate` takes it; complete where missing. */
  readonly topology?: string;
  /** Simulate the first few candidates and show the intervals beside the predictions. */
  readonly verify?: boolean;
  readonly seed?: number;
  /** Threads of these simulations; 0, the default, is the calling one. */
  readonly threads?: number;
}

export interface Setting {
  readonly n: number;
  readonly success: number;
  readonly loss: number;
  readonly multicastLoss: number;
  readonly crash: number;
  readonly initiators: number;
  readonly council: { readonly L: number; readonly U: number } | null;
  readonly latency: number;
  readonly topology: string;
  readonly seed: number;
}

/** One way to run an election, and what is to be expected of it. */
export interface Attempt {
  readonly protocol: string;
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

const LARGEST_N = 2 ** 24;

export function checkPlan(request: PlanRequest): Setting {
  const {
    n,
    success,
    loss = 0,
    multicastLoss = 0,
    crash = 0,
    council = null,
    topology = "complete",
    seed = 1,
  } = request;
  const { initiators = n, latency = Number.POSITIVE_INFINITY } = request;
  whole("n", n, 1, LARGEST_N);
  whole("initiators", initiators, 1, n);
  for (const [name, p] of Object.entries({ loss, "multicast-loss": multicastLoss, crash })) {
    if (!(p >= 0 && p < 1)) throw new InputError(`${name} must be a probability from 0 to below 1, not ${p}`);
  }
  if (!(success > 0 && success < 1)) {
    throw new InputError(
      `success must be between 0 and 1, such as 0.999, not ${success}: no randomized protocol is certain`,
    );
  }
  if (!(latency > 0)) throw new InputError(`latency must be above 0 message delays, not ${latency}`);
  if (council !== null) {
    whole("council: L", council.L, 1, n);
    whole("council: U", council.U, council.L, Number.MAX_SAFE_INTEGER);
  }
  // A network that does not exist is an error, not a reason against every protocol.
  if (topology !== "complete" && topology !== "ring") networkOf({ spec: topology, n, seed, largestComponent: false });
  return { n, success, loss, multicastLoss, crash, initiators, council, latency, topology, seed };
}

function whole(name: string, value: number, least: number, most: number): void {
  if (Number.isSafeInteger(value) && value >= least && value <= most) return;
  const range = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`;
  throw new InputError(`${name} must be a whole number ${range}, not ${value}`);
}

/** The simulation that an attempt stands for. */
export function requestOf(setting: Setting, protocol: string, params: Params): Request {
  const { n, loss, multicastLoss, crash, initiators, topology, seed } = setting;
  return {
    protocol,
    n,
    seed,
    params,
    faults: { loss, multicastLoss, crash },
    ...(initiators < n ? { initiators } : {}),
    ...(topology === "complete" ? {} : { topology }),
  };
}

/** What to expect of a protocol with these parameters; null where theory cannot say. */
export function attempt(setting: Setting, protocol: string, chosen: Params): Attempt | null {
  const question = questionOf(requestOf(setting, protocol, chosen));
  const prediction = protocol === "filter-relay" ? predictElection(question) : predict(question);
  if (prediction === null) return null;
  // What a ring costs is known without loss only; loss makes it cheaper, since it ends elections.
  const incomplete = prediction.messages === null || prediction.rounds === null;
  const costs: Prediction = incomplete ? (predict({ ...question, loss: 0 }) ?? prediction) : prediction;
  const { pNone, pMany, method } = prediction;
  const messages = prediction.messages ?? costs.messages;
  if (pNone === null || pMany === null || messages === null || costs.rounds === null) return null;
  return {
    protocol,
    chosen,
    parameters: question.params,
    messages,
    rounds: costs.rounds,
    links: messages * linksPerMessage(setting, protocol),
    delays: delaysOf(protocol, costs.rounds, question.params, setting.n),
    pNone,
    pMany,
    method: costs === prediction ? method : "approximation",
    rare: (prediction.factors?.rareMessages ?? 0) / messages,
  };
}

/** Where a protocol asks random processes of a network that is not complete, a message goes along a walk. */
function linksPerMessage({ topology, n, seed }: Setting, protocol: string): number {
  if (topology === "complete") return 1;
  const { sampling } = checkNetwork(protocolNamed(protocol), { n, topology, seed });
  return sampling === null ? 1 : sampling.steps * (sampling.walk === "lazy" ? 0.5 : 1);
}

/** Message delays that so many rounds of a protocol take. */
export function delaysOf(protocol: string, rounds: number, params: Params, n: number): number {
  if (protocol === "filter-relay") {
    // Initiation, 3K/2 unicasts one after the other and a final multicast; before another round, the slots for telling.
    const first = 1.5 * Number(params.K) + 3;
    return first + (rounds - 1) * (Number(params.window ?? 10 * n) + Number(params.factor) * first);
  }
  const exchanges = protocol.startsWith("council-") || protocol === "tournament" || params.timing === "sync";
  return exchanges ? 2 * rounds : rounds;
}

/** Approximations are held to a little more than what is asked for. */
const MARGIN = 0.8;

/** How much may go wrong. */
export const allowance = ({ success }: Setting, method: Method): number =>
  (1 - success) * (method === "exact" ? 1 : MARGIN);

export const fails = ({ pNone, pMany }: Attempt): number => pNone + pMany;

export const meets = (setting: Setting, tried: Attempt): boolean =>
  fails(tried) <= allowance(setting, tried.method) && 1 - tried.pNone - tried.pMany >= setting.success;

/** The smallest whole number in [low, high] for which it holds, as if it held from there on; null if not even for high. */
export function least(low: number, high: number, holds: (value: number) => boolean): number | null {
  if (!holds(high)) return null;
  let [from, to] = [low, high];
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    if (holds(middle)) to = middle;
    else from = middle + 1;
  }
  return to;
}
