/**
 * Runs recorded event by event: read and written as files, described in lines, drawn as space-time diagrams. Needs no Node,
 * but for graph files.
 *
 * @module sortition/trace
 */
import "../campaign/graph-files.ts";

export { InputError, ProtocolError } from "../errors.ts";
export { lines } from "../trace/describe.ts";
export { type DiagramOptions, diagram } from "../trace/diagram/diagram.ts";
export type { TraceEvent } from "../trace/events.ts";
export { parseTrace, type TraceFile, type TraceHeader, traceText } from "../trace/file.ts";
export { Recorder } from "../trace/recorder.ts";
export { firstDifference, playAgain, tellTrial, traceTrial } from "../trace/replay.ts";
export { Group, type PlayedScenario, playScenario } from "../trace/scenario.ts";
export { shiviz } from "../trace/shiviz.ts";
export { type Sentence, type Story, sentenceOf } from "../trace/story.ts";
