/**
 * Runs recorded event by event: read and written as files, described in lines, drawn as space-time diagrams. Needs no Node,
 * but for graph files.
 *
 * @module sortition/trace
 */
import "../campaign/graph-files.ts";

export { InputError, ProtocolError } from "../errors.ts";
export type { FlightFile, LivingOptions } from "../flight/lives.ts";
export { type FlightLife, type FlightReplay, replayFlight } from "../flight/replay.ts";
export type { FlightDifference } from "../flight/run-again.ts";
export type { FlightStory } from "../flight/story.ts";
export type { Held, Part, Scene } from "../narrator.ts";
export type { WrittenSettings } from "../simulation/settings.ts";
export type { Conformance } from "../trace/conformance.ts";
export { lines } from "../trace/describe.ts";
export { type DiagramOptions, diagram } from "../trace/diagram/diagram.ts";
export type { ThemeName } from "../trace/diagram/measure.ts";
export type { TraceEvent, TraceStep } from "../trace/events.ts";
export { parseTrace, type RecordedPath, type TraceFile, type TraceHeader, traceText } from "../trace/file.ts";
export { Recorder } from "../trace/recorder.ts";
export { conforms, firstDifference, playAgain, tellPath, tellTrial, traceTrial } from "../trace/replay.ts";
export { Group, type PlayedScenario, playScenario } from "../trace/scenario.ts";
export { shiviz } from "../trace/shiviz.ts";
export { type Sentence, type Story, sentenceOf, Teller } from "../trace/story.ts";
