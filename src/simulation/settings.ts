/** What is to be simulated, checked here, once; as plain data (`written`) it can be sent to a worker or kept in a file. */
import { didYouMean, InputError } from "../errors.ts";
import { longest } from "../host/delays.ts";
import { checkFaultPlan } from "../host/faults/fault-file.ts";
import { type FaultPlan, NO_FAULTS } from "../host/faults/faults.ts";
import type { AnyProtocol, Id } from "../protocol.ts";
import { isSynchronous, type Params, resolveParameters } from "../protocols/parameters.ts";
import { type Found, findProtocol, type ProtocolChoice, type ProtocolSource } from "../protocols/registry.ts";
import { checkRoles } from "../protocols/told.ts";
import { kernelFor } from "../registry/all.ts";
import { type Given, pick, readAll, type Values } from "../setting.ts";
import { CHANCES, RATES, RUN, SETTINGS } from "../settings/simulation.ts";
import { countOf, type Ids, type Initiators } from "../settings/simulation-kinds.ts";
import { bringsItsSize } from "../topology/spec.ts";
import type { Share } from "../values.ts";
import { adapted, checkNetwork, type NetworkChoice } from "./network.ts";

export type { Ids, Initiators };
/** The simulating hosts: rounds in lock-step, or events in virtual time. */
export type HostName = "lockstep" | "events";

/** A plan of faults in which everything may be missing, and rates may be written as shares. */
export type FaultRequest = Partial<Omit<FaultPlan, keyof typeof STRIKES>> & Given<typeof STRIKES>;

/** What may stand beside a plan of faults or in it. */
const STRIKES = { ...RATES, ...CHANCES };

/** What a user asks for; everything but the protocol has a default (see settings/simulation.ts). */
export interface Request extends Given<typeof SETTINGS> {
  /** Its name in the catalogue, the object itself, or a module (loaded by `simulate`, or before by `loadProtocol`). */
  readonly protocol: ProtocolChoice;
  /** Rates that stand beside it win over those in it. */
  readonly faults?: FaultRequest;
  readonly params?: Params;
}

/** A request with every choice made. */
export interface Settings extends NetworkChoice, Omit<Values<typeof RUN>, "initiators" | "host" | "kernel"> {
  readonly protocol: AnyProtocol;
  readonly source: ProtocolSource;
  readonly initiators: Initiators;
  readonly host: HostName;
  readonly kernel: string | null;
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
  const { topology, network, sampling, kernel, faults } = settings;
  const { seed, ...run } = pick(RUN, settings);
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
    ...run,
    kernel: kernel === null ? "off" : isByDefault(settings) ? "auto" : "lumped",
    faults,
    params: Object.fromEntries(params),
  };
}

/** Whether the kernel is the one that `auto` takes. */
function isByDefault(settings: Settings | WrittenSettings): boolean {
  const { protocol } = findProtocol(settings.protocol);
  return kernelFor({ ...settings, protocol }).kernel?.name === settings.kernel;
}

/** Above this, the hosts' tables no longer fit into memory. */
export const LARGEST_N = 2 ** 24;
const DEFAULT_N = 100;

const FIELDS = ["protocol", ...Object.keys(SETTINGS), "faults", "params"];

/** A request checked and completed: every default filled in. What cannot work throws an `InputError`. */
export function resolve(request: Request): Settings {
  const settings = settle(request, findProtocol(request.protocol));
  return { ...settings, kernel: chooseKernel(settings, request.kernel ?? "auto") };
}

