/** `sortition sweep PROTOCOL[,PROTOCOL...] --vary ...`: a campaign at each of many settings; table, CSV and figure. */
import { existsSync } from "node:fs";
import { type Command, Option } from "commander";
import { lengthOf } from "../../campaign/campaign.ts";
import { identityOf, type Point, type SweepOptions, sweep } from "../../campaign/sweep.ts";
import { type KeptPoint, parseSweep, pointKey, sweepText } from "../../campaign/sweep-file.ts";
import { didYouMean, InputError } from "../../errors.ts";
import { linePlot, loadPlotter } from "../../plot/plot.ts";
import { pick } from "../../setting.ts";
import { LENGTH } from "../../settings/simulation.ts";
import { variableNames } from "../../simulation/axis.ts";
import { theoryOf } from "../../simulation/expected.ts";
import { runTrial } from "../../simulation/trial.ts";
import { version } from "../../version.ts";
import { checkFiles, checkOutput, readInput, writeOutput } from "../files.ts";
import { onInterrupt } from "../interrupt.ts";
import type { Io } from "../io.ts";
import { addSettings, forceOption, jsonOption, paramOption, repeated } from "../options/options.ts";
import { protocolFileOption, protocolsFrom } from "../options/protocol-file.ts";
import {
  ALL_SETTINGS,
  addQueueOptions,
  faultsOption,
  queueFrom,
  type SimulateOptions,
  threadsOf,
} from "../options/request.ts";
import { addLook, checkFigure, type LookOptions, lookOf, writeFigure } from "../text/figure-files.ts";
import { percent, plural } from "../text/figures.ts";
import { ProgressBar } from "../text/progress.ts";
import { examples, painter, print } from "../text/terminal.ts";
import { designOf, kernelLine, type ShownSweep, type SweepDesign, sweepPlot, sweepTable } from "./sweep/report.ts";

interface SweepCommand extends SimulateOptions, LookOptions {
  readonly vary?: readonly string[];
  readonly y: string;
  readonly log?: "x" | "y" | "xy" | "none";
  readonly figure?: string;
  /** What --figure was called when it was SVG only. */
  readonly svg?: string;
}

const QUANTITIES = ["messages", "rounds", "bits", "success"];

export function define(command: Command, io: Io): void {
  command
    .description(
      "Simulates every combination of protocols and of the values that vary, prints a table and writes CSV and a figure with 95% bands and theory. Settings are compared trial by trial, with the same ids, initiators and draws. An interrupted sweep goes on from its CSV file.",
    )
    .argument("[protocols]", "one, or several with commas: peterson,chang-roberts")
    .addOption(
      new Option(
        "--vary <name=values>",
        `${variableNames()} or a parameter: FROM..TO:COUNT, FROM..TO:log:COUNT or A,B,C; twice: one line for each value of the second`,
      ).argParser(repeated),
    )
    .addOption(
      new Option("--y <quantity>", "messages, rounds, bits, success or measures.NAME").default("messages", "messages"),
    )
    .addOption(
      new Option("--log <axes>", "logarithmic axes of the figure (default: x where its range is)").choices([
        ...["x", "y", "xy", "none"],
      ]),
    )
    .option(
      "--out <file.csv>",
      "write the points, one line each; without --force, points that it holds are not run again",
    )
    .option("--figure <file>", "draw the figure: .svg, .png, .pdf, or .json, the Vega-Lite specification to edit")
    .addOption(new Option("--svg <file>").hideHelp());
  addQueueOptions(addSettings(addLook(command).addOption(protocolFileOption()), ALL_SETTINGS))
    .addOption(faultsOption())
    .addOption(paramOption())
    .addOption(forceOption())
    .addOption(jsonOption())
    .addHelpText(
      "after",
      examples(
        [
          [
            "sortition sweep peterson,chang-roberts --vary n=10..1000:log:5 --log xy --figure messages.svg",
            "two protocols, five sizes, a figure",
          ],
          [
            "sortition sweep chang-roberts --n 50 --vary loss=0..0.01:5 --vary passive=relay,join --initiators 50% --y success",
            "a parameter under loss",
          ],
        ],
        "docs/sweep.md",
      ),
    )
    .action(run.bind(null, io));
}

async function run(
  io: Io,
  names: string | undefined,
  { svg, figure: file = svg, ...options }: SweepCommand,
): Promise<void> {
  // A figure is drawn again from the file that the sweep goes on from.
  const goesOn = options.out !== undefined && existsSync(options.out);
  checkFiles({ "--faults": options.faults, "--out": options.out }, { "--figure": file }, options.force ?? goesOn);
  const plan = designOf(await protocolsFrom(names, options.protocolFile), options.vary ?? [], options);
  const length = lengthOf({ ...pick(LENGTH, options), threads: threadsOf(io, options) });
  const y = checkQuantity(options.y, plan);
  checkEnding("--out", options.out, ".csv");
  const look = lookOf(options);
  const sweepOptions: SweepOptions = {
    ...length,
    ...(QUANTITIES.includes(y) ? {} : { measure: y }),
  };
  const keys = plan.points.map((_, index) => pointKey(identityOf(plan.points, index, sweepOptions)));
  const known = options.out === undefined ? new Map<string, Point>() : knownPoints(options.out, keys, options.force);
  const log = logOf(options, plan);
  if (file !== undefined) {
    await checkFigure(file, "--figure");
    await loadPlotter();
    checkOutput(file);
  }
  const kept = keeper(plan, keys);
  const { result, isInterrupted } = await swept(io, plan, options, {
    ...sweepOptions,
    known: (identity) => known.get(pointKey(identity)),
    onPoint: (points) => {
      if (options.out !== undefined) writeOutput(options.out, sweepText(kept(points)));
    },
  });
  const shown: ShownSweep = {
    plan,
    points: kept(result.points),
    y,
    seed: plan.points[0].settings.seed,
    length:
      length.precision === null
        ? `${plural(length.trials, "trial")} a point`
        : `precision ${percent(length.precision)}`,
  };
  if (file !== undefined && !result.partial) {
    const plot = sweepPlot(shown, log);
    await writeFigure(file, linePlot(plot), look, plot.title);
  }
  print(
    io,
    options.json === true
      ? forMachines(shown, result.partial, length)
      : forPeople(io, shown, result.partial, known.size, options.out, file),
  );
  if (isInterrupted) io.exitCode = 130;
}

