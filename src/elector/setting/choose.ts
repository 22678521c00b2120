/**
 * How the next election is held: protocol, parameters, and the chance that two lead. Quick, because it runs in a handler: closed
 * forms, and what was chosen for a group of this size and this loss is kept.
 */
import { InputError } from "../../errors.ts";
import type { AnyProtocol } from "../../protocol.ts";
import { referees } from "../../protocols/complete/referees.ts";
import { refereesAsync } from "../../protocols/complete/referees-async.ts";
import { filterRelay } from "../../protocols/group/filter-relay.ts";
import { type Params, resolveParameters } from "../../protocols/parameters.ts";
import { entryOf } from "../../registry/all.ts";
import { ASK_ALL, pairMiss, refereesFor, STANDERS } from "../../theory/kutten/referees-async.ts";
import type { ElectionSetting } from "../talk/messages.ts";
import type { LossEstimate } from "./loss.ts";

/** What a user wants, and what is known of the group. */
export interface WantedElection {
  /** "auto", the name of a protocol, or the protocol itself. */
  readonly protocol: string | AnyProtocol;
  /** Parameters that the user has chosen; the others follow from n. */
  readonly params: Params;
  /** How many will take part. */
  readonly n: number;
  readonly loss: LossEstimate;
  /** How often two may lead, for referees. */
  readonly epsilon: number;
}

/** Links that make up for losses have so many tries within tau, the time after which a message counts as lost. */
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

/** In a group both "auto" and the name of referees mean referees without rounds: there are no rounds, and a dead referee must not matter. */
function electing(wanted: string | AnyProtocol, find: (name: string) => AnyProtocol): AnyProtocol {
  if (wanted === "auto") return refereesAsync;
  const found = typeof wanted === "string" ? find(wanted) : wanted;
  return found === referees ? refereesAsync : found;
}

function settingOf(protocol: AnyProtocol, wanted: WantedElection): ElectionSetting {
  const { n, loss, epsilon } = wanted;
  const params = { ...preset(protocol, n, loss.high, epsilon), ...wanted.params };
  const facts = { params, n, loss: loss.high, lossLow: loss.low, lossFrom: loss.from };
  // A group may shrink below what its protocol can do: then it is held with the one that needs nobody else.
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

/** All of a small group, however many it will be; else the smallest number that meets the target. */
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
 * With as many candidates as stand at the most, all at once. Null where nobody knows. What a protocol that cannot bear losses
 * misses is what its links do not repair in time.
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
  // Whoever stands is a candidate: no coin is tossed.
  const certain = protocol.candidacy === undefined ? params : { ...params, candidates: n };
  const initiators = Math.min(n, protocol.initiators ?? STANDERS);
  return predict?.({ n, params: certain, initiators, loss: lost, multicastLoss: lost, crash: 0 })?.pMany ?? null;
}
