/** All commands, put together. */
import { Command } from "commander";
import { version } from "../version.ts";
import { addCompletion } from "./completion.ts";
import { addDemo } from "./demo.ts";
import { addElect } from "./elect.ts";
import { addExplore } from "./explore.ts";
import { addGraph } from "./graph.ts";
import { addKeygen } from "./keygen.ts";
import { addPlan } from "./plan.ts";
import { addProtocols } from "./protocols.ts";
import { addRare } from "./rare.ts";
import { addReproduce } from "./reproduce.ts";
import { addSimulate } from "./simulate.ts";
import { addSweep } from "./sweep.ts";
import { painter } from "./terminal.ts";
import { addTheory } from "./theory.ts";
import { addTour } from "./tour.ts";
import { addTrace } from "./trace.ts";

export function createProgram(): Command {
  const paint = painter(process.stdout);
  const program = new Command("sortition")
    .description("Leader and council election among many processes: simulate it, explore it, compare it with theory.")
    .version(version, "-V, --version", "print the version")
    .helpOption("-h, --help", "show help")
    .helpCommand("help [command]", "show the help of a command")
    // Errors are printed in one place, main.ts; commander only throws them.
    .exitOverride()
    .configureOutput({ outputError: () => {} })
    .configureHelp({ styleTitle: (text) => paint("bold", text), styleCommandText: (text) => paint("cyan", text) })
    .addHelpText(
      "after",
      "\nStart with:  sortition tour\nRead on:     README.md, and the help of each command (sortition simulate --help)",
    );
  addTour(program);
  addProtocols(program);
  addSimulate(program);
  addSweep(program);
  addRare(program);
  addTheory(program);
  addPlan(program);
  addGraph(program);
  addExplore(program);
  addTrace(program);
  addReproduce(program);
  addElect(program);
  addDemo(program);
  addKeygen(program);
  addCompletion(program);
  return program;
}
