/** The planner: which protocol, with which numbers, and how sure one can be. */
import { InputError } from "../errors.ts";
import type { AnyProtocol } from "../protocol.ts";
import { catalogue } from "../protocols/catalogue.ts";
import { findProtocol } from "../protocols/registry.ts";
import { entryOf } from "../registry/all.ts";
import type { Attempt, PlanSetting, Way } from "../registry/planning.ts";
import { pick } from "../setting.ts";
import { RATES } from "../settings/simulation.ts";
import { type Runner, runHere } from "../statistics/chunk.ts";
import { type Acknowledged, type Advice, adviceOn } from "./advice.ts";
import { planningOf, splitOf } from "./attempt.ts";
import { type Candidate, frontierOf, splits } from "./candidate.ts";
import { type Carriage, carriageOf } from "./carriage.ts";
import { isTooLarge, linkedPilot, pilot } from "./pilot.ts";
import { judged, share, tooSlow, waysOf } from "./reasons.ts";
import { isSlow, PlanSearch } from "./search.ts";
import { checkPlan, type PlanRequest } from "./setting.ts";
import { measure, type Verified, verify } from "./verify.ts";

export type { Advice } from "./advice.ts";
export type { Candidate } from "./candidate.ts";
export type { PlanRequest } from "./setting.ts";
export type { Verified, VerifiedTime } from "./verify.ts";

/** A protocol that does not meet the target, and why. */
export interface Rejection {
  readonly protocol: string;
  readonly reason: string;
}

/** What meets the target, the cheapest first, and why the rest do not. */
export interface Plan {
  /** What to do, in sentences. */
  readonly advice: Advice;
  /** By datagrams, fewest first. */
  readonly candidates: readonly Candidate[];
  readonly rejected: readonly Rejection[];
}

/** How many of the candidates a verification simulates. */
export const VERIFIED = 3;

/** Steps of a plan: one for each protocol, and one for each candidate that is simulated. */
export const planSteps = (request: PlanRequest): number =>
  consideredIn(request).length + (request.verify === true ? VERIFIED : 0);

function consideredIn({ protocols = [] }: PlanRequest): readonly AnyProtocol[] {
  return [...new Set([...catalogue, ...protocols.map((choice) => findProtocol(choice).protocol)])];
}

