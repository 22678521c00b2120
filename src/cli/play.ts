/** `sortition play FILE`: a written scenario, played on a small group. */
import { readFileSync } from "node:fs";
import type { Command } from "commander";
import { InputError } from "../errors.ts";
import { findProtocol } from "../protocols/registry.ts";
import { pathHeadline } from "../trace/headline.ts";
import { type Group, playScenario } from "../trace/scenario.ts";
import { addDrawing, addSelection, type DrawingOptions, draw, type SelectionOptions } from "./drawing.ts";
import { checkFiles, readInput, writeOutput } from "./files.ts";
import { forceOption } from "./options.ts";
import { protocolFileOption, protocolFrom } from "./protocol-file.ts";
import { print } from "./terminal.ts";
import { wholeNumber } from "./values.ts";

interface PlayOptions extends DrawingOptions, SelectionOptions {
  readonly protocolFile?: string;
  readonly group?: string;
  readonly force?: true;
}

const COMMANDS = `
A scenario is a text file with a command on each line:
  network chang-roberts ids=10,30,20    a fresh group; also n=3, initiators=0,2, timed=2,
                                        fifo=false, names=A,B,C and the protocol's parameters
  start                                 everybody starts; "start 0 2": these nodes
  deliver 0->1                          the first message on that link arrives
  drop 0->1                             it is lost
  timer 1 start                         node 1's timer "start" expires
  crash 2, restart 2                    a process crashes, and starts again
  tick, round, run                      the next instant; all that it brings; to the end
  verdicts, on the way, messages        questions; "state 3 phase": part of what node 3 knows
Lines that begin with # explain. The transcript that is printed is a scenario, too.

Examples:
  sortition play examples/scenarios/chang-roberts.txt --svg chang-roberts.svg
      a lecture's example, told and drawn
  printf 'network peterson ids=3,1,2\\nstart\\nrun\\n' | sortition play -
      a scenario from the pipe

Read on: docs/scenarios.md`;

export function define(command: Command): void {
  command
    .description(
      "Leads a small group step by step, as a scenario says, and prints the transcript: what each node did, and why. With --svg it draws the run.",
    )
    .argument("<file>", "the scenario; - reads it from the standard input")
    .addOption(protocolFileOption())
    .option("--group <k>", "draw the group of the k-th network command, where the scenario has several", "1");
  addDrawing(addSelection(command)).addOption(forceOption()).addHelpText("after", COMMANDS).action(run);
}

async function run(file: string, options: PlayOptions): Promise<void> {
  const piped = file === "-";
  checkFiles({ "the scenario": piped ? undefined : file }, { "--svg": options.svg }, options.force);
  const own = options.protocolFile === undefined ? null : await protocolFrom(undefined, options.protocolFile);
  const find = (name: string) => (name === own?.protocol.name ? own.protocol : findProtocol(name).protocol);
  const text = piped ? readFileSync(process.stdin.fd, "utf8") : readInput(file, "the scenario");
  const { transcript, groups } = playScenario(text, find, piped ? "the scenario" : file);
  if (groups.length === 0) throw new InputError(`${file} has no command: begin with "network chang-roberts ids=3,1,2"`);
  if (options.svg !== undefined) writeOutput(options.svg, drawnGroup(groups, options));
  print(transcript.trimEnd());
}

function drawnGroup(groups: readonly Group[], options: PlayOptions): string {
  const chosen = wholeNumber(options.group ?? "1", "--group", 1);
  const group = groups[chosen - 1];
  if (group === undefined) {
    throw new InputError(
      `--group ${chosen}: the scenario has ${groups.length === 1 ? "one group" : `${groups.length} groups`}`,
    );
  }
  const { problem } = group;
  const story = group.story();
  const headline = pathHeadline(problem.protocol.name, problem.topology.size, problem.maxDelay !== null, story);
  return draw(story, headline, options);
}
