/** The planner: which protocol, with which numbers, and how sure one can be. */
import { InputError } from "../errors.ts";
import type { AnyProtocol } from "../protocol.ts";
import { catalogue } from "../protocols/catalogue.ts";
import type { Params } from "../protocols/parameters.ts";
import { type Runner, runHere } from "../statistics/run.ts";
import type { Method } from "../theory/prediction.ts";
import { waysOf } from "./applies.ts";
import type { Search } from "./sampling.ts";
import { type Attempt, checkPlan, fails, meets, type PlanRequest, type Setting } from "./setting.ts";
import { pilot, type Verified, verify } from "./verify.ts";

export type { PlanRequest } from "./setting.ts";
export type { Verified } from "./verify.ts";

/** A protocol that meets the target, with its parameters and what to expect. */
export interface Candidate {
  readonly protocol: string;
  /** All parameters, as `simulate` takes them. */
  readonly parameters: Params;
  /** Means, as `simulate` counts them. */
  readonly messages: number;
  readonly rounds: number;
  readonly pNone: number;
  readonly pMany: number;
  /** pilot: messages and rounds come from a short simulation, the chances from bounds. */
  readonly method: Method | "pilot";
  readonly verified: Verified | null;
}

/** A protocol that does not meet the target, and why. */
export interface Rejection {
  readonly protocol: string;
  readonly reason: string;
}

/** What meets the target, the cheapest first, and why the rest do not. */
export interface Plan {
  /** The cheapest first: by messages, and on a network that is not complete by the links that these cross. */
  readonly candidates: readonly Candidate[];
  readonly rejected: readonly Rejection[];
}

/** How many of the candidates a verification simulates. */
export const VERIFIED = 3;

/** Steps of a plan: one for each protocol, and one for each candidate that is simulated. */
export const stepsOf = ({ verify = false }: PlanRequest): number => catalogue.length + (verify ? VERIFIED : 0);

/** Who runs the simulations of a plan, and who hears of its steps. */
export interface PlanOptions {
  /** Runs pilots and verifications; in the calling thread where missing. */
  readonly run?: Runner;
  /** Hears how many of the steps are done and what comes now. */
  readonly onProgress?: (done: number, what: string) => void;
}

/** Chooses parameters for every protocol that can meet the target; a request that makes no sense throws an `InputError`. */
export async function plan(
  request: PlanRequest,
  { run = runHere, onProgress: progress = () => {} }: PlanOptions = {},
): Promise<Plan> {
  const setting = checkPlan(request);
  const { verify: wanted = false } = request;
  const found: Attempt[] = [];
  const rejected: Rejection[] = [];
  for (const [i, protocol] of catalogue.entries()) {
    progress(i, protocol.name);
    const reason = consider(protocol, setting, found);
    if (reason !== null) rejected.push({ protocol: protocol.name, reason });
  }
  const offers = await Promise.all(found.map((tried) => costed(setting, tried, run)));
  offers.sort((a, b) => a.links - b.links || a.delays - b.delays);
  const candidates: Candidate[] = [];
  for (const [place, offer] of offers.entries()) {
    const { protocol, parameters, messages, rounds, pNone, pMany, method } = offer;
    const simulated = wanted && place < VERIFIED;
    if (simulated) progress(catalogue.length + place, `${protocol}, simulated`);
    const verified = simulated ? await verify(setting, offer, run) : null;
    candidates.push({ protocol, parameters, messages, rounds, pNone, pMany, method, verified });
  }
  return { candidates, rejected };
}

interface Offer extends Omit<Attempt, "method"> {
  readonly method: Candidate["method"];
}

/** What a bound says of the cost can be far above it: a short simulation says it better. */
async function costed(setting: Setting, tried: Attempt, run: Runner): Promise<Offer> {
  if (tried.method !== "bound") return tried;
  const { messages, rounds } = await pilot(setting, tried, run);
  return {
    ...tried,
    messages,
    rounds,
    links: tried.links * (messages / tried.messages),
    delays: tried.delays * (rounds / tried.rounds),
    method: "pilot",
  };
}

/** Adds what a protocol can offer; otherwise says why it offers nothing. */
function consider(protocol: AnyProtocol, setting: Setting, found: Attempt[]): string | null {
  const ways = waysOf(protocol, setting);
  if (typeof ways === "string") return ways;
  let reason: string | null = null;
  let offered = false;
  for (const way of ways) {
    const result = tryWay(() => way(setting));
    if (typeof result === "string") {
      reason ??= result;
      continue;
    }
    const refusal = judged(protocol, setting, result);
    if (refusal === null) {
      found.push(result.found!);
      offered = true;
    } else reason ??= refusal;
  }
  return offered ? null : reason;
}

/** What a protocol refuses (a group too small for it, a network without mixing time) is a reason like any other. */
function tryWay(search: () => Search): Search | string {
  try {
    return search();
  } catch (error) {
    if (error instanceof InputError) return error.message;
    throw error;
  }
}

function judged(protocol: AnyProtocol, setting: Setting, { found, slow, best }: Search): string | null {
  if (found !== null) return null;
  if (slow !== null) return `it takes about ${digits(slow.delays)} message delays, and ${setting.latency} are allowed`;
  if (best === null) return "theory has no prediction for this setting, so nothing can be promised";
  return shortfall(protocol, setting, best);
}

function shortfall(protocol: AnyProtocol, setting: Setting, best: Attempt): string {
  const { loss, crash, success } = setting;
  const reached = `at best it reaches ${share(Math.max(0, 1 - fails(best)))}, not ${success}`;
  if (protocol.assumes.topology === "ring" && loss > 0) {
    return `a single lost message ends its election without a leader, and ${percent(loss)} are lost: ${reached}`;
  }
  if (protocol.name === "random-walks" && (loss > 0 || crash > 0)) {
    return `every walk of the winner must come back, which loss and crashes prevent (for a threshold below 1 there is no prediction): ${reached}`;
  }
  if (protocol.name === "filter-relay" && crash > 0) {
    return `nobody notices if the chosen leader crashes in the round (${percent(crash)}): ${reached}`;
  }
  const why = best.pNone >= best.pMany ? "elections without a leader remain" : "elections with several leaders remain";
  const where = meets(setting, { ...best, method: "exact" }) ? "too near the target to promise it" : why;
  return `${where}: ${reached}, with ${chosenText(best)}`;
}

const chosenText = ({ chosen }: Attempt): string =>
  Object.entries(chosen)
    .map(([name, value]) => `${name}=${typeof value === "number" ? digits(value) : value}`)
    .join(", ") || "its default parameters";

const digits = (value: number): string => String(Number(value.toPrecision(4)));
const percent = (p: number): string => `${digits(100 * p)}%`;

/** As many nines as there are. */
function share(p: number): string {
  if (p < 0.001) return p <= 0 ? "about 0" : p.toExponential(1);
  if (p < 0.99) return String(Number(p.toPrecision(3)));
  return String(Number(p.toFixed(Math.min(15, 2 + Math.ceil(-Math.log10(Math.max(1e-13, 1 - p)))))));
}
