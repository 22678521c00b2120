/** `sortition explore PROTOCOL`: every schedule of a small network. */

import type { Command } from "commander";
import { InputError } from "../../errors.ts";
import type { Exploration, ExploreRequest } from "../../explorer/explore.ts";
import { pathOrdinals } from "../../explorer/ordinals.ts";
import { FAULT_CHANCES } from "../../explorer/probability/settings.ts";
import { type Deepened, deepening } from "../../explorer/search/deepen.ts";
import { enumerated } from "../../explorer/search/enumerated.ts";
import { BUDGETS, EXPLORATION } from "../../explorer/settings.ts";
import { flagOf } from "../../flags.ts";
import { type Property, propertyNames } from "../../properties/properties.ts";
import type { AnyProtocol } from "../../protocol.ts";
import type { Found } from "../../protocols/registry.ts";
import { type Given, pick, readAll, setting, type Values } from "../../setting.ts";
import { LENGTH } from "../../settings/simulation.ts";
import { jsonOf } from "../../trace/events.ts";
import { traceText } from "../../trace/file.ts";
import { pathHeadline } from "../../trace/headline.ts";
import { tellPath } from "../../trace/replay.ts";
import type { Story } from "../../trace/story.ts";
import { readAs, whole } from "../../values.ts";
import { checkFiles, checkOutput, writeOutput } from "../files.ts";
import { inTurns, onInterrupt } from "../interrupt.ts";
import type { Io } from "../io.ts";
import { addSettings, forceOption, jsonOption, pairsOf, paramOption, paramsOf, repeated } from "../options/options.ts";
import { protocolFileOption, protocolFrom } from "../options/protocol-file.ts";
import { threadsOf } from "../options/request.ts";
import { addDrawing, type DrawingOptions, draw } from "../text/drawing.ts";
import { examples, print } from "../text/terminal.ts";
import { Threads } from "./explore/crew.ts";
import { refuseUnlikely, showImpossibility, showProbabilities } from "./explore/probabilities.ts";
import { promisesFrom, propertyFileOption } from "./explore/property-file.ts";
import { printExploration, StateMeter } from "./explore/report.ts";
import { openInLab } from "./lab.ts";

