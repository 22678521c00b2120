/** `sortition play FILE`: a written scenario, played on a small group. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { didYouMean, InputError } from "../../errors.ts";
import { codeFile } from "../../package-files.ts";
import { findProtocol } from "../../protocols/registry.ts";
import { pathHeadline } from "../../trace/headline.ts";
import { type Group, playScenario } from "../../trace/scenario.ts";
import { checkFiles, readInput, writeOutput } from "../files.ts";
import type { Io } from "../io.ts";
import { forceOption, wholeNumber } from "../options/options.ts";
import { protocolFileOption, protocolFrom } from "../options/protocol-file.ts";
import { addDrawing, addSelection, type DrawingOptions, draw, type SelectionOptions } from "../text/drawing.ts";
import { print } from "../text/terminal.ts";

interface PlayOptions extends DrawingOptions, SelectionOptions {
  readonly protocolFile?: string;
  readonly group?: string;
  readonly force?: true;
}

const COMMANDS = `
A scenario is a text file with a command on each line:
  network chang-roberts ids=10,30,20    a fresh group; also n=3, initiators=0,2, timed=2,
                                        fifo=false, names=A,B,C and the protocol's parameters
  start                                 all initiators start; "start 0 2": these nodes
  deliver 0->1                          the first message on that link arrives
  drop 0->1, duplicate 0->1             it is lost, or will arrive twice
  timer 1 start                         node 1's timer "start" expires
  crash 2, restart 2                    a process crashes, and starts again
  pause 2, resume 2                     the node pauses, and continues
  tick, round, run                      the next instant; all that it brings; to the end
  verdicts, on the way, messages        questions; "state 3 phase": part of what node 3 knows
Lines that begin with # explain. The transcript that is printed is a scenario, too.

Examples:
  sortition play
      the names of the scenarios that come with sortition
  sortition play chang-roberts --svg chang-roberts.svg
      one of them, a lecture's example, told and drawn
  printf 'network peterson ids=3,1,2\\nstart\\nrun\\n' | sortition play -
      a scenario from the pipe

Read on: docs/explore.md`;

export function define(command: Command, io: Io): void {
  command
    .description(
      "Leads a small group step by step, as a scenario says, and prints the transcript: what each node did, and why. With --svg it draws the run.",
    )
    .argument("[file]", "the scenario, or the name of one that comes with sortition; - reads the standard input")
    .addOption(protocolFileOption())
    .option("--group <k>", "draw the group of the k-th network command, where the scenario has several", "1");
  addDrawing(addSelection(command)).addOption(forceOption()).addHelpText("after", COMMANDS).action(run.bind(null, io));
}

const SHIPPED = codeFile("../examples/scenarios");
const ENDING = ".txt";

const shippedNames = (): string[] =>
  readdirSync(SHIPPED)
    .filter((name) => name.endsWith(ENDING))
    .map((name) => name.slice(0, -ENDING.length));

/** A file of the user's comes before one that is shipped. */
function fileOf(given: string): string {
  if (given === "-" || existsSync(given)) return given;
  const shipped = join(SHIPPED, `${given}${ENDING}`);
  if (/^[\w-]+$/.test(given) && existsSync(shipped)) return shipped;
  const hint = didYouMean(given, shippedNames());
  throw new InputError(
    `there is no scenario ${given}${hint || '; "sortition play" lists those that come with sortition'}`,
  );
}

function listShipped(): string {
  const names = shippedNames();
  const widest = Math.max(...names.map((name) => name.length));
  return names
    .map((name) => `${name.padEnd(widest)}  ${aboutOf(join(SHIPPED, `${name}${ENDING}`))}`.trimEnd())
    .join("\n");
}

/** The first sentence that a scenario says of itself. */
function aboutOf(file: string): string {
  const explains = /^(#.*\n)+/m.exec(readFileSync(file, "utf8"))?.[0] ?? "";
  const text = explains.replace(/^# ?/gm, "").replace(/\n/g, " ").trim();
  return /^.*?[a-z)]{3,}\.(?= |$)/.exec(text)?.[0] ?? text;
}

async function run(io: Io, given: string | undefined, options: PlayOptions): Promise<void> {
  if (given === undefined) return print(io, listShipped());
  const file = fileOf(given);
  const piped = file === "-";
  checkFiles({ "the scenario": piped ? undefined : file }, { "--svg": options.svg }, options.force);
  const own = options.protocolFile === undefined ? null : await protocolFrom(undefined, options.protocolFile);
  const find = (name: string) => (name === own?.protocol.name ? own.protocol : findProtocol(name).protocol);
  const text = piped ? io.readInput() : readInput(file, "the scenario");
  const { transcript, groups } = playScenario(text, find, piped ? "the scenario" : given);
  if (groups.length === 0)
    throw new InputError(
      `${piped ? "the scenario" : given} has no command: begin with "network chang-roberts ids=3,1,2"`,
    );
  if (options.svg !== undefined) writeOutput(options.svg, drawnGroup(groups, options));
  print(io, transcript.trimEnd());
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
  const headline = pathHeadline(problem.protocol.name, group.n, problem.maxDelay !== null, story);
  return draw(story, headline, options);
}
