/** Trace files: JSON lines, a header that says how to run it again, then an event a line. The same run gives the same bytes. */

import { InputError } from "../errors.ts";
import type { ExploreRequest } from "../explorer/explore.ts";
import { isModule, type ProtocolSource } from "../protocols/registry.ts";
import { isCount, isObject } from "../protocols/shape.ts";
import type { WrittenSettings } from "../simulation/settings.ts";
import { version } from "../version.ts";
import { jsonOf, type TraceEvent } from "./events.ts";
import { isRecordedRun, type RecordedRun } from "./recorded-run.ts";

/** The part of an exploration's request that leads to the path; the path is the number of the step taken each time. */
export interface RecordedPath {
  readonly protocol: NonNullable<ProtocolSource>;
  readonly request: ExploreRequest;
  /** Who wakes first, where the adversary wakes one and the rest later. */
  readonly wakesFirst?: number | undefined;
  readonly election?: number | undefined;
  readonly path: readonly number[];
  readonly property: string;
  readonly what: string;
}

/** The first line of a trace file: which run it records. */
export type TraceHeader = { readonly sortition: string } & (
  | { readonly trace: "simulation"; readonly settings: WrittenSettings; readonly trial: number }
  | ({ readonly trace: "exploration" } & RecordedPath)
  | ({ readonly trace: "run" } & RecordedRun)
);

/** A recorded run: how to run it again, and its events. */
export interface TraceFile {
  readonly header: TraceHeader;
  readonly events: readonly TraceEvent[];
}

type Headline = TraceHeader extends infer H ? (H extends unknown ? Omit<H, "sortition"> : never) : never;

/** A trace as the text of a file, one JSON object a line. */
export function traceText(header: Headline, events: readonly TraceEvent[]): string {
  return `${[{ sortition: version, ...header }, ...events].map(jsonOf).join("\n")}\n`;
}

/** Reads a trace file; `name` is what errors call it. */
export function parseTrace(text: string, name: string): TraceFile {
  const [header, ...events] = text
    .split("\n")
    .filter((line) => line !== "")
    .map((line, i) => parseLine(line, `${name}: line ${i + 1}`));
  const { trace } = (header ?? {}) as Partial<TraceHeader>;
  if (trace !== "simulation" && trace !== "exploration" && trace !== "run") {
    throw new InputError(`${name} is not a trace: its first line should say which run it records`);
  }
  if (!saysHowToRunItAgain(header)) {
    throw new InputError(`${name}: its first line does not say how to run it again: the file is damaged`);
  }
  for (const [i, event] of events.entries()) {
    if (!isEvent(event, i, events)) throw new InputError(`${name}: line ${i + 2} is not an event of a trace`);
  }
  return { header: header as TraceHeader, events: events as TraceEvent[] };
}

/** As far as it takes to run it; whether that comes out the same is for `firstDifference` to say. */
function saysHowToRunItAgain(header: unknown): boolean {
  if (!isObject(header)) return false;
  if (header.trace === "run") return isRecordedRun(header);
  if (header.trace === "exploration") {
    const { protocol, request, path, what, property } = header;
    if (!isObject(request) || !arePlain(request.params ?? {}) || !isObject(request.limits ?? {})) return false;
    return isSource(protocol) && typeof what === "string" && typeof property === "string" && Array.isArray(path);
  }
  const { settings, trial } = header;
  if (!isObject(settings) || !isCount(trial) || trial >= 2 ** 32) return false;
  return (
    isSource(settings.protocol) &&
    typeof settings.fifo === "boolean" &&
    arePlain(settings.params) &&
    [settings.network, settings.delay, settings.faults].every(isObject)
  );
}

const isSource = (value: unknown): boolean =>
  typeof value === "string" || (isModule(value) && typeof value.module === "string");

const arePlain = (values: unknown): boolean =>
  isObject(values) && Object.values(values).every((value) => value === null || typeof value !== "object");

/** What an event of each kind says besides where, when and why. */
const SAYS: Readonly<Record<TraceEvent["do"], (event: Record<string, unknown>) => boolean>> = {
  start: () => true,
  restart: () => true,
  join: () => true,
  leave: () => true,
  crash: () => true,
  pause: () => true,
  resume: () => true,
  duplicate: () => true,
  refuse: () => true,
  command: () => true,
  send: ({ to }) => isCount(to),
  deliver: ({ from }) => isCount(from),
  lose: ({ why }) => why === "loss" || why === "crash" || why === "leave" || why === "nobody",
  timer: ({ timer }) => typeof timer === "string",
  "end-round": () => true,
  verdict: ({ status, leader, term }) =>
    typeof status === "string" && (leader === null || typeof leader === "number") && typeof term === "number",
};

/** A delivery comes after its sending, whose number is its cause. */
function isEvent(event: unknown, number: number, events: readonly unknown[]): boolean {
  if (!isObject(event)) return false;
  const { do: what, at, node, cause } = event;
  if (typeof what !== "string" || !Object.hasOwn(SAYS, what) || !SAYS[what as TraceEvent["do"]](event)) return false;
  if (!Number.isFinite(at) || !isCount(node)) return false;
  if (cause === null) return what !== "deliver";
  return isCount(cause) && cause < number && (what !== "deliver" || (events[cause] as TraceEvent).do === "send");
}

function parseLine(line: string, place: string): unknown {
  try {
    // Objects with such fields cannot be shown as text; nobody records them.
    if (/"(toString|valueOf)"\s*:/.test(line)) throw new Error();
    return JSON.parse(line);
  } catch {
    throw new InputError(`${place} is not JSON: the file is damaged or was not written by sortition`);
  }
}