/** Every choice but that of a kernel. */
export function settle(request: Request, { protocol, source }: Found): Settings {
  const unknown = Object.keys(request).find((field) => !FIELDS.includes(field));
  if (unknown !== undefined) throw new InputError(`unknown setting "${unknown}"${didYouMean(unknown, FIELDS)}`);
  const given = readAll(SETTINGS, { ...request, ...ratesOf(request) });
  const { topology, delay, fifo } = given;
  const listed = typeof given.ids === "string" ? DEFAULT_N : given.ids.length;
  const ownSize = topology !== undefined && bringsItsSize(topology);
  const network = checkNetwork(protocol, { ...given, n: given.n ?? (ownSize ? null : listed) });
  const { n } = network;
  const maxDelay = given.host === "lockstep" ? 1 : longest(delay);
  const params = adapted(protocol, resolveParameters(protocol, request.params ?? {}, n, { maxDelay }), network);
  const host = chooseHost(protocol, params, given.host);
  if (host === "events" && protocol.assumes.fifo && !fifo && delay.kind !== "fixed") {
    throw new InputError(
      (name) => `${protocol.name} needs channels that keep the order of messages: set ${name("fifo")} to true`,
    );
  }
  // The centre of a star is a node beside the n hosts.
  const nodes = protocol.assumes.topology === "star" ? n + 1 : n;
  checkRoles(protocol, nodes, given.roles);
  // Loss is that of every datagram, copies of multicasts included, unless something else is said of these.
  const multicastLoss = given.multicastLoss ?? (protocol.assumes.multicast ? given.loss : 0);
  return {
    ...network,
    protocol,
    source,
    ...pick(RUN, given),
    ids: checkIds(given.ids, protocol, n),
    initiators: checkInitiators(given.initiators ?? protocol.initiators ?? "all", protocol, n),
    host,
    kernel: null,
    faults: checkFaultPlan({ ...NO_FAULTS, ...request.faults, ...pick(STRIKES, given), multicastLoss }, nodes, host),
    params,
  };
}

/** A rate that is given by itself wins over the plan's. */
const ratesOf = (request: Request): Given<typeof STRIKES> =>
  Object.fromEntries(
    Object.keys(STRIKES).map((rate) => {
      const name = rate as keyof typeof STRIKES;
      return [name, request[name] ?? request.faults?.[name]];
    }),
  );

function chooseHost(protocol: AnyProtocol, params: Params, host: HostName | "auto"): HostName {
  const synchronous = isSynchronous(protocol, params);
  if (host === "auto") return synchronous ? "lockstep" : "events";
  if (host === "events" && synchronous) {
    throw new InputError(
      (name) =>
        `${protocol.name} assumes synchronous rounds, which the events host cannot grant: set ${name("host")} to lockstep`,
    );
  }
  return host;
}

/** Only a kernel can do without a table of all nodes. */
function chooseKernel(settings: Settings, wanted: string): string | null {
  const { kernel, reason } =
    settings.until === undefined
      ? kernelFor(settings, wanted === "lumped")
      : { kernel: null, reason: "no kernel stops at a given time" };
  if (wanted !== "off" && kernel !== null) return kernel.name;
  if (wanted === "lumped") {
    throw new InputError((name) => `${reason}: set ${name("kernel")} to auto, which takes what there is`);
  }
  if (settings.n <= LARGEST_N) return null;
  throw new InputError(
    (name) =>
      `${name("n")} can be at most ${LARGEST_N} without a kernel, not ${settings.n}: ${wanted === "off" ? `set ${name("kernel")} to auto` : reason}`,
  );
}

function checkIds(ids: Ids, { name, assumes }: AnyProtocol, n: number): Ids {
  if (ids === "random") return ids;
  if (assumes.identity === "anonymous") {
    throw new InputError(
      (field) => `the processes of ${name} have no ids, so their order means nothing: leave ${field("ids")} out`,
    );
  }
  if (typeof ids === "string") return ids;
  if (ids.length !== n) throw new InputError(`${ids.length} ids were given for ${n} nodes: give one for each`);
  const seen = new Set<Id>();
  for (const id of ids) {
    if (seen.has(id)) throw new InputError(`id ${id} is given twice: ids must be unique`);
    seen.add(id);
  }
  return ids;
}

function checkInitiators(wanted: Initiators | Share, { name, assumes }: AnyProtocol, n: number): Initiators {
  if (wanted === "all") return wanted;
  if (assumes.topology === "star") {
    throw new InputError((field) => `${name} is started by its centre: leave ${field("initiators")} out`);
  }
  const initiators = countOf(wanted, n);
  if (initiators !== "all" && initiators > n) {
    throw new InputError(`${initiators} initiators are more than the ${n} nodes`);
  }
  return initiators;
}
