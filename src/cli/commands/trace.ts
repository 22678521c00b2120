/** `sortition trace FILE`: a recorded run, step by step. */
import type { Command } from "commander";
import { recordedMachine } from "../../elector/recorded.ts";
import { InputError } from "../../errors.ts";
import type { Property } from "../../properties/properties.ts";
import type { AnyProtocol } from "../../protocol.ts";
import { type Conformance, conformanceWords } from "../../trace/conformance.ts";
import { lines } from "../../trace/describe.ts";
import { parseTrace, type TraceFile, type TraceHeader } from "../../trace/file.ts";
import { type Headline, pathHeadline, simulationHeadline } from "../../trace/headline.ts";
import { conforms, playAgain, recordedProtocol } from "../../trace/replay.ts";
import { shiviz } from "../../trace/shiviz.ts";
import { listedWords, type Story, sentenceOf } from "../../trace/story.ts";
import { checkFiles, readInput, writeOutput } from "../files.ts";
import type { Io } from "../io.ts";
import { forceOption } from "../options/options.ts";
import { protocolFileOption, protocolFrom } from "../options/protocol-file.ts";
import {
  addDrawing,
  addSelection,
  type DrawingOptions,
  draw,
  type SelectionOptions,
  selection,
} from "../text/drawing.ts";
import { examples, type Paint, painter, print } from "../text/terminal.ts";
import { loadProperties, propertyFileOption } from "./explore/property-file.ts";
import { openInLab } from "./lab.ts";

interface TraceOptions extends DrawingOptions, SelectionOptions {
  readonly protocolFile?: string;
  readonly propertyFile?: string;
  readonly shiviz?: string;
  readonly open?: true;
  readonly force?: true;
  readonly json?: true;
  readonly conform?: true;
}

/** The run came out differently: the program is not the one that recorded it. */
const DIFFERENT = 3;

export function define(command: Command, io: Io): void {
  command
    .description(
      "Runs a recorded run again, checks that it is the same (exit status 3 if not), and prints it: the number of each event, its time, the node, what happened, the number of the event that caused it, and below it what that means.",
    )
    .argument("<file>", 'written by "simulate --trace" or "explore --trace"')
    .addOption(protocolFileOption())
    .addOption(propertyFileOption());
  addDrawing(addSelection(command))
    .option("--shiviz <file>", "write a log with vector clocks for ShiViz")
    .option(
      "--conform",
      "check each step against all that the explorer knows of the machine, without the seed of the run",
    )
    .option("--open", "watch it in the Lab, in the browser")
    .addOption(forceOption())
    .option("--json", "print one JSON object")
    .addHelpText(
      "after",
      examples(
        [
          ["sortition simulate peterson --n 5 --trials 1 --trace run.jsonl", "record a run"],
          ["sortition trace run.jsonl --nodes 0", "what node 0 did and why"],
          ["sortition trace run.jsonl --svg run.svg --theme print", "draw it for a printer without colours"],
          ["sortition trace run.jsonl --open", "watch it in the Lab, event by event"],
        ],
        "docs/explore.md",
      ),
    )
    .action(run.bind(null, io));
}

async function run(io: Io, file: string, options: TraceOptions): Promise<void> {
  checkFiles({ "the trace": file }, { "--svg": options.svg, "--shiviz": options.shiviz }, options.force);
  const text = readInput(file, "the trace");
  const trace = parseTrace(text, file);
  if (options.open === true && (options.protocolFile !== undefined || options.json === true)) {
    throw new InputError("--open shows runs of the protocols of the catalogue, and prints no JSON");
  }
  const own =
    options.protocolFile === undefined
      ? await recordedMachine(trace.header)
      : (await protocolFrom(undefined, options.protocolFile)).protocol;
  const properties = await loadProperties(options.propertyFile);
  const { difference, story, breaks } = runAgain(trace, file, own, properties);
  const wanted = selection(options);
  const headline = headlineOf(trace.header, own, story);
  if (options.svg !== undefined) writeOutput(options.svg, draw(story, headline, options));
  if (options.shiviz !== undefined) writeOutput(options.shiviz, shiviz(trace.events));
  const found = options.conform === true ? checkEach(trace, file, own) : null;
  if (difference !== null || breaks === false || found?.is === "unknown") io.exitCode = DIFFERENT;
  if (options.json === true) {
    const events = trace.events.flatMap((event, i) =>
      wanted(event, i) ? [{ ...event, says: sentenceOf(story, i) }] : [],
    );
    const again = { same: difference === null, firstDifference: difference, breaks, conformance: found };
    print(io, JSON.stringify({ header: trace.header, ...again, events }));
    return;
  }
  const paint = painter(io.stdout);
  const words = (number: number) => {
    const said = options.words ? listedWords(story, number) : null;
    return said === null ? null : paint("dim", said);
  };
  print(
    io,
    [
      paint("bold", headline.title),
      headline.subtitle,
      "",
      ...lines(trace.events, wanted, words),
      "",
      difference === null
        ? paint("green", `✓ run again: all ${trace.events.length} events are the same`)
        : paint(
            "red",
            `✗ run again: event #${difference} comes out differently; this is not the version that recorded it`,
          ),
      ...(found === null ? [] : [conformanceLine(found, paint)]),
      ...(breaks === null ? [] : [paint(breaks ? "green" : "red", claimText(trace.header, breaks))]),
      ...(options.svg === undefined ? [] : [`drawn in ${options.svg}`]),
    ].join("\n"),
  );
  if (options.open === true) await openInLab(io, [{ name: file, bytes: Buffer.from(text) }]);
}

const conformanceLine = (found: Conformance, paint: Paint): string => {
  const [sign, colour] = { known: ["✓", "green"], unknown: ["✗", "red"], undecided: ["?", "yellow"] }[found.is] as [
    string,
    "green",
  ];
  return paint(colour, `${sign} ${conformanceWords(found)}`);
};

function claimText(header: TraceHeader, breaks: boolean): string {
  const property = header.trace === "exploration" ? header.property : "";
  return breaks
    ? `✓ and it breaks ${property}, as its first line says`
    : `✗ but it does not break ${property} as its first line says: the file was changed, or was not written by sortition`;
}

function runAgain(
  trace: TraceFile,
  file: string,
  own: AnyProtocol | null,
  properties: readonly Property[],
): ReturnType<typeof playAgain> {
  return asFaultOf(file, () => playAgain(trace, own, properties));
}

const checkEach = (trace: TraceFile, file: string, own: AnyProtocol | null): Conformance =>
  asFaultOf(file, () => conforms(trace, own));

/** Whatever the file asks for that cannot be done is a fault of the file. */
function asFaultOf<T>(file: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof InputError) throw new InputError(`cannot run ${file} again: ${error.message}`);
    // Values within values until the stack is full; nothing that was recorded is like that.
    if (error instanceof RangeError) throw new InputError(`${file} is damaged: ${error.message}`);
    throw error;
  }
}

function headlineOf(header: TraceHeader, own: AnyProtocol | null, story: Story): Headline {
  const { name } = recordedProtocol(header, own).protocol;
  if (header.trace === "simulation") return simulationHeadline({ ...header.settings, name }, header.trial, story);
  if (header.trace === "run") return pathHeadline(name, header.n, true, story, header.what);
  const { n, timed } = header.request;
  return pathHeadline(name, n, timed !== undefined, story, header.what);
}
