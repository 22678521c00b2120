/** All commands, put together: their names at once, the rest of one when it is called. */
import { Command } from "commander";
import { version } from "../version.ts";
import { type Io, realIo } from "./io.ts";
import { painter, terminalWidth } from "./text/terminal.ts";

/** Adds description, arguments, options and action to a command that has its name and summary. */
interface CommandModule {
  define(command: Command, io: Io): void;
}

const COMMANDS: readonly (readonly [name: string, summary: string, load: () => Promise<CommandModule>])[] = [
  ["tour", "elect a leader with every protocol and compare messages with theory", () => import("./commands/tour.ts")],
  ["protocols", "list the protocols, or describe one", () => import("./commands/protocols.ts")],
  [
    "simulate",
    "run many elections on a simulated network and report what they cost",
    () => import("./commands/simulate.ts"),
  ],
  ["sweep", "vary one or two settings, compare protocols, and draw the result", () => import("./commands/sweep.ts")],
  ["merge", "merge the parts of a campaign that was cut into shards", () => import("./commands/merge.ts")],
  ["worker", "take part in campaigns that others submit over NATS", () => import("./commands/worker.ts")],
  [
    "rare",
    "measure how seldom quorums or referees miss each other, down to 1e-9 and below",
    () => import("./commands/rare.ts"),
  ],
  [
    "theory",
    "what a protocol costs and how often it fails, by formula instead of by trial",
    () => import("./commands/theory.ts"),
  ],
  ["plan", "which protocol, with which parameters, meets a target on your network", () => import("./commands/plan.ts")],
  ["graph", "describe a network: size, degrees, diameter, mixing time", () => import("./commands/graph.ts")],
  [
    "explore",
    "check every schedule of a small network, and show the shortest run that breaks a promise",
    () => import("./commands/explore.ts"),
  ],
  ["play", "play a written scenario, step by step, print what happens, or draw it", () => import("./commands/play.ts")],
  ["trace", "replay a recorded run, print it step by step, or draw it", () => import("./commands/trace.ts")],
  [
    "replay",
    "run the flight records of members again, check and explain them, or draw them",
    () => import("./commands/replay.ts"),
  ],
  [
    "reproduce",
    "make the tables, figures and claims of the papers again, and judge them",
    () => import("./commands/reproduce.ts"),
  ],
  ["lab", "serve the Lab: a web page to watch elections and run experiments", () => import("./commands/lab.ts")],
  ["elect", "take part in an election between real processes", () => import("./commands/elect.ts")],
  [
    "agent",
    "be a member of a group and serve what it knows over HTTP, for any language",
    () => import("./commands/agent.ts"),
  ],
  ["group", "be a member of a group that lasts: know the leader, or lead", () => import("./commands/group.ts")],
  ["run", "run a command only while this process leads", () => import("./commands/run.ts")],
  ["lease", "look at the leases of a strict group, or end one by hand", () => import("./commands/lease.ts")],
  ["status", "who leads and who is there, as an agent knows it", () => import("./commands/status.ts")],
  [
    "demo",
    "see real agents elect, be killed and paused, and go on, on this machine",
    () => import("./commands/demo.ts"),
  ],
  ["keygen", "make a key for the members of a live group", () => import("./commands/keygen.ts")],
  ["keys", "see who has which key, and replace one while the group runs", () => import("./commands/keys.ts")],
];

/** The commands that the line does not name are there for the help and for "did you mean", and nothing of them is loaded. */
export async function createProgram(line: readonly string[], io: Io = realIo): Promise<Command> {
  const paint = painter(io.stdout);
  const program = new Command("sortition")
    .description(
      "Leader and council election among many processes: run it, simulate it, explore it, compare it with theory.",
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
    .configureHelp({ styleTitle: (text) => paint("bold", text), styleCommandText: (text) => paint("cyan", text) })
    .addHelpText(
      "after",
      "\nStart with:  sortition demo (a live group), sortition tour (every protocol)\nRead on:     README.md, and the help of each command (sortition simulate --help)",
    );
  for (const [name, summary, load] of COMMANDS) {
    const command = program.command(name).summary(summary).description(summary);
    if (line.includes(name)) (await load()).define(command, io);
  }
  const completion = "print a script that teaches your shell to complete sortition";
  if (line.includes("completion") || line.includes("complete")) {
    const { addCompletion } = await import("./commands/completion.ts");
    await addCompletion(program, completion, line);
  } else program.command("completion").summary(completion);
  return program;
}