/** Every point, here or by workers, with a bar, until Ctrl-C. */
async function swept(io: Io, { points }: SweepDesign, flags: Parameters<typeof queueFrom>[1], options: SweepOptions) {
  const queue = await queueFrom(io, flags);
  const progress = new ProgressBar(io.stderr, "points");
  const interrupt = onInterrupt(io);
  try {
    const result = await sweep(points, {
      ...options,
      ...(queue === null ? {} : { pool: queue }),
      signal: interrupt.signal,
      onProgress: (done, { labels }) => progress.show(done, points.length, Object.values(labels).join(" ")),
    });
    return { result, isInterrupted: interrupt.signal.aborted };
  } finally {
    progress.clear();
    interrupt.stop();
    await queue?.close();
  }
}

/** Adds key and theory to points; plans have each combination once, so that its labels find a point again. */
function keeper(plan: SweepDesign, keys: readonly string[]): (points: readonly Point[]) => KeptPoint[] {
  const added = new Map(
    plan.points.map(({ labels, settings }, i) => [
      JSON.stringify(labels),
      { key: keys[i], theory: theoryOf(settings), kernel: settings.kernel },
    ]),
  );
  return (points) => points.map((point) => ({ ...point, ...added.get(JSON.stringify(point.labels))! }));
}

/** What an earlier run has left in the file. Points of another sweep are not ours to throw away. */
function knownPoints(file: string, keys: readonly string[], force: boolean | undefined): Map<string, Point> {
  checkOutput(file);
  if (force === true || !existsSync(file)) return new Map();
  const points = parseSweep(readInput(file, "the file of the sweep"), file);
  const foreign = [...points.keys()].filter((key) => !keys.includes(key)).length;
  if (foreign === 0) return points;
  throw new InputError(
    `"${file}" holds ${plural(foreign, "point")} of another sweep (other settings or another version): add --force to overwrite it, or choose another name`,
  );
}

/** A measure may be named without saying that it is one; did-you-mean then says how. */
function checkQuantity(y: string, { points }: SweepDesign): string {
  if (QUANTITIES.includes(y)) return y;
  const first = new Map(points.map(({ settings }) => [settings.protocol, settings]));
  const measures = [...first.values()].flatMap((settings) => Object.keys(runTrial(settings, 0).measures));
  const all = [...QUANTITIES, ...new Set(measures.map((name) => `measures.${name}`))];
  if (all.includes(y)) return y;
  const near = didYouMean(y, all) || didYouMean(`measures.${y}`, all) || `; choose one of ${all.join(", ")}`;
  throw new InputError(`--y cannot be "${y}"${near}`);
}

function checkEnding(option: string, file: string | undefined, ending: string): void {
  if (file === undefined || file.toLowerCase().endsWith(ending)) return;
  throw new InputError(`${option} must end in ${ending}, not "${file}"`);
}

function logOf({ log }: SweepCommand, { axes }: SweepDesign): { x: boolean; y: boolean } {
  if (log === undefined) return { x: axes[0].log, y: false };
  const [{ name, values }] = axes;
  const below = values.find((value) => Number.parseFloat(value) <= 0);
  if (log.includes("x") && below !== undefined) {
    throw new InputError(`--log ${log}: ${name} ${below} has no place on a logarithmic axis; leave one of them out`);
  }
  return { x: log.includes("x"), y: log.includes("y") };
}

function forMachines(
  { plan, points, y, seed }: ShownSweep,
  partial: boolean,
  { trials, precision }: ReturnType<typeof lengthOf>,
): string {
  const vary = plan.axes.map(({ name, values }) => ({ name, values }));
  return JSON.stringify({
    version,
    protocols: plan.protocols,
    vary,
    y,
    seed,
    trials,
    precision,
    partial,
    confidence: 0.95,
    points,
  });
}

function forPeople(
  io: Io,
  shown: ShownSweep,
  partial: boolean,
  known: number,
  out: string | undefined,
  figure: string | undefined,
): string {
  const paint = painter(io.stdout);
  const total = shown.plan.points.length;
  return [
    ...(partial
      ? [paint("yellow", `Interrupted: ${shown.points.length} of ${plural(total, "point")} are finished.`), ""]
      : []),
    sweepTable(shown, paint),
    "",
    ...shown.points.flatMap(({ labels, warnings = [] }) =>
      warnings.map((warning) => paint("yellow", `Careful, ${Object.values(labels).join(" ")}: ${warning}.`)),
    ),
    ...kernelLine(shown),
    `${shown.length}, seed ${shown.seed}${known === 0 ? "" : `; ${plural(known, "point")} from ${out}`}`,
    ...(out === undefined || shown.points.length === 0
      ? []
      : [`Points are in ${out}${partial ? "; the same command goes on from there" : ""}`]),
    ...(figure === undefined || partial ? [] : [`The figure is ${figure}`]),
  ].join("\n");
}
