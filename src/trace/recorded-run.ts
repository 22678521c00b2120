/** Runs that a program has set up itself, such as a group under faults, as data that can be run again. */
import { InputError } from "../errors.ts";
import type { Delay } from "../host/delays.ts";
import { runEvents } from "../host/events.ts";
import { readPlan } from "../host/faults/fault-file.ts";
import type { FaultPlan } from "../host/faults/faults.ts";
import type { EventsSetup } from "../host/setup.ts";
import type { Address, AnyProtocol } from "../protocol.ts";
import { open } from "../topology/topology.ts";
import { sceneOf, type TraceEvent } from "./events.ts";
import { Recorder } from "./recorder.ts";
import { type Story, Teller } from "./story.ts";

/** A run on open links. The protocol goes by its name, which the caller that runs it again knows. */
export interface RecordedRun {
  readonly protocol: string;
  readonly params: unknown;
  readonly n: number;
  readonly seed: number;
  readonly trial: number;
  readonly seeds: readonly Address[];
  readonly faults: FaultPlan;
  readonly delay: Delay;
  readonly until: number;
  /** Why somebody recorded it. */
  readonly what: string;
}

/** The same run, for a host. */
function setupOf(run: RecordedRun, protocol: AnyProtocol): EventsSetup {
  const { params, n, seed, trial, seeds, delay, until } = run;
  return {
    protocol,
    params,
    topology: open(n),
    seed,
    trial,
    seeds,
    delay,
    until,
    ids: Float64Array.from({ length: n }, (_, node) => node + 1),
    initiators: null,
    crashed: [],
    fifo: false,
    faults: run.faults,
  };
}

/** Everything that happens in it. */
export function traceRun(run: RecordedRun, protocol: AnyProtocol): readonly TraceEvent[] {
  const recorder = new Recorder(protocol);
  runEvents({ ...setupOf(run, protocol), observer: recorder });
  return recorder.events;
}

/** As `traceRun`, with what each event means, in words. */
export function tellRun(run: RecordedRun, protocol: AnyProtocol): Story {
  const setup = setupOf({ ...run, faults: readPlan(run.faults, "its plan of faults") }, protocol);
  const scene = sceneOf(setup);
  const teller = new Teller(protocol, scene);
  const recorder = new Recorder(protocol, teller);
  runEvents({ ...setup, observer: recorder });
  return { events: recorder.events, told: teller.told, scene };
}

const MOST_NODES = 10_000;

/** Whether the first line of a file says enough to run it. */
export function isRecordedRun(header: Readonly<Record<string, unknown>>): boolean {
  const { protocol, n, seed, trial, seeds, faults, delay, until, what } = header;
  const isCount = (value: unknown, most: number) =>
    Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= most;
  return (
    typeof protocol === "string" &&
    typeof what === "string" &&
    isCount(n, MOST_NODES) &&
    isCount(seed, Number.MAX_SAFE_INTEGER) &&
    isCount(trial, 2 ** 32 - 1) &&
    Array.isArray(seeds) &&
    seeds.every((address) => typeof address === "string") &&
    typeof faults === "object" &&
    isDelay(delay) &&
    typeof until === "number"
  );
}

function isDelay(value: unknown): value is Delay {
  const { kind, ...numbers } = (value ?? {}) as Record<string, unknown>;
  if (kind !== "fixed" && kind !== "uniform" && kind !== "exponential") return false;
  return Object.values(numbers).every((number) => typeof number === "number" && number >= 0);
}

/** Without the protocol nothing can be run. */
export function unknownProtocol(name: string): never {
  throw new InputError(`it records a run of "${name}", which is not known here: give it with --protocol-file`);
}
