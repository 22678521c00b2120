/** `sortition trace FILE`: a recorded run, step by step. */
import type { Command } from "commander";
import { InputError } from "../errors.ts";
import type { AnyProtocol } from "../protocol.ts";
import { lines } from "../trace/describe.ts";
import { diagram } from "../trace/diagram.ts";
import type { TraceEvent } from "../trace/events.ts";
import { parseTrace, type TraceFile, type TraceHeader } from "../trace/file.ts";
import { firstDifference, recordedProtocol } from "../trace/replay.ts";
import { shiviz } from "../trace/shiviz.ts";
import { checkFiles, readInput, writeOutput } from "./files.ts";
import { examples } from "./help.ts";
import { forceOption } from "./options.ts";
import { protocolFileOption, protocolFrom } from "./protocol-file.ts";
import { painter, print } from "./terminal.ts";
import { listOf, numberOf } from "./values.ts";

interface TraceOptions {
  readonly protocolFile?: string;
  readonly node?: string;
  readonly from?: string;
  readonly to?: string;
  readonly svg?: string;
  readonly shiviz?: string;
  readonly force?: true;
  readonly json?: true;
}

/** The run came out differently: the program is not the one that recorded it. */
const DIFFERENT = 3;

export function define(command: Command): void {
  command
    .description(
      "Runs a recorded run again, checks that it is the same (exit status 3 if not), and prints it: the number of each event, its time, the node, what happened, and the number of the event that caused it.",
    )
    .argument("<file>", "written by «simulate --trace» or «explore --trace»")
    .addOption(protocolFileOption())
    .option("--node <list>", "only what happens at these nodes, such as 0,2")
    .option("--from <time>", "only from this time on")
    .option("--to <time>", "only up to this time")
    .option("--svg <file>", "draw a space-time diagram")
    .option("--shiviz <file>", "write a log with vector clocks for ShiViz")
    .addOption(forceOption())
    .option("--json", "print one JSON object")
    .addHelpText(
      "after",
      examples(
        [
          ["sortition simulate peterson --n 5 --trials 1 --trace run.jsonl", "record a run"],
          ["sortition trace run.jsonl --node 0", "what node 0 did and why"],
          ["sortition trace run.jsonl --svg run.svg", "draw it"],
        ],
        "docs/explore.md",
      ),
    )
    .action(run);
}

async function run(file: string, options: TraceOptions): Promise<void> {
  checkFiles({ "the trace": file }, { "--svg": options.svg, "--shiviz": options.shiviz }, options.force);
  const trace = parseTrace(readInput(file, "the trace"), file);
  const own = options.protocolFile === undefined ? null : await protocolFrom(undefined, options.protocolFile);
  const different = runAgain(trace, file, own?.protocol ?? null);
  const wanted = filter(options);
  const title = titleOf(trace.header, own?.protocol ?? null);
  if (options.svg !== undefined) writeOutput(options.svg, diagram(trace.events, title, wanted));
  if (options.shiviz !== undefined) writeOutput(options.shiviz, shiviz(trace.events));
  if (different !== null) process.exitCode = DIFFERENT;
  if (options.json === true) {
    const { header, events } = trace;
    print(
      JSON.stringify({ header, same: different === null, firstDifference: different, events: events.filter(wanted) }),
    );
    return;
  }
  const paint = painter(process.stdout);
  print(
    [
      paint("bold", title),
      "",
      ...lines(trace.events, wanted),
      "",
      different === null
        ? paint("green", `✓ run again: all ${trace.events.length} events are the same`)
        : paint(
            "red",
            `✗ run again: event #${different} comes out differently; this is not the version that recorded it`,
          ),
    ].join("\n"),
  );
}

/** Whatever the file asks for that cannot be done is a fault of the file. */
function runAgain(trace: TraceFile, file: string, own: AnyProtocol | null): number | null {
  try {
    return firstDifference(trace, own);
  } catch (error) {
    if (error instanceof InputError) throw new InputError(`cannot run ${file} again: ${error.message}`);
    // Values within values until the stack is full; nothing that was recorded is like that.
    if (error instanceof RangeError) throw new InputError(`${file} is damaged: ${error.message}`);
    throw error;
  }
}

function titleOf(header: TraceHeader, own: AnyProtocol | null): string {
  const { name } = recordedProtocol(header, own).protocol;
  if (header.trace === "exploration") return `${name}, n = ${header.request.n}: ${header.what}`;
  const { n, host, seed } = header.settings;
  return `${name}, n = ${n}, ${host} host, seed ${seed}, trial ${header.trial}`;
}

function filter(options: TraceOptions): (event: TraceEvent) => boolean {
  const nodes = options.node === undefined ? null : new Set(listOf(options.node, "--node"));
  const from = options.from === undefined ? -Infinity : numberOf(options.from, "--from");
  const to = options.to === undefined ? Infinity : numberOf(options.to, "--to");
  return ({ node, at }) => (nodes === null || nodes.has(node)) && from <= at && at <= to;
}
