/** The planner: which protocol, with which numbers, and how sure one can be. */
import { InputError } from "../errors.ts";
import type { AnyProtocol } from "../protocol.ts";
import { catalogue } from "../protocols/catalogue.ts";
import type { Params } from "../protocols/parameters.ts";
import { findProtocol } from "../protocols/registry.ts";
import { delaysOf, entryOf } from "../registry/all.ts";
import { type Attempt, fails, meets, type Setting } from "../registry/planning.ts";
import { type Runner, runHere } from "../statistics/run.ts";
import type { Method } from "../theory/prediction.ts";
import { waysOf } from "./applies.ts";
import { Search } from "./search.ts";
import { checkPlan, linksPerMessage, type PlanRequest } from "./setting.ts";
import { measure, pilot, type Verified, verify } from "./verify.ts";

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
export const stepsOf = (request: PlanRequest): number =>
  consideredIn(request).length + (request.verify === true ? VERIFIED : 0);

function consideredIn({ protocols = [] }: PlanRequest): readonly AnyProtocol[] {
  return [...new Set([...catalogue, ...protocols.map((choice) => findProtocol(choice).protocol)])];
}

/** Who runs the simulations of a plan, and who hears of its steps. */
export interface PlanOptions {
  /** Runs pilots and verifications; in the calling thread where missing. */
  readonly run?: Runner;
  /** Hears how many of the steps are done and what comes now. */
  readonly onProgress?: (done: number, what: string) => void;
}

/**
 * Chooses parameters for every protocol that can meet the target; a request that makes no sense throws an `InputError`.
 *
 * @example
 * ```ts
 * import { plan } from "sortition/plan";
 *
 * const { candidates } = await plan({ n: 500, success: 0.999, loss: 0.01 });
 * ```
 */
export async function plan(
  request: PlanRequest,
  { run = runHere, onProgress: progress = () => {} }: PlanOptions = {},
): Promise<Plan> {
  const setting = checkPlan(request);
  const { verify: wanted = false } = request;
  const found: Attempt[] = [];
  const measured: Offer[] = [];
  const rejected: Rejection[] = [];
  const considered = consideredIn(request);
  for (const [i, protocol] of considered.entries()) {
    progress(i, protocol.name);
    const unpredicted = !catalogue.includes(protocol) && entryOf(protocol)?.predict === undefined;
    const reason = unpredicted
      ? await simulateInstead(protocol, setting, run, measured)
      : consider(protocol, setting, found);
    if (reason !== null) rejected.push({ protocol: protocol.name, reason });
  }
  const offers = [...(await Promise.all(found.map((tried) => costed(setting, tried, run)))), ...measured];
  offers.sort((a, b) => a.links - b.links || a.delays - b.delays);
  const candidates: Candidate[] = [];
  for (const [place, offer] of offers.entries()) {
    const { protocol, parameters, messages, rounds, pNone, pMany, method } = offer;
    const simulated = wanted && place < VERIFIED;
    if (simulated) progress(considered.length + place, `${protocol.name}, simulated`);
    const verified = simulated ? await verify(setting, offer, run) : null;
    candidates.push({ protocol: protocol.name, parameters, messages, rounds, pNone, pMany, method, verified });
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

/** Adds what simulation promises of a protocol that theory does not know, with its default parameters; or says why not. */
async function simulateInstead(
  protocol: AnyProtocol,
  setting: Setting,
  run: Runner,
  found: Offer[],
): Promise<string | null> {
  const ways = waysOf(protocol, setting);
  if (typeof ways === "string") return ways;
  try {
    const report = await measure(setting, protocol, run);
    const { trials, outcomes, parameters, success } = report;
    const [messages, rounds] = [report.messages.mean!, report.rounds.mean!];
    const delays = delaysOf(protocol, rounds, parameters, setting.n);
    if (success.low! < setting.success - 1e-12) {
      return `theory has no prediction, and ${trials} simulated elections, of which ${outcomes.one} have one leader, show a success of at least ${share(success.low!)}, not ${setting.success}`;
    }
    if (delays > setting.latency) return tooSlow(delays, setting);
    const links = messages * linksPerMessage(setting, protocol);
    const rates = { pNone: outcomes.none / trials, pMany: outcomes.many / trials };
    const costs = { messages, rounds, links, delays, rare: 0 };
    found.push({ protocol, chosen: {}, parameters, ...costs, ...rates, method: "pilot" });
    return null;
  } catch (error) {
    if (error instanceof InputError) return error.message;
    throw error;
  }
}

/** Adds what a protocol can offer; otherwise says why it offers nothing. */
function consider(protocol: AnyProtocol, setting: Setting, found: Attempt[]): string | null {
  const ways = waysOf(protocol, setting);
  if (typeof ways === "string") return ways;
  let reason: string | null = null;
  let offered = false;
  for (const way of ways) {
    const search = new Search(setting, protocol);
    const refusal = refusalOf(() => way(search)) ?? judged(protocol, setting, search);
    if (refusal === null) {
      found.push(search.found!);
      offered = true;
    } else reason ??= refusal;
  }
  return offered ? null : reason;
}

/** What a protocol refuses (a group too small for it, a network without mixing time) is a reason like any other. */
function refusalOf(search: () => void): string | null {
  try {
    search();
    return null;
  } catch (error) {
    if (error instanceof InputError) return error.message;
    throw error;
  }
}

function judged(protocol: AnyProtocol, setting: Setting, { found, slow, best }: Search): string | null {
  if (found !== null) return null;
  if (slow !== null) return tooSlow(slow.delays, setting);
  if (best === null) return "theory has no prediction for this setting, so nothing can be promised";
  return shortfall(protocol, setting, best);
}

const tooSlow = (delays: number, { latency }: Setting): string =>
  `it takes about ${digits(delays)} message delays, and ${latency} are allowed`;

function shortfall(protocol: AnyProtocol, setting: Setting, best: Attempt): string {
  const { loss, success } = setting;
  const reached = `at best it reaches ${share(Math.max(0, 1 - fails(best)))}, not ${success}`;
  if (protocol.assumes.topology === "ring" && loss > 0) {
    return `a single lost message ends its election without a leader, and ${percent(loss)} are lost: ${reached}`;
  }
  const planning = entryOf(protocol)?.planning;
  const known = typeof planning === "object" ? (planning.shortfall?.(setting) ?? null) : null;
  if (known !== null) return `${known}: ${reached}`;
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
