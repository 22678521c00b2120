/** What is to be simulated, checked here, once; as plain data (`written`) it can be sent to a worker or kept in a file. */
import { didYouMean, InputError } from "../errors.ts";
import { type Delay, longest } from "../host/delays.ts";
import { type FaultPlan, NO_FAULTS } from "../host/faults.ts";
import { kernelFor } from "../kernels/all.ts";
import type { AnyProtocol, Id } from "../protocol.ts";
import { isSynchronous, type Params, resolveParameters } from "../protocols/parameters.ts";
import { findProtocol, type ProtocolChoice, type ProtocolSource } from "../protocols/registry.ts";
import { adapted, checkNetwork, type NetworkChoice } from "./network.ts";

/** The simulating hosts: rounds in lock-step, or events in virtual time. */
export type HostName = "lockstep" | "events";

/** The order of ids around the network, or the ids themselves by node. */
export type Ids = "random" | "increasing" | "decreasing" | readonly Id[];

/** Who starts unasked: all nodes, or so many drawn at random. */
export type Initiators = "all" | number;

/** What a user asks for; everything but the protocol and n has a default. */
export interface Request {
  /** Its name in the catalogue, the object itself, or a module (loaded by `simulate`, or before by `loadProtocol`). */
  readonly protocol: ProtocolChoice;
  /** Null where the topology says it, as a file does. */
  readonly n: number | null;
  readonly seed?: number;
  readonly topology?: string;
  /** Take the largest component of a network that is not connected. */
  readonly largestComponent?: boolean;
  /** Steps of the walks that find random processes where the network is not complete; null: its mixing time. */
  readonly walk?: number | null;
  /** A permutation of 1..n, or ids in the direction in which messages travel, or a list. */
  readonly ids?: Ids;
  /** How many nodes start on their own; which ones is drawn uniformly. */
  readonly initiators?: Initiators;
  readonly host?: HostName | "auto";
  readonly kernel?: "auto" | "off";
  readonly delay?: Delay;
  readonly fifo?: boolean;
  readonly faults?: Partial<FaultPlan>;
  readonly params?: Params;
}

/** A request with every choice made. */
export interface Settings extends NetworkChoice {
  readonly protocol: AnyProtocol;
  readonly source: ProtocolSource;
  readonly seed: number;
  readonly ids: Ids;
  readonly initiators: Initiators;
  readonly host: HostName;
  readonly kernel: string | null;
  readonly delay: Delay;
  readonly fifo: boolean;
  readonly faults: FaultPlan;
  readonly params: Params;
}

/** Settings as plain data: where the protocol is to be found stands in its place, or its name where that is nowhere. */
export interface WrittenSettings extends Omit<Settings, "protocol" | "source"> {
  readonly protocol: NonNullable<ProtocolSource>;
}

export function written({ source, ...settings }: Settings): WrittenSettings {
  return { ...settings, protocol: source ?? settings.protocol.name };
}

/** The settings that were written, with the protocol found again. */
export const readAgain = (settings: WrittenSettings): Settings => ({ ...settings, ...findProtocol(settings.protocol) });

/** A request that resolves to these settings, and survives being written as JSON. */
export function requestOf(settings: Settings | WrittenSettings): Request {
  const { protocol } = "source" in settings ? written(settings) : settings;
  const { seed, topology, network, sampling, ids, initiators, host, kernel, delay, fifo, faults } = settings;
  // What no user can give came from a default, and comes from it again.
  const params = Object.entries(settings.params).filter(
    ([, value]) => value !== null && (typeof value !== "number" || Number.isFinite(value)),
  );
  return {
    protocol,
    n: network.n,
    seed,
    topology,
    largestComponent: network.largestComponent,
    walk: sampling?.steps ?? null,
    ids,
    initiators,
    host,
    kernel: kernel === null ? "off" : "auto",
    delay,
    fifo,
    faults,
    params: Object.fromEntries(params),
  };
}

/** Above this, the hosts' tables no longer fit into memory. */
const LARGEST_N = 2 ** 24;

const REQUEST_FIELDS: readonly (keyof Request)[] = [
  "protocol",
  "n",
  "seed",
  "topology",
  "largestComponent",
  "walk",
  "ids",
  "initiators",
  "host",
  "kernel",
  "delay",
  "fifo",
  "faults",
  "params",
];

/** A request checked and completed: every default filled in. What cannot work throws an `InputError`. */
export function resolve(request: Request): Settings {
  const unknown = Object.keys(request).find((field) => !REQUEST_FIELDS.includes(field as keyof Request));
  if (unknown !== undefined) throw new InputError(`unknown setting «${unknown}»${didYouMean(unknown, REQUEST_FIELDS)}`);
  const { protocol, source } = findProtocol(request.protocol);
  const seed = checkSeed(request.seed ?? 1);
  const network = checkNetwork(protocol, { ...request, seed });
  const { n } = network;
  const delay = checkDelay(request.delay ?? { kind: "fixed", value: 1 });
  const maxDelay = request.host === "lockstep" ? 1 : longest(delay);
  const params = adapted(protocol, resolveParameters(protocol, request.params ?? {}, n, { maxDelay }), network);
  const host = chooseHost(protocol, params, request.host ?? "auto");
  const fifo = request.fifo ?? true;
  if (host === "events" && protocol.assumes.fifo && !fifo && delay.kind !== "fixed") {
    throw new InputError(`${protocol.name} needs channels that keep the order of messages: use --fifo true`);
  }
  // The centre of a star is a node beside the n hosts.
  const nodes = protocol.assumes.topology === "star" ? n + 1 : n;
  const settings = {
    ...network,
    protocol,
    source,
    seed,
    ids: checkIds(request.ids ?? "random", protocol, n),
    initiators: checkInitiators(request.initiators ?? protocol.initiators ?? "all", protocol, n),
    host,
    kernel: null,
    delay,
    fifo,
    faults: checkFaults({ ...NO_FAULTS, ...request.faults }, nodes),
    params,
  };
  return { ...settings, kernel: chooseKernel(settings, request.kernel ?? "auto") };
}

