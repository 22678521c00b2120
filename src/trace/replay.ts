/** Runs again what a trace records, and says whether it is the same run. */
import { InputError } from "../errors.ts";
import { explorationProblem } from "../explorer/explore.ts";
import { stepsAlong } from "../explorer/ordinals.ts";
import type { Problem } from "../explorer/problem.ts";
import type { Step } from "../explorer/space/configurations.ts";
import { isFault } from "../explorer/space/faults.ts";
import { atTime, StateSpace, viewOf } from "../explorer/space/state-space.ts";
import { parseFaultFile } from "../host/faults/fault-file.ts";
import { electionOf } from "../host/population.ts";
import type { Setup } from "../host/setup.ts";
import { messageBound, type Property, propertyNames, timeBound } from "../properties/properties.ts";
import type { AnyProtocol } from "../protocol.ts";
import { type Found, findProtocol, isModule, type ProtocolChoice } from "../protocols/registry.ts";
import { requestOf, resolve, type Settings, type WrittenSettings } from "../simulation/settings.ts";
import { runSetup, setUp, type Trial } from "../simulation/trial.ts";
import { type Conformance, conformance } from "./conformance.ts";
import { jsonOf, sceneOf, type TraceEvent } from "./events.ts";
import { tracePath } from "./exploration.ts";
import type { RecordedPath, TraceFile, TraceHeader } from "./file.ts";
import { tellRun, unknownProtocol } from "./recorded-run.ts";
import { Recorder } from "./recorder.ts";
import { type Story, Teller } from "./story.ts";

/** One simulated trial with everything that happened in it. */
export function traceTrial(
  settings: Settings,
  trial: number,
): { readonly events: readonly TraceEvent[]; readonly result: Trial } {
  return record(settings, setUp(settings, trial), null);
}

/** As `traceTrial`, with what each event means, in words. */
export function tellTrial(settings: Settings, trial: number): Story & { readonly result: Trial } {
  const setup = setUp(settings, trial);
  const scene = sceneOf(setup);
  const teller = new Teller(setup.protocol, scene);
  return { ...record(settings, setup, teller), told: teller.told, scene };
}

function record(settings: Settings, setup: Setup, teller: Teller | null) {
  const recorder = new Recorder(setup.protocol, teller);
  const result = runSetup(settings, { ...setup, observer: recorder });
  return { events: recorder.events, result };
}

/** The settings of a file, in which anything may stand, checked as if a user had just asked for them. */
function checked(settings: WrittenSettings, protocol: ProtocolChoice): Settings {
  const faults = parseFaultFile(JSON.stringify(settings.faults), "of the trace");
  const again = resolve({ ...requestOf(settings), protocol, faults });
  if (again.n !== settings.n) throw new InputError(`n is ${again.n} in one place and ${settings.n} in another`);
  return again;
}

/**
 * The protocol of a recorded run. A module that the file names is not loaded, for the file may be a stranger's: `own` is the
 * protocol that the user says it is.
 */
export function recordedProtocol(header: TraceHeader, own: ProtocolChoice | null = null): Found {
  const { protocol } = header.trace === "simulation" ? header.settings : header;
  if (own !== null) return findProtocol(own);
  if (header.trace === "run") return unknownProtocol(header.protocol);
  if (!isModule(protocol)) return findProtocol(protocol);
  const file = protocol.module.split("/").at(-1);
  throw new InputError(`it records a custom protocol: give it with --protocol-file ${file}#${protocol.export}`);
}

/** The number of the first event that comes out differently when the run is repeated; null when all are the same. */
export const firstDifference = (trace: TraceFile, own: ProtocolChoice | null = null): number | null =>
  playAgain(trace, own).difference;

/** A run made again. */
interface PlayedAgain {
  /** The number of the first event that comes out differently; null when all are the same. */
  readonly difference: number | null;
  /** The recorded events, with their sentences if they came out the same. */
  readonly story: Story;
  /** Whether it breaks the promise that the file says it breaks; null where it says none, or one that nobody knows here. */
  readonly breaks: boolean | null;
}

/** Runs it again: how it differs, and the recorded events with their sentences if it does not. */
export function playAgain(
  { header, events }: TraceFile,
  own: ProtocolChoice | null = null,
  properties: readonly Property[] = [],
): PlayedAgain {
  const { protocol } = recordedProtocol(header, own);
  const { story, breaks } = runAgain(header, protocol, properties);
  const difference = differenceOf(events, story.events);
  return { difference, breaks, story: difference === null ? story : { events, told: new Map(), scene: story.scene } };
}

