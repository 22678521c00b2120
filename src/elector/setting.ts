/**
 * Chooses how the next election is held: protocol, parameters, and the chance that two lead. This runs in a handler, so it is quick: it
 * uses closed forms, and keeps the choice for each size and loss.
 */
import { InputError } from "../errors.ts";
import type { AnyProtocol } from "../protocol.ts";
import { referees } from "../protocols/complete/referees.ts";
import { refereesAsync } from "../protocols/complete/referees-async.ts";
import { filterRelay } from "../protocols/group/filter-relay.ts";
import { type Params, resolveParameters } from "../protocols/parameters.ts";
import { entryOf } from "../registry/entry.ts";
import { wilson } from "../statistics/intervals.ts";
import { ASK_ALL, pairMiss, refereesFor, STANDERS } from "../theory/kutten/referees-async.ts";
import type { ElectionSetting } from "./talk/messages.ts";

/** What a user wants, and what is known of the group. */
export interface WantedElection {
  /** "auto", the name of a protocol, or the protocol itself. */
  readonly protocol: string | AnyProtocol;
  /** Parameters that the user has chosen; the others follow from n. */
  readonly params: Params;
  /** The number of members that will take part. */
  readonly n: number;
  readonly loss: LossEstimate;
  /** The chance of two leaders that is allowed, for referees. */
  readonly epsilon: number;
}

/** Tries of a reliable link within tau, the time after which a message counts as lost. */
const TIMELY_TRIES = 3;

/** Of filter-relay, for those who have seen no leader or several. */
const RELAY_SLOTS = 5;

const MOST_KEPT = 100;
const kept = new WeakMap<AnyProtocol, Map<string, ElectionSetting>>();

/** `find`: the protocol of a name, of the user's own before those of the catalogue. */
export function chooseSetting(wanted: WantedElection, find: (name: string) => AnyProtocol): ElectionSetting {
  const protocol = electing(wanted.protocol, find);
  const { params, n, loss, epsilon } = wanted;
  const key = JSON.stringify([params, n, loss, epsilon]);
  let known = kept.get(protocol);
  if (known === undefined || known.size >= MOST_KEPT) {
    known = new Map();
    kept.set(protocol, known);
  }
  const before = known.get(key);
  if (before !== undefined) return before;
  const setting = settingOf(protocol, wanted);
  known.set(key, setting);
  return setting;
}

/** The default is asynchronous referees. The synchronous ones are replaced too: a group has no rounds, and a dead referee must do no harm. */
function electing(wanted: string | AnyProtocol, find: (name: string) => AnyProtocol): AnyProtocol {
  if (wanted === "auto") return refereesAsync;
  const found = typeof wanted === "string" ? find(wanted) : wanted;
  return found === referees ? refereesAsync : found;
}

function settingOf(protocol: AnyProtocol, wanted: WantedElection): ElectionSetting {
  const { n, loss, epsilon } = wanted;
  const params = { ...preset(protocol, n, loss.high, epsilon), ...wanted.params };
  const facts = { params, n, loss: loss.high, lossLow: loss.low, lossFrom: loss.from };
  // A group may shrink below the least size of its protocol. Then referees-async is used, which works for any size.
  if (protocol !== refereesAsync && !fits(protocol, params, n))
    return settingOf(refereesAsync, { ...wanted, params: {} });
  return { protocol: protocol.name, ...facts, epsilon: chanceOfTwo(protocol, params, n, loss.high) };
}

function preset(protocol: AnyProtocol, n: number, loss: number, epsilon: number): Params {
  if (protocol === refereesAsync) return { m: sizeFor(n, loss, epsilon) };
  // Ids follow the order of members, in which the first has the highest one (see choice.ts). A winner waits for the slots of
  // another round, ten for each member by default; here the next term is at hand, and fail-over must not take minutes.
  return protocol === filterRelay ? { choice: "highest-id", window: RELAY_SLOTS } : {};
}

/** In a small group all members; otherwise the smallest number of referees that meets the target. */
const sizeFor = (n: number, loss: number, epsilon: number): number =>
  n <= ASK_ALL ? ASK_ALL : refereesFor({ n, loss, epsilon });

function fits(protocol: AnyProtocol, params: Params, n: number): boolean {
  try {
    resolveParameters(protocol, params, n);
    return true;
  } catch (error) {
    if (error instanceof InputError) return false;
    throw error;
  }
}

/**
 * The chance of two leaders if the most possible candidates stand at once. Null if no formula is known. If the protocol does not tolerate
 * loss, a message counts as lost if its link does not repair the loss in time.
 */
function chanceOfTwo(protocol: AnyProtocol, given: Params, n: number, loss: number): number | null {
  const params = resolveParameters(protocol, given, n);
  if (protocol === refereesAsync) {
    const m = Number(params.m);
    return m >= n ? 0 : Math.min(1, ((STANDERS * (STANDERS - 1)) / 2) * pairMiss(n, m, loss));
  }
  const entry = entryOf(protocol);
  const lost = protocol.assumes.tolerates.includes("loss") ? loss : loss ** TIMELY_TRIES;
  const predict =
    entry?.twoLead ?? (typeof entry?.planning === "object" ? entry.planning.predict : undefined) ?? entry?.predict;
  // A member that stands is a candidate: no coin is tossed.
  const certain = protocol.candidacy === undefined ? params : { ...params, candidates: n };
  const initiators = Math.min(n, protocol.initiators ?? STANDERS);
  return predict?.({ n, params: certain, initiators, loss: lost, multicastLoss: lost, crash: 0 })?.pMany ?? null;
}

// The share of messages that is lost: from the user, or measured by probes, with an interval.

/** Direct probes, and how many of them failed. A probe is two datagrams: a question and its answer. */
interface Probes {
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

/** With fewer probes the interval says little. Then this loss is assumed, or the measured one if it is higher. */
const ENOUGH = 30;
const ASSUMED = 0.05;

/**
 * The ends of an interval are rounded outwards to these, so that a setting changes with the network, and not with every probe. With a loss
 * above a half, no majority would answer.
 */
const CLASSES = [0, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5] as const;

const up = (loss: number): number => CLASSES.find((end) => end >= loss) ?? CLASSES[CLASSES.length - 1];
const down = (loss: number): number => CLASSES.findLast((end) => end <= loss) ?? 0;

/** The loss of one message. A probe fails if either of its two messages is lost: 1 - (1 - q)² = failed. */
const oneWay = (failed: number): number => 1 - Math.sqrt(1 - Math.min(1, failed));

export function lossOf(configured: number | null, { probes, lost }: Probes): LossEstimate {
  if (configured !== null) return { from: "configured", low: configured, high: configured };
  const { rate, low, high } = wilson(lost, probes);
  const upper = probes < ENOUGH ? Math.max(ASSUMED, oneWay(rate ?? 0)) : oneWay(high!);
  return { from: "measured", low: down(oneWay(low ?? 0)), high: up(upper) };
}

// A failed election may have been too quick for the network or a busy machine: messages took longer than tau. So from the third try on,
// each try takes twice as long as the one before. All members in an election must agree on its pace, so the pace is part of the setting.

/** The slowest pace. */
export const SLOWEST = 8;

/** How many times as long an election takes after this many failed tries. */
export const paceAfter = (tries: number): number => Math.min(SLOWEST, 2 ** Math.max(0, tries - 1));

export const paceOf = ({ pace = 1 }: { readonly pace?: number }): number => pace;