/** Who runs the simulations of a plan, and who hears of its steps. */
export interface PlanOptions {
  /** Runs verifications, and what has no prediction; in the calling thread where missing. */
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
 * const { advice, candidates } = await plan({ n: 500, success: 0.999, loss: 0.01 });
 * ```
 */
export async function plan(
  request: PlanRequest,
  { run = runHere, onProgress: progress = () => {} }: PlanOptions = {},
): Promise<Plan> {
  const setting = checkPlan(request);
  const offers: Offer[] = [];
  const rejected: Rejection[] = [];
  const considered = consideredIn(request);
  for (const [i, protocol] of considered.entries()) {
    progress(i, protocol.name);
    const found = await offersOf(protocol, setting, run);
    if (typeof found === "string") rejected.push({ protocol: protocol.name, reason: found });
    else offers.push(...found);
  }
  offers.sort((a, b) => a.datagrams - b.datagrams || a.time - b.time);
  const frontier = frontierOf(offers);
  const candidates: Candidate[] = [];
  for (const [place, offer] of offers.entries()) {
    const simulated = request.verify === true && place < VERIFIED;
    if (simulated) progress(considered.length + place, `${offer.protocol.name}, simulated`);
    const verified = simulated ? await verify(setting, offer.carriage, offer, run) : null;
    candidates.push(candidateOf(setting, offer, frontier[place], verified));
  }
  return { advice: adviceOn(setting, candidates, acknowledgedFor(setting, considered)), candidates, rejected };
}

/** The cheapest of the protocols that bear no loss, were their messages acknowledged; null where they may be, or need not. */
function acknowledgedFor(asked: PlanSetting, considered: readonly AnyProtocol[]): Acknowledged | null {
  if (asked.reliable || asked.loss === 0) return null;
  const setting = { ...asked, reliable: true };
  const found = considered.flatMap((protocol) => {
    const applies = applicable(protocol, setting);
    if (typeof applies === "string" || !applies.carriage.acknowledged) return [];
    const search = new PlanSearch(applies.carriage, protocol);
    const refused = refusable(() => {
      for (const way of applies.ways) way(search);
    });
    return refused === undefined && search.found !== null ? [search.found] : [];
  });
  if (found.length === 0) return null;
  const { protocol, datagrams } = found.reduce((a, b) => (b.datagrams < a.datagrams ? b : a));
  return { protocol: protocol.name, datagrams };
}

interface Offer extends Omit<Attempt, "method" | "time"> {
  readonly method: Candidate["method"];
  readonly time: number;
  readonly carriage: Carriage;
}

function candidateOf({ tau }: PlanSetting, offer: Offer, frontier: boolean, verified: Verified | null): Candidate {
  const { protocol, parameters, messages, rounds, datagrams, delays, time, pNone, pMany, split, method } = offer;
  return {
    protocol: protocol.name,
    parameters,
    datagrams,
    messages,
    rounds,
    delays,
    time,
    milliseconds: tau === null ? null : { delays: tau * delays, time: tau * time },
    pNone,
    pMany,
    split,
    rates: pick(RATES, offer.carriage.setting),
    acknowledged: offer.carriage.acknowledged,
    frontier,
    method,
    warnings: splits(offer) ? [SPLIT_WARNING] : [],
    verified,
  };
}

const SPLIT_WARNING = "if the network falls in two, both halves may have a leader";

/** What a protocol can offer here; or why it offers nothing. What it refuses itself is a reason like any other. */
async function offersOf(protocol: AnyProtocol, asked: PlanSetting, run: Runner): Promise<readonly Offer[] | string> {
  try {
    const unpredicted = !catalogue.includes(protocol) && entryOf(protocol)?.predict === undefined;
    if (unpredicted) return await measuredOffer(protocol, asked, run);
    return await predictedOffers(protocol, asked);
  } catch (error) {
    if (error instanceof InputError) return error.message;
    throw error;
  }
}

async function predictedOffers(protocol: AnyProtocol, asked: PlanSetting): Promise<readonly Offer[] | string> {
  const applies = applicable(protocol, asked);
  if (typeof applies === "string") return applies;
  const { carriage, ways } = applies;
  const offers: Offer[] = [];
  let reason: string | null = null;
  for (const way of ways) {
    const offer = await offerBy(way, new PlanSearch(carriage, protocol), asked, carriage);
    if (typeof offer === "string") reason ??= offer;
    else offers.push(offer);
    // Somebody may want parameters that a partition does not give two leaders.
    if (typeof offer === "string" || !splits(offer)) continue;
    const whole = await offerBy(way, new PlanSearch(carriage, protocol, true), asked, carriage);
    if (typeof whole !== "string") offers.push(whole);
  }
  return offers.length > 0 ? offers : reason!;
}

async function offerBy(way: Way, search: PlanSearch, asked: PlanSetting, carriage: Carriage): Promise<Offer | string> {
  const refusal = refusable(() => way(search)) ?? judged(search);
  return refusal ?? costed(asked, carriage, search.found!);
}

/** How a protocol's messages would go here, and how it is searched; or why it is none for this. */
function applicable(protocol: AnyProtocol, asked: PlanSetting) {
  // What cannot run on this network has no carriage on it either.
  const carriage = refusable(() => carriageOf(asked, protocol));
  const plain = { setting: asked, acknowledged: false };
  const ways = waysOf(protocol, typeof carriage === "string" ? plain : carriage);
  if (typeof ways === "string") return ways;
  return typeof carriage === "string" ? carriage : { carriage, ways };
}

function refusable<T>(make: () => T): T | string {
  try {
    return make();
  } catch (error) {
    if (error instanceof InputError) return error.message;
    throw error;
  }
}

/** What a simulation has found, or the time alone. */
type Known = Pick<Offer, "time"> & Partial<Pick<Offer, "method" | "messages" | "rounds" | "datagrams" | "delays">>;

/** With costs and times that a short simulation found, where theory does not know them; or that it takes too long. */
async function costed(asked: PlanSetting, carriage: Carriage, tried: Attempt): Promise<Offer | string> {
  const offer = { ...tried, ...(await known(asked, carriage, tried)), carriage };
  return isSlow(asked, offer) ? tooSlow(asked, offer) : offer;
}

async function known(asked: PlanSetting, carriage: Carriage, tried: Attempt): Promise<Known> {
  const { protocol, method, time } = tried;
  if (carriage.waits) return { ...(await linkedPilot(asked, carriage, tried)), method: "pilot" };
  const vague = method === "bound" || planningOf(protocol).measured?.(carriage.setting) === true;
  if (!vague && time !== null) return { time };
  if (isTooLarge(tried))
    throw new InputError("theory does not say what it costs here, and it is too large to simulate");
  const costs = await pilot(carriage, tried);
  return vague ? { ...costs, method: "pilot" } : { time: costs.time };
}

/** What simulation promises of a protocol that theory does not know, with its default parameters. */
async function measuredOffer(
  protocol: AnyProtocol,
  asked: PlanSetting,
  run: Runner,
): Promise<readonly Offer[] | string> {
  const applies = applicable(protocol, asked);
  if (typeof applies === "string") return applies;
  const { carriage } = applies;
  const { trials, outcomes, parameters, success, messages, rounds, measures } = await measure(
    carriage.setting,
    protocol,
    run,
  );
  const none = outcomes.none / trials;
  const many = outcomes.many / trials;
  if (success.low! < asked.success - 1e-12 || none > asked.none || many > asked.several) {
    return `theory has no prediction, and ${trials} simulated elections, of which ${outcomes.one} have one leader, show a success of at least ${share(success.low!)}, not ${asked.success}`;
  }
  const offer: Offer = {
    protocol,
    chosen: {},
    parameters,
    messages: messages.mean!,
    rounds: rounds.mean!,
    rare: 0,
    datagrams: carriage.datagrams({ unicasts: messages.mean!, multicasts: 0 }),
    delays: carriage.lengthen(measures.steps.mean!),
    time: carriage.lengthen(measures.steps.max!),
    pNone: none,
    pMany: many,
    split: splitOf(planningOf(protocol), { params: parameters, n: asked.n }),
    method: "pilot",
    carriage,
  };
  return isSlow(asked, offer) ? tooSlow(asked, offer) : [offer];
}
