/** What a user wants of an election, checked; and one try of a protocol with parameters against it. */

import { InputError } from "../errors.ts";
import type { AnyProtocol } from "../protocol.ts";
import type { Params } from "../protocols/parameters.ts";
import type { ProtocolChoice } from "../protocols/registry.ts";
import { delaysOf, entryOf, predict } from "../registry/all.ts";
import type { Attempt, Council, Setting } from "../registry/planning.ts";
import { type Given, pick, readAll, setting } from "../setting.ts";
import { countOf } from "../simulation/kinds.ts";
import { checkNetwork } from "../simulation/network.ts";
import { questionOf } from "../simulation/question.ts";
import { LARGEST_N, type Request } from "../simulation/settings.ts";
import { RATES, SETTINGS } from "../simulation/table.ts";
import type { Prediction } from "../theory/prediction.ts";
import { bringsItsSize, networkOf } from "../topology/spec.ts";
import { between0And1, type Kind, number, readAs, whole } from "../values.ts";

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
  n: setting(SETTINGS.n, {
    ...SETTINGS.n,
    about: "number of processes; must be given, unless the topology has a size of its own",
    otherwise: "none",
  }),
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
  /** Candidates beside those of the catalogue: those without a prediction are simulated. */
  readonly protocols?: readonly ProtocolChoice[];
}

export function checkPlan({ verify: _, protocols: __, ...request }: PlanRequest): Setting {
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
export function requestOf(setting: Setting, protocol: AnyProtocol, params: Params): Request {
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
export function attempt(setting: Setting, protocol: AnyProtocol, chosen: Params): Attempt | null {
  const question = questionOf(requestOf(setting, protocol, chosen));
  const planning = entryOf(protocol)?.planning;
  const whole = typeof planning === "object" ? planning.predict : undefined;
  const prediction = whole === undefined ? predict(question) : whole(question);
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
export function linksPerMessage({ topology, n, seed }: Setting, protocol: AnyProtocol): number {
  if (topology === "complete") return 1;
  const { sampling } = checkNetwork(protocol, { n, topology, seed });
  return sampling === null ? 1 : sampling.steps * (sampling.walk === "lazy" ? 0.5 : 1);
}
