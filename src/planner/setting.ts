/** What a user wants of an election, checked; and one try of a protocol with parameters against it. */

import { InputError } from "../errors.ts";
import { protocolNamed } from "../protocols/catalogue.ts";
import type { Params } from "../protocols/parameters.ts";
import { countOf } from "../simulation/kinds.ts";
import { checkNetwork } from "../simulation/network.ts";
import { questionOf } from "../simulation/question.ts";
import { LARGEST_N, type Request } from "../simulation/settings.ts";
import { type Given, pick, RATES, readAll, SETTINGS, setting, type Values } from "../simulation/table.ts";
import { predictElection } from "../theory/filter-relay-election.ts";
import { predict } from "../theory/predict.ts";
import type { Method, Prediction } from "../theory/prediction.ts";
import { bringsItsSize, networkOf } from "../topology/spec.ts";
import { between0And1, type Kind, number, readAs, whole } from "../values.ts";

/** Elect a council of L to U members. */
export interface Council {
  readonly L: number;
  readonly U: number;
}

const council: Kind<Council, Council | string> = {
  wanted: "a range of sizes, L..U with 1 <= L <= U, such as 4..8",
  read(given) {
    const [L, U = L] = typeof given === "string" ? given.split("..") : [(given as Council)?.L, (given as Council)?.U];
    const range = { L: whole(1).read(L), U: whole(1).read(U) };
    return range.L !== undefined && range.U !== undefined && range.L <= range.U ? (range as Council) : undefined;
  },
};

/** What a plan is asked with. */
export const PLAN = {
  n: { ...SETTINGS.n, otherwise: "as many as the network has" },
  success: setting(between0And1("0.999 (no randomized protocol is certain)"), {
    value: "p",
    about: "wanted probability of exactly one leader (of a council within L..U)",
    default: "0.999",
    offers: ["0.99", "0.999", "0.999999"],
  }),
  ...RATES,
  initiators: { ...SETTINGS.initiators, otherwise: "all" },
  council: setting(council, {
    value: "L..U",
    about: "elect a council of L to U members instead, such as 4..8",
    offers: ["1..1", "4..8"],
  }),
  latency: setting(number(0, true), {
    value: "delays",
    about: "message delays that an election may take on average",
    otherwise: "as many as it takes",
  }),
  topology: { ...SETTINGS.topology, otherwise: "complete" },
  seed: SETTINGS.seed,
};

/** The network, its faults, and what is wanted of an election on it. */
export interface PlanRequest extends Given<typeof PLAN> {
  /** Simulate the first few candidates and show the intervals beside the predictions. */
  readonly verify?: boolean;
}

export interface Setting extends Pick<Values<typeof PLAN>, keyof typeof RATES | "success" | "seed"> {
  readonly n: number;
  readonly initiators: number;
  readonly council: Council | null;
  readonly latency: number;
  readonly topology: string;
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

export function checkPlan({ verify: _, ...request }: PlanRequest): Setting {
  const given = readAll(PLAN, request);
  const { council = null, latency = Number.POSITIVE_INFINITY, topology = "complete", seed } = given;
  for (const [rate, p] of Object.entries(pick(RATES, given))) {
    if (p === 1) throw new InputError((name) => `${name(rate)} must be below 1: with 1 nobody can be elected`);
  }
  const n = readAs(whole(1, LARGEST_N), given.n ?? sizeOf(topology, seed), "n");
  const starters = countOf(given.initiators ?? "all", n);
  const initiators = starters === "all" ? n : readAs(whole(1, n), starters, "initiators");
  if (council !== null) readAs(whole(1, n), council.L, "council: L");
  // A network that does not exist is an error, not a reason against every protocol.
  if (topology !== "complete" && topology !== "ring") networkOf({ spec: topology, n, seed, largestComponent: false });
  return { ...pick(RATES, given), n, success: given.success, initiators, council, latency, topology, seed };
}

/** A network from a file, or one with given sides, has a size of its own. */
function sizeOf(topology: string, seed: number): number {
  if (bringsItsSize(topology))
    return networkOf({ spec: topology, n: null, seed, largestComponent: false }).topology.size;
  throw new InputError((name) => `how many processes? say so with ${name("n")}`);
}

/** The simulation that an attempt stands for. */
export function requestOf(setting: Setting, protocol: string, params: Params): Request {
  const { n, initiators, topology, seed } = setting;
  return {
    protocol,
    n,
    seed,
    params,
    ...pick(RATES, setting),
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