function checkSeed(seed: number): number {
  if (Number.isSafeInteger(seed) && seed >= 0) return seed;
  throw new InputError(`seed must be a whole number from 0 to 2^53-1, not ${seed}`);
}

function chooseHost(protocol: AnyProtocol, params: Params, host: HostName | "auto"): HostName {
  const synchronous = isSynchronous(protocol, params);
  if (host === "auto") return synchronous ? "lockstep" : "events";
  if (host !== "lockstep" && host !== "events")
    throw new InputError(`host must be lockstep, events or auto, not «${host}»`);
  if (host === "events" && synchronous) {
    throw new InputError(
      `${protocol.name} assumes synchronous rounds, which the events host cannot grant: use --host lockstep`,
    );
  }
  return host;
}

/** Only a kernel can do without a table of all nodes. */
function chooseKernel(settings: Settings, wanted: "auto" | "off"): string | null {
  if (wanted !== "auto" && wanted !== "off") throw new InputError(`kernel must be auto or off, not «${wanted}»`);
  const { kernel, reason } = kernelFor(settings);
  if (wanted === "auto" && kernel !== null) return kernel.name;
  if (settings.n <= LARGEST_N) return null;
  throw new InputError(
    `n can be at most ${LARGEST_N} without a kernel, not ${settings.n}: ${wanted === "off" ? "use --kernel auto" : reason}`,
  );
}

function checkDelay(delay: Delay): Delay {
  const [least, most] =
    delay.kind === "fixed"
      ? [delay.value, delay.value]
      : delay.kind === "uniform"
        ? [delay.min, delay.max]
        : delay.kind === "exponential"
          ? [delay.mean, delay.mean]
          : [Number.NaN, Number.NaN];
  if (Number.isFinite(least) && Number.isFinite(most) && least >= 0 && most >= least && most > 0) return delay;
  throw new InputError("delays must be positive and finite: fixed:1, uniform:0.5..1.5 or exp:1");
}

function checkIds(ids: Ids, { name, assumes }: AnyProtocol, n: number): Ids {
  if (ids !== "random" && assumes.identity === "anonymous")
    throw new InputError(`the processes of ${name} have no ids, so their order means nothing: leave --ids out`);
  if (ids === "random" || ids === "increasing" || ids === "decreasing") return ids;
  if (!Array.isArray(ids)) throw new InputError(`ids must be random, increasing, decreasing or a list, not «${ids}»`);
  if (ids.length !== n) throw new InputError(`${ids.length} ids were given for ${n} nodes: give one for each`);
  const seen = new Set<Id>();
  for (const id of ids) {
    if (!Number.isSafeInteger(id) || id < 0)
      throw new InputError(`ids must be whole numbers of at least 0, not «${id}»`);
    if (seen.has(id)) throw new InputError(`id ${id} is given twice: ids must be unique`);
    seen.add(id);
  }
  return ids;
}

function checkInitiators(initiators: Initiators, { name, assumes }: AnyProtocol, n: number): Initiators {
  if (initiators === "all") return initiators;
  if (assumes.topology === "star") throw new InputError(`${name} is started by its centre: leave initiators out`);
  if (!Number.isSafeInteger(initiators) || initiators < 0) {
    throw new InputError(`initiators must be all, a number of nodes or a percentage, not ${initiators}`);
  }
  if (initiators > n) throw new InputError(`${initiators} initiators are more than the ${n} nodes`);
  return initiators;
}

function checkFaults(plan: FaultPlan, nodes: number): FaultPlan {
  const { loss, multicastLoss, crash } = plan;
  for (const [name, p] of Object.entries({ loss, "multicast-loss": multicastLoss, crash })) {
    if (!(p >= 0 && p <= 1)) throw new InputError(`${name} must be a probability from 0 to 1, not ${p}`);
  }
  const named = [
    ...plan.losses.flatMap(({ link }) => link ?? []),
    ...plan.crashes.map(({ node }) => node),
    ...plan.pauses.map(({ node }) => node),
    ...plan.partitions.flatMap(({ groups }) => groups.flat()),
  ];
  const outside = named.find((node) => !(Number.isSafeInteger(node) && node >= 0 && node < nodes));
  if (outside !== undefined) {
    throw new InputError(`the fault plan names node ${outside}, but nodes are 0 to ${nodes - 1}`);
  }
  const rate = plan.losses.map((loss) => loss.rate).find((p) => !(p >= 0 && p <= 1));
  if (rate !== undefined) throw new InputError(`losses: rate must be a probability from 0 to 1, not ${rate}`);
  return plan;
}