function runAgain(header: TraceHeader, protocol: AnyProtocol, properties: readonly Property[]) {
  if (header.trace === "exploration") return walk(protocol, header, properties);
  const story =
    header.trace === "run" ? tellRun(header, protocol) : tellTrial(checked(header.settings, protocol), header.trial);
  return { story, breaks: null };
}

function differenceOf(events: readonly TraceEvent[], again: readonly TraceEvent[]): number | null {
  for (let i = 0; i < Math.max(events.length, again.length); i++) {
    if (jsonOf(events[i]) !== jsonOf(again[i])) return i;
  }
  return null;
}

/**
 * A path of the explorer with its sentences.
 *
 * @example
 * ```ts
 * import { explore } from "sortition/explore";
 * import { diagram, tellPath } from "sortition/trace";
 *
 * const { problem, network, steps, what } = explore("chang-roberts", { n: 3, crashes: 1 }).violation!;
 * const svg = diagram(tellPath(problem, network, steps), { title: what });
 * ```
 */
export function tellPath(
  problem: Problem,
  network: StateSpace,
  steps: readonly Step[],
  names: readonly string[] = [],
): Story {
  const scene = sceneOf({ ...problem, names });
  const teller = new Teller(problem.protocol, scene);
  return { events: tracePath(network, steps, teller), told: teller.told, scene };
}

/** Whether every step of a trace is one that the explorer knows, without its seed and its host (conformance.ts). */
export function conforms({ header, events }: TraceFile, own: ProtocolChoice | null = null): Conformance {
  const { protocol } = recordedProtocol(header, own);
  if (header.trace === "run") {
    return { is: "undecided", event: 0, why: "the explorer does not follow processes that find each other by address" };
  }
  if (header.trace === "simulation")
    return conformance(problemOf(checked(header.settings, protocol), header.trial), events);
  const { request, wakesFirst, election } = header;
  return conformance({ ...explorationProblem(protocol, request), wakesFirst, election }, events);
}

/** A simulated trial as the explorer takes it. */
function problemOf(settings: Settings, trial: number): Problem {
  const { protocol, params, topology, ids, initiators, roles, seed } = setUp(settings, trial);
  return {
    protocol,
    params,
    topology,
    ids: ids === null ? null : [...ids],
    initiators: initiators ?? Array.from({ length: topology.size }, (_, node) => node),
    roles,
    ...(protocol.assumes.knows.includes("election") && { election: electionOf(seed, trial) }),
    fifo: settings.fifo,
    maxDelay: null,
    budget: {},
    choices: 1,
    limits: {},
  };
}

function walk(protocol: AnyProtocol, header: RecordedPath, properties: readonly Property[]) {
  const { request, path, wakesFirst, election } = header;
  const problem = { ...explorationProblem(protocol, request), wakesFirst, election };
  const network = new StateSpace(problem);
  const steps = stepsAlong(network, path);
  return { story: tellPath(problem, network, steps), breaks: breaks(network, steps, header, properties) };
}

interface PropertyClaim {
  readonly property: string;
  readonly what: string;
}

/** null: nobody here knows that property. `own`: properties of the user's own. */
export function breaks(
  network: StateSpace,
  steps: readonly Step[],
  { property, what }: PropertyClaim,
  own: readonly Property[] = [],
): boolean | null {
  const bound = boundIn(what);
  const known = [...own, ...Object.values(propertyNames), messageBound(bound), timeBound(bound)];
  const promise = known.find(({ name }) => name === property);
  if (promise === undefined) return null;
  const vectors = [network.blank(), ...steps.map(({ after }) => after)];
  const last = vectors[vectors.length - 1];
  const messages = steps.reduce((sum, { outcome }) => sum + (outcome?.messages ?? 0), 0);
  const time = steps.reduce((sum, { action }) => sum + (action.do === "tick" ? action.by : 0), 0);
  const says = (vector: Int32Array) => promise.violated(atTime(viewOf(network, vector, messages), time));
  const said = says(last);
  if (said === null || !what.startsWith(said)) return false;
  const ended = network.steps(last).every(({ action }) => isFault(action));
  const loop = Number(/\(its last (\d+) steps\)$/.exec(what)?.[1] ?? 0);
  const again = loop > 0 && `${vectors[vectors.length - 1 - loop]}` === `${last}`;
  if (promise.when === "always") return said === what;
  if (promise.when === "end") return said === what && ended;
  if (promise.when === "forever") return again;
  return vectors.slice(network.starters().length).every((vector) => says(vector) !== null) && (ended || again);
}

/** The bound of `--max-messages` or `--max-time` stands in the words alone. */
const boundIn = (what: string): number => Number(/more than (\d+)$/.exec(what)?.[1] ?? Infinity);
