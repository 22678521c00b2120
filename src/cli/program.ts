/** All commands, put together: their names at once, the rest of one when it is called. */
import { Command, Help } from "commander";
import { version } from "../version.ts";
import { type Io, realIo } from "./io.ts";
import { painter, terminalWidth } from "./text/terminal.ts";

/** Adds description, arguments, options and action to a command that has its name and summary. */
interface CommandModule {
  define(command: Command, io: Io): void;
}

type Loaded = () => Promise<CommandModule>;
type Listed = readonly (readonly [name: string, summary: string, load: Loaded])[];

/** In the order of the help: what runs in production first. */
const COMMANDS: Readonly<Record<string, Listed>> = {
  "Run:": [
    ["run", "run a command only while this process leads", () => import("./commands/run.ts")],
    ["agent", "be a member of a group and answer programs over HTTP", () => import("./commands/agent.ts")],
    ["group", "be a member of a group and print what happens in it", () => import("./commands/group.ts")],
    ["demo", "see real agents elect, be killed and paused, on this machine", () => import("./commands/demo/demo.ts")],
    ["elect", "take part in one election between real processes", () => import("./commands/elect.ts")],
  ],
  "Operate:": [
    ["status", "show who leads and who is there, as an agent knows it", () => import("./commands/status/status.ts")],
    ["lease", "show the leases of a group, or end one by hand", () => import("./commands/lease.ts")],
    ["replay", "replay a flight record, and explain or draw what happened", () => import("./commands/replay.ts")],
    ["keygen", "make a key for the members of a group", () => import("./commands/keygen.ts")],
    ["keys", "show which member has which key, or replace a key", () => import("./commands/keys/keys.ts")],
  ],
  "Study:": [
    ["lab", "serve the Lab: watch elections and run experiments", () => import("./commands/lab.ts")],
    ["tour", "elect a leader with every protocol; compare with theory", () => import("./commands/tour.ts")],
    ["protocols", "list the protocols, or describe one", () => import("./commands/protocols.ts")],
    ["plan", "find the protocol that meets a target on your network", () => import("./commands/plan.ts")],
    ["simulate", "run many elections on a simulated network", () => import("./commands/simulate.ts")],
    ["sweep", "vary settings, compare protocols, draw the result", () => import("./commands/sweep/sweep.ts")],
    ["theory", "predict cost and success of a protocol by formula", () => import("./commands/theory.ts")],
    ["rare", "measure probabilities of failure of 1e-9 and below", () => import("./commands/rare.ts")],
    ["explore", "check every schedule of a small network", () => import("./commands/explore/explore.ts")],
    ["play", "play a written scenario step by step, or draw it", () => import("./commands/play.ts")],
    ["trace", "replay a recorded run step by step, or draw it", () => import("./commands/trace.ts")],
    ["graph", "describe a network: degrees, diameter, mixing time", () => import("./commands/graph.ts")],
    [
      "reproduce",
      "make the papers' tables and figures, judge their claims",
      () => import("./commands/reproduce/reproduce.ts"),
    ],
    ["merge", "merge the parts of a campaign that ran in shards", () => import("./commands/merge.ts")],
    ["worker", "take part in campaigns of others over NATS", () => import("./commands/worker.ts")],
  ],
};

/**
 * Help shows examples before options. Commander prints examples, which are added text, after all it formats: so the list of options is
 * held back and printed after them.
 */
class HeldBack {
  private readonly options = new WeakMap<Command, string>();

  format(command: Command, helper: Help): string {
    const nothing = { visibleArguments: () => [], visibleOptions: () => [], visibleCommands: () => [] };
    const whole = Help.prototype.formatHelp.call(helper, command, helper);
    const head = Help.prototype.formatHelp.call(helper, command, Object.assign(Object.create(helper), nothing));
    if (!this.options.has(command)) return whole;
    this.options.set(command, whole.slice(head.length).trim());
    return `${head.trimEnd()}\n`;
  }

  /** To be called when a command has its examples. */
  add(command: Command): void {
    this.options.set(command, "");
    command.addHelpText("after", () => `\n${this.options.get(command)}`);
  }
}

/** The commands that the line does not name are there for the help and for "did you mean", and nothing of them is loaded. */
export async function createProgram(line: readonly string[], io: Io = realIo): Promise<Command> {
  const paint = painter(io.stdout);
  const heldBack = new HeldBack();
  const program = new Command("sortition")
    .description(
      "Runs a job on one of your instances, and on another one when that instance dies. Simulates, explores and teaches leader election.",
    )
    .version(version, "-V, --version", "print the version")
    .helpOption("-h, --help", "show help")
    .helpCommand("help [command]", "show the help of a command")
    // Errors are printed in one place, main.ts; commander only throws them.
    .exitOverride()
    .configureOutput({
      outputError: () => {},
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      getOutHelpWidth: () => terminalWidth(io) ?? 80,
      getErrHelpWidth: () => terminalWidth(io) ?? 80,
      // The painter knows whether there are colours, and paints none where there are not.
      getOutHasColors: () => true,
      getErrHasColors: () => true,
    })
    .configureHelp({
      styleTitle: (text) => paint("bold", text),
      styleCommandText: (text) => paint("cyan", text),
      formatHelp: (command, helper) => heldBack.format(command, helper),
    })
    .addHelpText(
      "after",
      "\nStart with:  sortition demo (a live group), sortition lab (the Lab)\nRead on:     README.md, and the help of each command (sortition run --help)",
    );
  for (const [group, listed] of Object.entries(COMMANDS)) {
    for (const [name, summary, load] of listed) {
      const command = program.command(name).summary(summary).description(summary).helpGroup(group);
      if (!line.includes(name)) continue;
      (await load()).define(command, io);
      heldBack.add(command);
    }
  }
  const completion = "print a script that teaches your shell to complete sortition";
  if (line.includes("completion") || line.includes("complete")) {
    const { addCompletion } = await import("./commands/completion.ts");
    await addCompletion(program, completion, line);
  } else program.command("completion").summary(completion);
  return program;
}
