/** One search as the command asks for it, from its options to what is printed and written: on this thread, or on one that can be ended. */
import { styleText } from "node:util";
import type { ExploreRequest } from "../../../explorer/explore.ts";
import { pathOrdinals } from "../../../explorer/ordinals.ts";
import { computing } from "../../../explorer/probability/probabilities.ts";
import { type Deepened, deepening, type Level } from "../../../explorer/search/deepen.ts";
import type { Violation } from "../../../explorer/search/search-terms.ts";
import type { PromiseStanding } from "../../../explorer/search/verdicts.ts";
import { enumerated } from "../../../explorer/search/walks.ts";
import type { FAULT_CHANCES } from "../../../explorer/settings.ts";
import { BUDGETS, EXPLORATION } from "../../../explorer/settings.ts";
import type { Property } from "../../../properties/properties.ts";
import type { AnyProtocol } from "../../../protocol.ts";
import type { Found } from "../../../protocols/registry.ts";
import { type Given, pick, readAll, setting, type Values } from "../../../setting.ts";
import { jsonOf } from "../../../trace/events.ts";
import { traceText } from "../../../trace/file.ts";
import { pathHeadline } from "../../../trace/headline.ts";
import { tellPath } from "../../../trace/replay.ts";
import type { Story } from "../../../trace/story.ts";
import { readAs, whole } from "../../../values.ts";
import { inTurns } from "../../interrupt.ts";
import { pairsOf, paramsOf } from "../../options/options.ts";
import { protocolFrom } from "../../options/protocol-file.ts";
import { type DrawingOptions, draw } from "../../text/drawing.ts";
import type { Paint } from "../../text/terminal.ts";
import { Threads } from "./crew.ts";
import { probabilitiesJson, probabilitiesTable } from "./probabilities.ts";
import { type PromiseOptions, promisesFrom } from "./property-file.ts";
import { printExploration } from "./report.ts";

export interface ExploreOptions extends DrawingOptions, Given<typeof EXPLORATION>, Given<typeof FAULT_CHANCES> {
  readonly probabilities?: true;
  readonly protocolFile?: string;
  readonly param?: readonly string[];
  readonly limit?: readonly string[];
  readonly property?: readonly string[];
  readonly expect?: readonly string[];
  readonly propertyFile?: string;
  readonly maxMessages?: number;
  readonly maxTime?: number;
  readonly memory?: number;
  readonly seconds?: number;
  readonly threads?: number;
  readonly trace?: string;
  readonly open?: true;
  readonly force?: true;
  readonly json?: true;
}

/** Settings that only the command has. */
export const OWN = {
  maxMessages: setting(whole(0), { value: "k", about: "also check that no run sends more than k messages" }),
  maxTime: setting(whole(0), { value: "k", about: "with --timed: also check that no run takes more than k instants" }),
  seconds: setting(whole(1), {
    value: "s",
    about: "stop after so long, with what is known by then",
    default: "60",
  }),
  memory: setting(whole(1), {
    value: "MB",
    about: "stop when the tables of configurations take more; the process takes two to four times that",
    default: "1024",
  }),
};

/** What travels to another thread: plain data. */
export interface SearchJob {
  readonly name: string | undefined;
  readonly options: ExploreOptions;
  readonly threads: number;
  readonly colours: boolean;
  /** Shared: how often code of the user was entered and left, on all threads. */
  readonly calls?: Int32Array;
}

export interface SearchOutcome {
  readonly text: string;
  /** With which the command ends. */
  readonly status: number;
  readonly trace: string | null;
  readonly svg: string | null;
}

/** What two threads share of a search: whether it is to stop, and how far it has come. */
export const STOPS = 0;
export const STATES_FOUND = 1;
export const CASES_DONE = 2;
export const CASES_IN_ALL = 3;
export const SHARED_FIELDS = 4;

/** What the caller sees of a search, and how it stops it. */
export interface SearchWatch {
  onLevel(level: Pick<Level, "choices" | "limits">): void;
  onProgress(states: number, done: number, cases: number): void;
  isInterrupted(): boolean;
}

/** Broken is neither a mistake of the user nor one of ours. */
const STATUS: Readonly<Record<PromiseStanding, number>> = { holds: 0, broken: 3, "not evaluated": 2 };
export const INTERRUPTED = 130;

export async function searchedHere(
  { name, options, threads, colours, calls }: SearchJob,
  watch: SearchWatch,
): Promise<SearchOutcome> {
  const found = await protocolFrom(name, options.protocolFile);
  const { protocol } = found;
  const paint: Paint = (style, text) => (colours ? styleText(style, text, { validateStream: false }) : text);
  if (options.probabilities === true) return likely(protocol, options, watch, paint);
  const request = requestFrom(options, await promisesFrom(protocol, promisesAsked(options)));
  const began = performance.now();
  const clock = { now: () => performance.now(), budget: 1000 * readAll(OWN, options).seconds };
  const crew = crewFor(threads, found, request, options, calls);
  const onProgress = (states: number, done: number, cases: number) => {
    watch.onProgress(states, done, cases);
    return !watch.isInterrupted();
  };
  let deepened: Deepened;
  try {
    const asked = { ...request, choices: options.choices, onProgress };
    deepened = await inTurns(deepening(protocol, asked, clock, (level) => watch.onLevel(level), crew));
  } finally {
    await crew?.close();
  }
  const seconds = (performance.now() - began) / 1000;
  const { result, stopped } = deepened;
  const interrupted = watch.isInterrupted() && stopped;
  const { violation } = result;
  const story = violation === null ? null : tellPath(violation.problem, violation.network, violation.steps);
  const isRecorded = options.trace !== undefined || options.open === true;
  return {
    text:
      options.json === true
        ? jsonOf(forMachines(deepened, request, seconds, story))
        : printExploration(paint, deepened, seconds, interrupted, options, story),
    status: interrupted && result.verdict === "not evaluated" ? INTERRUPTED : STATUS[result.verdict],
    trace: isRecorded && violation !== null && story !== null ? traceOf(found, request, violation, story) : null,
    svg: options.svg === undefined || violation === null || story === null ? null : drawn(violation, story, options),
  };
}

