/**
 * Runs recorded event by event: read and written as files, described in lines, drawn as space-time diagrams. Needs no Node,
 * but for graph files.
 *
 * @module sortition/trace
 */
import "../campaign/graph-files.ts";

export { InputError } from "../errors.ts";
export { lines } from "../trace/describe.ts";
export { diagram } from "../trace/diagram.ts";
export type { TraceEvent } from "../trace/events.ts";
export { parseTrace, type TraceFile, type TraceHeader, traceText } from "../trace/file.ts";
export { Recorder } from "../trace/recorder.ts";
export { firstDifference, traceTrial } from "../trace/replay.ts";
export { shiviz } from "../trace/shiviz.ts";
