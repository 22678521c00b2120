/** What a user wants of an election, checked. */

import { InputError } from "../errors.ts";
import type { ProtocolChoice } from "../protocols/registry.ts";
import type { Council, PlanSetting } from "../registry/planning.ts";
import { type Given, readAll, setting } from "../setting.ts";
import { RATES, SETTINGS } from "../settings/simulation.ts";
import { countOf } from "../settings/simulation-kinds.ts";
import { LARGEST_N } from "../simulation/settings.ts";
import { bringsItsSize, networkOf } from "../topology/spec.ts";
import { between0And1, type Kind, number, readAs, whole, yesOrNo } from "../values.ts";

const council: Kind<Council, Council | string> = {
  wanted: "a range of sizes, L..U with 1 <= L <= U, such as 4..8",
  read(given) {
    const [L, U = L] = typeof given === "string" ? given.split("..") : [(given as Council)?.L, (given as Council)?.U];
    const range = { L: whole(1).read(L), U: whole(1).read(U) };
    return range.L !== undefined && range.U !== undefined && range.L <= range.U ? (range as Council) : undefined;
  },
};

/** A time in message delays or in milliseconds. */
interface Duration {
  readonly value: number;
  readonly unit: "tau" | "ms";
}

const duration: Kind<Duration, Duration | number | string> = {
  wanted: "a time above 0, in message delays or in milliseconds, such as 12tau or 300ms",
  read(given) {
    // What has been read can be read again.
    if (typeof given === "object") return given as Duration;
    const match = /^(.+?)\s*(tau|ms|s)?$/.exec(String(given).trim());
    const value = number(0, true).read(match?.[1]);
    const unit = match?.[2] ?? "tau";
    if (value === undefined) return undefined;
    return unit === "tau" ? { value, unit } : { value: unit === "s" ? 1000 * value : value, unit: "ms" };
  },
};

/** What a plan is asked with. */
export const PLAN = {
  n: setting(SETTINGS.n, {
    ...SETTINGS.n,
    about: "number of processes; required, unless the topology has a size",
    otherwise: "none",
  }),
  success: setting(between0And1("0.999 (no randomized protocol is certain)"), {
    value: "p",
    about: "wanted probability of exactly one leader (of a council within L..U)",
    otherwise: "0.999; what none and several leave where both are given",
    offers: ["0.99", "0.999", "0.999999"],
  }),
  none: setting(between0And1("0.01"), {
    value: "p",
    about: "allowed probability of no leader; the election is then repeated",
    otherwise: "what success leaves",
    offers: ["0.01", "0.001"],
  }),
  several: setting(between0And1("0.000001"), {
    value: "p",
    about: "allowed probability of several leaders (a split brain)",
    otherwise: "what success leaves",
    offers: ["0.001", "0.000001"],
  }),
  loss: RATES.loss,
  multicastLoss: { ...RATES.multicastLoss, otherwise: "as loss; by gossip, what that leads to" },
  crash: RATES.crash,
  multicast: setting(yesOrNo, {
    about: "the network has IP multicast; otherwise a multicast is many messages, or gossip",
    default: "false",
  }),
  reliable: setting(yesOrNo, {
    about: "links acknowledge and resend; this allows protocols that tolerate no loss, such as rings",
    default: "false",
  }),
  denseIds: setting(yesOrNo, {
    about: "ids are 1 to n, without gaps, which time-slice needs",
    default: "false",
  }),
  initiators: { ...SETTINGS.initiators, otherwise: "all" },
  council: setting(council, {
    value: "L..U",
    about: "elect a council of L to U members instead, such as 4..8",
    offers: ["1..1", "4..8"],
  }),
  within: setting(duration, {
    value: "time",
    about: "time by which exactly one process leads: 12tau (message delays), or 300ms (with tau)",
    otherwise: "as long as it takes",
    offers: ["4tau", "12tau"],
  }),
  tau: setting(number(0, true), {
    value: "ms",
    about: "the longest delay of a message, in milliseconds; needed for times in ms",
    offers: ["1", "50"],
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

export function checkPlan({ verify: _, protocols: __, ...request }: PlanRequest): PlanSetting {
  const given = readAll(PLAN, request);
  const { council = null, latency = Infinity, topology = "complete", seed, tau = null } = given;
  const { loss, multicastLoss = loss, crash, none = 1, several = 1, multicast, reliable, denseIds } = given;
  const rates = { loss, multicastLoss, crash };
  for (const [rate, p] of Object.entries(rates)) {
    if (p === 1) throw new InputError((name) => `${name(rate)} must be below 1: with 1 nobody can be elected`);
  }
  const n = readAs(whole(1, LARGEST_N), given.n ?? sizeOf(topology, seed), "n");
  const starters = countOf(given.initiators ?? "all", n);
  const initiators = starters === "all" ? n : readAs(whole(1, n), starters, "initiators");
  if (council !== null) readAs(whole(1, n), council.L, "council: L");
  // A network that does not exist is an error, not a reason against every protocol.
  if (topology !== "complete" && topology !== "ring") networkOf({ spec: topology, n, seed, largestComponent: false });
  // Both chances of failure are given: then nothing is left for the sum to say.
  const success = given.success ?? (none < 1 && several < 1 ? 1 - none - several : DEFAULT_SUCCESS);
  if (!(success > 0))
    throw new InputError((name) => `${name("none")} and ${name("several")} leave no room for success`);
  const within = delaysIn(given.within, tau);
  const targets = { success, none, several, council, latency, within, tau };
  return { ...rates, ...targets, n, initiators, multicast, reliable, denseIds, topology, seed };
}

/** How often exactly one is to lead where nobody says. */
const DEFAULT_SUCCESS = 0.999;

/** A time in message delays. */
function delaysIn(within: Duration | undefined, tau: number | null): number {
  if (within === undefined) return Infinity;
  if (within.unit === "tau") return within.value;
  if (tau !== null) return within.value / tau;
  throw new InputError(
    (name) => `how long does a message take? say so with ${name("tau")}, in ms, or give ${name("within")} in tau`,
  );
}

/** A network from a file, or one with given sides, has a size of its own. */
function sizeOf(topology: string, seed: number): number {
  if (bringsItsSize(topology))
    return networkOf({ spec: topology, n: null, seed, largestComponent: false }).topology.size;
  throw new InputError((name) => `how many processes? say so with ${name("n")}`);
}
