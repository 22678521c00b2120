/** The command line: which command runs, and how each kind of error ends. */
import { type Command, CommanderError } from "commander";
import { flagOf, InputError, ProtocolError, type Wording } from "../errors.ts";
import { Exit, type Io, realIo } from "./io.ts";
import { createProgram } from "./program.ts";
import { endWhenOutputFails, painter } from "./text/terminal.ts";

/** Exit statuses: 0 done, 1 a fault of ours, 2 something for the user to fix, 130 interrupted. */
export async function main(argv: readonly string[], io: Io = realIo): Promise<void> {
  endWhenOutputFails(io);
  try {
    const program = await createProgram(argv.slice(2), io);
    if (argv.length <= 2) program.outputHelp();
    else await program.parseAsync(helpWanted(argv, program));
  } catch (error) {
    io.exitCode = error instanceof Exit ? error.status : end(io, error);
  }
}

/** Commander answers "help nosuch" with all of its help; as a command, "nosuch" gets the line that it deserves. */
function helpWanted(argv: readonly string[], { commands }: Command): readonly string[] {
  const [node, file, help, name] = argv;
  const isUnknown = help === "help" && name !== undefined && !commands.some((command) => command.name() === name);
  return isUnknown ? [node, file, name] : argv;
}

function end({ stderr }: Io, error: unknown): number {
  const tell = (line: string) =>
    stderr.write(`${painter(stderr)("red", "sortition:")} ${line.replace(/\s*\n\s*/g, " ")}\n`);
  if (error instanceof InputError) {
    tell(wordingOf(error)(flagOf));
    if (error instanceof ProtocolError) stderr.write(`${error.stack!.slice(error.stack!.indexOf("\n") + 1)}\n`);
  } else if (error instanceof CommanderError) {
    if (error.exitCode === 0) return 0;
    tell(inOurWords(error.message));
  } else {
    stderr.write(`${error instanceof Error ? error.stack : error}\n`);
    return 1;
  }
  return 2;
}

/** Where an error of a group passes on a sentence of the parts below, theirs knows which of its words are options. */
const wordingOf = ({ message, wording, cause }: InputError): Wording =>
  cause instanceof InputError && cause.message === message ? cause.wording : wording;

/** Commander's messages in the form of ours: "error: unknown option '--m'\n(Did you mean --n?)" */
function inOurWords(message: string): string {
  return message
    .replace(/^error: /, "")
    .replace(/\s*\(Did you mean (.+)\?\)/, (_, name) => `; did you mean "${name}"?`)
    .replace(/'([^']*)'/g, '"$1"')
    .replace(/\.$/, "");
}

// bin/sortition.js starts what is built; this is for the sources: node src/cli/main.ts. Node 22 has no import.meta.main.
if (import.meta.main ?? /\bcli[\\/]main\.[jt]s$/.test(process.argv[1] ?? "")) void main(process.argv);
