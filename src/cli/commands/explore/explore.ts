/** `sortition explore PROTOCOL`: every schedule of a small network. */

import type { Command } from "commander";
import { flagOf, InputError } from "../../../errors.ts";
import { EXPLORATION, FAULT_CHANCES } from "../../../explorer/settings.ts";
import { propertyNames } from "../../../properties/properties.ts";
import { readAll } from "../../../setting.ts";
import { LENGTH } from "../../../settings/simulation.ts";
import { checkFiles, checkOutput, writeOutput } from "../../files.ts";
import { onInterrupt } from "../../interrupt.ts";
import type { Io } from "../../io.ts";
import { addSettings, forceOption, jsonOption, paramOption, repeated } from "../../options/options.ts";
import { protocolFileOption, protocolFrom } from "../../options/protocol-file.ts";
import { threadsOf } from "../../options/request.ts";
import { addDrawing } from "../../text/drawing.ts";
import { examples, painter, print } from "../../text/terminal.ts";
import { openInLab } from "../lab.ts";
import { NoReturn, searchedElsewhere } from "./elsewhere.ts";
import { refuseUnlikely, showImpossibility } from "./probabilities.ts";
import { propertyFileOption } from "./property-file.ts";
import { StateMeter } from "./report.ts";
import {
  type ExploreOptions,
  INTERRUPTED,
  OWN,
  type SearchOutcome,
  type SearchWatch,
  searchedHere,
} from "./searched.ts";

/** What the table of machines has, and what has a value though nobody gave one. */
const OF_ANONYMOUS_RING = ["n", "json", "legend", "words", "theme"];

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
    .option(
      "--expect <name>",
      "this promise may be broken: show in one line how, and go on with the others; may be repeated",
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
  const { protocol } = await protocolFrom(name, options.protocolFile);
  if (options.probabilities === true) refuseUnlikely({ ...options });
  else refuseCoins(options);
  refuseTogether(options);
  const threads = threadsOf(io, options);
  // A handler of the user's own may never return: then it must not be this thread that waits for it.
  const isOwn = options.protocolFile !== undefined || options.propertyFile !== undefined;
  const job = { name, options, threads, colours: painter(io.stdout)("red", " ") !== " " };
  const meter = new StateMeter(io.stderr);
  const interrupt = onInterrupt(io);
  const watch: SearchWatch = {
    onLevel: (level) => meter.begin(level),
    onProgress: (states, done, cases) => meter.show(states, done, cases),
    isInterrupted: () => interrupt.signal.aborted,
  };
  let outcome: SearchOutcome;
  try {
    checkFiles({}, { "--trace": options.trace, "--svg": options.svg }, options.force);
    for (const file of [options.trace, options.svg]) if (file !== undefined) checkOutput(file);
    outcome = await (isOwn && threads > 0 ? searchedElsewhere(job, watch) : searchedHere(job, watch));
  } catch (error) {
    if (!(error instanceof NoReturn && interrupt.signal.aborted)) throw error;
    io.stderr.write(`sortition: ${error.message}\n`);
    io.exitCode = INTERRUPTED;
    return;
  } finally {
    meter.clear();
    interrupt.stop();
  }
  const { text, status, trace, svg } = outcome;
  if (options.trace !== undefined && trace !== null) writeOutput(options.trace, trace);
  if (options.svg !== undefined && svg !== null) writeOutput(options.svg, svg);
  print(io, text);
  if (status !== 0) io.exitCode = status;
  if (options.open !== true) return;
  if (trace === null) print(io, "There is no run to open: nothing was broken.");
  else await openInLab(io, [{ name: `${protocol.name}-counterexample.jsonl`, bytes: Buffer.from(trace) }]);
}

function refuseCoins(options: ExploreOptions): void {
  const coin = (["loss", "multicastLoss", "crash"] as const).find((field) => options[field] !== undefined);
  if (coin === undefined) return;
  throw new InputError(`${flagOf(coin)} is a coin: add --probabilities, or use a budget such as --drops 1`);
}

function refuseTogether({ walks, trace, open, protocolFile, json }: ExploreOptions): void {
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