interface ExploreOptions extends DrawingOptions, Given<typeof EXPLORATION>, Given<typeof FAULT_CHANCES> {
  readonly probabilities?: true;
  readonly protocolFile?: string;
  readonly param?: readonly string[];
  readonly limit?: readonly string[];
  readonly property?: readonly string[];
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
const OWN = {
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

/** What the table of machines has, and what has a value though nobody gave one. */
const OF_ANONYMOUS_RING = ["n", "json", "legend", "words", "theme"];

/** A property does not hold: neither a mistake of the user nor one of ours. */
const VIOLATED = 3;
/** Nothing was found, but not everything was seen: for the user to mend. */
const UNFINISHED = 2;
const INTERRUPTED = 130;

export function define(command: Command, io: Io): void {
  command
    .description(
      'Visits every configuration that a small network can reach, whatever the order of its messages, and checks the promises of an election in each. What it finds is the shortest run that breaks one (exit status 3). "explore anonymous-ring" shows why rings without ids need randomness.',
    )
    .argument("[protocol]", 'its name; "sortition protocols" lists them; or anonymous-ring')
    .addOption(protocolFileOption());
  addSettings(command, { ...EXPLORATION, ...FAULT_CHANCES, ...OWN, threads: LENGTH.threads })
    .addOption(paramOption())
    .option(
      "--limit <measure=k>",
      "do not go beyond k of a growing measure, such as phases=2; may be repeated",
      repeated,
    )
    .option(
      "--property <name>",
      `check only this; may be repeated (${Object.keys(propertyNames).join(", ")})`,
      repeated,
    )
    .addOption(propertyFileOption())
    .option("--probabilities", "how likely each outcome is, exactly, instead of what can happen")
    .option("--trace <file>", 'write the run that breaks a promise, for "sortition trace"')
    .option("--open", "watch it in the Lab, in the browser");
  addDrawing(command)
    .addOption(forceOption())
    .addOption(jsonOption())
    .addHelpText(
      "after",
      examples(
        [
          ["sortition explore peterson --n 4", "all 6 arrangements of 4 ids, every schedule"],
          ["sortition explore itai-rodeh --n 3 --limit phases=2 --param range=2", "every draw of two phases"],
          ["sortition explore chang-roberts --n 3 --crashes 1 --svg crash.svg", "what one crash can do, drawn"],
          ["sortition explore chang-roberts --n 3 --crashes 1 --open", "the same, in the Lab"],
          ["sortition explore anonymous-ring --n 3", "no deterministic machine elects one leader"],
        ],
        "docs/explore.md",
      ),
    )
    .action(run.bind(null, io));
}

async function run(io: Io, name: string | undefined, options: ExploreOptions): Promise<void> {
  if (name === "anonymous-ring") {
    const odd = Object.keys(options).find((field) => !OF_ANONYMOUS_RING.includes(field));
    if (odd !== undefined) throw new InputError(`anonymous-ring has only --n and --json: leave ${flagOf(odd)} out`);
    showImpossibility(io, readAll(EXPLORATION, options).n, options.json === true);
    return;
  }
  const found = await protocolFrom(name, options.protocolFile);
  const { protocol } = found;
  if (options.probabilities === true) {
    await runProbabilities(io, protocol, options);
    return;
  }
  const coin = (["loss", "multicastLoss", "crash"] as const).find((field) => options[field] !== undefined);
  if (coin !== undefined)
    throw new InputError(`${flagOf(coin)} is a coin: add --probabilities, or use a budget such as --drops 1`);
  const request = requestFrom(options, await promisesFrom(protocol, options));
  checkTogether(request, options);
  const { deepened, seconds, interrupted } = await searched(io, found, request, options);
  const { result, stopped } = deepened;
  const { violation } = result;
  const story = violation === null ? null : tellPath(violation.problem, violation.network, violation.steps);
  if (violation !== null && story !== null) {
    if (options.trace !== undefined) writeOutput(options.trace, traceOf(found, request, violation, story));
    const { problem, network, what } = violation;
    const headline = pathHeadline(protocol.name, problem.topology.size, network.timed, story, what);
    if (options.svg !== undefined) writeOutput(options.svg, draw(story, headline, options));
  }
  print(
    io,
    options.json === true
      ? jsonOf(forMachines(deepened, request, seconds, story))
      : printExploration(io, deepened, seconds, interrupted, options, story),
  );
  if (violation !== null) io.exitCode = VIOLATED;
  else if (interrupted) io.exitCode = INTERRUPTED;
  else if (stopped) io.exitCode = UNFINISHED;
  if (options.open !== true) return;
  if (violation === null || story === null) print(io, "There is no run to open: nothing was broken.");
  else await openInLab(io, `${protocol.name}-counterexample.jsonl`, traceOf(found, request, violation, story));
}

async function runProbabilities(io: Io, protocol: AnyProtocol, options: ExploreOptions): Promise<void> {
  refuseUnlikely({ ...options });
  const { n, topology, ids, initiators, roles, fifo, timed } = readAll(EXPLORATION, options);
  const { loss, multicastLoss, crash } = options;
  const { seconds, memory } = readAll(OWN, options);
  const given = { params: paramsOf(options.param), limits: limitsOf(options.limit), maxBytes: memory * 2 ** 20 };
  const asked = { n, topology, ids, initiators, roles, fifo, timed, loss, multicastLoss, crash, ...given };
  if (!(await showProbabilities(io, protocol, asked, seconds, options.json === true))) io.exitCode = UNFINISHED;
}

function checkTogether({ walks }: ExploreRequest, { trace, open, protocolFile, json }: ExploreOptions): void {
  if (walks !== undefined && (trace !== undefined || open === true)) {
    throw new InputError("a random walk is found again by its --seed: leave --trace and --open out");
  }
  if (open === true && protocolFile !== undefined) {
    throw new InputError("--open shows runs of the protocols of the catalogue; use --trace and --svg for your own");
  }
  if (open === true && json === true) {
    throw new InputError("--open prints the address of the Lab, and no JSON: leave one of them out");
  }
}

interface Searched {
  readonly deepened: Deepened;
  readonly seconds: number;
  readonly interrupted: boolean;
}

/** Deeper and deeper, until all was visited, something was found, the time is over, or Ctrl-C. */
async function searched(io: Io, found: Found, request: ExploreRequest, options: ExploreOptions): Promise<Searched> {
  const began = performance.now();
  const meter = new StateMeter(io.stderr);
  const interrupt = onInterrupt(io);
  const onProgress = (states: number, done: number, cases: number) => {
    meter.show(states, done, cases);
    return !interrupt.signal.aborted;
  };
  const clock = { now: () => performance.now(), budget: 1000 * readAll(OWN, options).seconds };
  const crew = crewFor(io, found, request, options);
  let deepened: Deepened;
  try {
    checkFiles({}, { "--trace": options.trace, "--svg": options.svg }, options.force);
    for (const file of [options.trace, options.svg]) if (file !== undefined) checkOutput(file);
    const deeper = { ...request, choices: options.choices, onProgress };
    deepened = await inTurns(deepening(found.protocol, deeper, clock, (level) => meter.begin(level), crew));
  } finally {
    meter.clear();
    interrupt.stop();
    await crew?.close();
  }
  const seconds = (performance.now() - began) / 1000;
  return { deepened, seconds, interrupted: interrupt.signal.aborted && deepened.stopped };
}

/** Null where the calling thread is to do all, or no other could find the protocol. */
function crewFor(io: Io, { source }: Found, request: ExploreRequest, options: ExploreOptions): Threads | null {
  const threads = threadsOf(io, options);
  if (threads === 0 || source === null) return null;
  const { properties: _, ...plain } = request;
  const { property, propertyFile, maxMessages, maxTime } = options;
  return new Threads(threads, {
    protocol: source,
    request: plain,
    promises: { property, propertyFile, maxMessages, maxTime },
  });
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
    maxBytes: memory * 2 ** 20,
  };
}

function limitsOf(given: readonly string[] = []): Readonly<Record<string, number>> {
  const limits = Object.entries(pairsOf(given, "--limit", "phases=2"));
  return Object.fromEntries(limits.map(([name, k]) => [name, readAs(whole(0), k, `--limit ${name}`)]));
}

function traceOf(
  { source }: Found,
  request: ExploreRequest,
  violation: NonNullable<Exploration["violation"]>,
  story: Story,
): string {
  const { property, what, problem } = violation;
  const { ids, initiators, choices, limits } = problem;
  const { properties: _, ...kept } = request;
  const header = {
    trace: "exploration",
    protocol: source!,
    // Of the search that found it: how many values it tried is up to the explorer where nobody says.
    request: { ...kept, ...(ids === null ? {} : { ids }), initiators, choices, limits },
    wakesFirst: problem.wakesFirst,
    path: pathOrdinals(enumerated(violation)),
    property,
    what,
  } as const;
  return traceText(header, story.events);
}

function forMachines(
  { result: { violation, params, cases, ...result }, levels, stopped, scouts }: Deepened,
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
    violation:
      violation === null
        ? null
        : {
            property: violation.property,
            what: violation.what,
            ids: violation.problem.ids,
            initiators: violation.problem.initiators,
            events: story?.events ?? [],
          },
    seconds,
    statesPerSecond: Math.round(result.states / seconds),
  };
}