/** How likely each outcome is, instead of what can happen. */
async function likely(
  protocol: AnyProtocol,
  options: ExploreOptions,
  watch: SearchWatch,
  paint: Paint,
): Promise<SearchOutcome> {
  const { n, topology, ids, initiators, roles, fifo, timed } = readAll(EXPLORATION, options);
  const { loss, multicastLoss, crash } = options;
  const { seconds, memory } = readAll(OWN, options);
  const given = { params: paramsOf(options.param), limits: limitsOf(options.limit), maxBytes: memory * 2 ** 20 };
  const asked = { n, topology, ids, initiators, roles, fifo, timed, loss, multicastLoss, crash, ...given };
  // Ctrl-C is the end of the time.
  const clock = { now: () => (watch.isInterrupted() ? Infinity : performance.now()), budget: 1000 * seconds };
  const result = await inTurns(computing(protocol, asked, clock));
  const text = options.json === true ? probabilitiesJson(result) : probabilitiesTable(paint, protocol, result);
  return { text, status: result.stopped === null ? 0 : STATUS["not evaluated"], trace: null, svg: null };
}

function drawn({ problem, network, what }: Violation, story: Story, options: ExploreOptions): string {
  const headline = pathHeadline(problem.protocol.name, problem.topology.size, network.timed, story, what);
  return draw(story, headline, options);
}

/** Null where the calling thread is to do all, or no other could find the protocol. */
function crewFor(
  threads: number,
  { source }: Found,
  request: ExploreRequest,
  options: ExploreOptions,
  calls: Int32Array | undefined,
): Threads | null {
  if (threads === 0 || source === null) return null;
  const { properties: _, ...plain } = request;
  return new Threads(threads, { protocol: source, request: plain, promises: promisesAsked(options), calls });
}

function promisesAsked(options: ExploreOptions): PromiseOptions {
  const { property, propertyFile, maxMessages, maxTime } = options;
  const { crashes, halfway = 0 } = readAll(EXPLORATION, options);
  return { property, propertyFile, maxMessages, maxTime, crashes: crashes + halfway > 0 };
}

function requestFrom(
  options: ExploreOptions,
  properties: readonly (string | Property)[],
): ExploreRequest & Values<typeof EXPLORATION> {
  const { memory } = readAll(OWN, options);
  return {
    ...readAll(EXPLORATION, options),
    params: paramsOf(options.param),
    limits: limitsOf(options.limit),
    properties,
    expect: options.expect ?? [],
    maxBytes: memory * 2 ** 20,
  };
}

function limitsOf(given: readonly string[] = []): Readonly<Record<string, number>> {
  const limits = Object.entries(pairsOf(given, "--limit", "phases=2"));
  return Object.fromEntries(limits.map(([name, k]) => [name, readAs(whole(0), k, `--limit ${name}`)]));
}

function traceOf({ source }: Found, request: ExploreRequest, violation: Violation, story: Story): string {
  const { property, what, problem } = violation;
  const { ids, initiators, choices, limits } = problem;
  const { properties: _, ...kept } = request;
  const header = {
    trace: "exploration",
    protocol: source!,
    // Of the search that found it: how many values it tried is up to the explorer where nobody says.
    request: { ...kept, ...(ids === null ? {} : { ids }), initiators, choices, limits },
    wakesFirst: problem.wakesFirst,
    election: problem.election,
    path: pathOrdinals(enumerated(violation)),
    property,
    what,
  } as const;
  return traceText(header, story.events);
}

function forMachines(
  { result: { violation, expected, params, cases, ...result }, levels, stopped, scouts }: Deepened,
  request: Values<typeof EXPLORATION>,
  seconds: number,
  story: Story | null,
) {
  return {
    ...result,
    complete: result.complete && !stopped,
    levels,
    scouts,
    parameters: params,
    timed: request.timed ?? null,
    fifo: request.fifo,
    ...pick(BUDGETS, request),
    cases,
    violation: violation === null ? null : { ...plainViolation(violation), events: story?.events ?? [] },
    expected: expected.map(plainViolation),
    seconds,
    statesPerSecond: Math.round(result.states / seconds),
  };
}

const plainViolation = ({ property, what, problem: { ids, initiators }, loop }: Violation) => ({
  property,
  what,
  ids,
  initiators,
  loop: loop ?? null,
});
