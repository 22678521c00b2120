/** `sortition sweep PROTOCOL[,PROTOCOL...] --vary ...`: a campaign at each of many settings; table, CSV and figure. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Command, Option } from "commander";
import { lengthOf } from "../../../campaign/campaign.ts";
import { openRows, writeTable } from "../../../campaign/rows.ts";
import { identityOf, type Point, type SweepOptions, sweep } from "../../../campaign/sweep.ts";
import {
  type KeptPoint,
  labelColumn,
  parseSweep,
  pointKey,
  sweepCells,
  sweepText,
} from "../../../campaign/sweep-file.ts";
import { didYouMean, InputError } from "../../../errors.ts";
import { linePlot, loadPlotter } from "../../../plot/plot.ts";
import { pick } from "../../../setting.ts";
import { LENGTH } from "../../../settings/simulation.ts";
import { variableNames } from "../../../simulation/axis.ts";
import { theoryOf } from "../../../simulation/question.ts";
import { runTrial } from "../../../simulation/trial.ts";
import { ALPHA } from "../../../statistics/hypotheses.ts";
import { readAs } from "../../../values.ts";
import { version } from "../../../version.ts";
import { checkFiles, checkOutput, makeFolder, readInput, writeOutput } from "../../files.ts";
import { onInterrupt } from "../../interrupt.ts";
import type { Io } from "../../io.ts";
import { addSettings, forceOption, jsonOption, paramOption, repeated } from "../../options/options.ts";
import { protocolFileOption, protocolsFrom } from "../../options/protocol-file.ts";
import {
  ALL_SETTINGS,
  addQueueOptions,
  faultsOption,
  queueFrom,
  type SimulateOptions,
  threadsOf,
} from "../../options/request.ts";
import { checkStatement, lineOf, statementOption, writeStatement } from "../../options/statement.ts";
import { addLook, checkFigure, type LookOptions, lookOf, writeFigure } from "../../text/figure-files.ts";
import { percent, plural } from "../../text/figures.ts";
import { ProgressBar } from "../../text/progress.ts";
import { examples, painter, print } from "../../text/terminal.ts";
import { comparisonsOf, comparisonText, type SweepComparison } from "./comparison.ts";
import { designOf, kernelLine, type ShownSweep, type SweepDesign, sweepPlot, sweepTable } from "./report.ts";
import { withStudy } from "./study.ts";

interface SweepCommand extends SimulateOptions, LookOptions {
  readonly vary?: readonly string[];
  readonly file?: string;
  readonly compare?: true | string;
  readonly margin?: number;
  readonly rows?: string;
  readonly rowsAs: string;
  readonly y: string;
  readonly log?: "x" | "y" | "xy" | "none";
  readonly figure?: string;
  /** What --figure was called when it was SVG only. */
  readonly svg?: string;
}

const QUANTITIES = ["messages", "rounds", "bits", "success"];

const EXAMPLES = [
  [
    "sortition sweep peterson,chang-roberts --vary n=10..1000:log:5 --log xy --figure messages.svg",
    "two protocols, five sizes, a figure",
  ],
  [
    "sortition sweep peterson,franklin --vary n=16,64 --compare protocol --margin 5%",
    "is one of them cheaper, or are they equivalent?",
  ],
  [
    "sortition sweep chang-roberts --n 50 --vary loss=0..0.01:5 --vary passive=relay,join --initiators 50% --y success",
    "a parameter under loss",
  ],
] as const;

export function define(command: Command, io: Io): void {
  command
    .description(
      "Simulates every combination of protocols and of the values that vary, prints a table and writes CSV and a figure with 95% bands and theory. Settings are compared trial by trial, with the same ids, initiators and draws. An interrupted sweep goes on from its CSV file.",
    )
    .argument("[protocols]", "one, or several with commas: peterson,chang-roberts")
    .addOption(
      new Option(
        "--vary <name=values>",
        `${variableNames()} or a parameter: FROM..TO:COUNT, FROM..TO:log:COUNT or A,B,C; the first is the x axis, each value of others is a line`,
      ).argParser(repeated),
    )
    .option("--file <file.yaml>", "read protocols, what varies, and any of these options from a file")
    .addOption(
      new Option("--y <quantity>", "messages, rounds, bits, success or measures.NAME").default("messages", "messages"),
    )
    .addOption(
      new Option("--log <axes>", "logarithmic axes of the figure (default: x where its range is)").choices([
        ...["x", "y", "xy", "none"],
      ]),
    )
    .option(
      "--compare [name]",
      "test differences, corrected for all comparisons (Holm): to the first line, or of NAME (protocol, or what varies) alone",
    )
    .addOption(
      new Option(
        "--margin <share>",
        "with --compare: test also whether differences are smaller than this share of the first mean (success: in points)",
      ).argParser((typed) => readAs(LENGTH.precision, typed, "margin")),
    )
    .option(
      "--out <file>",
      "write the points, one line each: .csv, whose points are not run again without --force, or .parquet",
    )
    .option("--rows <folder>", "write a row for each trial: a file for each point, named by its key")
    .addOption(
      new Option("--rows-as <format>", "of the files in --rows")
        .choices(["parquet", "csv", "jsonl"])
        .default("parquet"),
    )
    .addOption(statementOption())
    .option("--figure <file>", "draw the figure: .svg, .png, .pdf, or .json, the Vega-Lite specification to edit")
    .addOption(new Option("--svg <file>").hideHelp());
  addQueueOptions(addSettings(addLook(command).addOption(protocolFileOption()), ALL_SETTINGS))
    .addOption(faultsOption())
    .addOption(paramOption())
    .addOption(forceOption())
    .addOption(jsonOption())
    .addHelpText("after", examples(EXAMPLES, "docs/sweep.md"))
    .action(run.bind(null, io));
}

async function run(io: Io, names: string | undefined, flags: SweepCommand, command: Command): Promise<void> {
  const started = new Date();
  const asked = await prepare(io, names, flags, command);
  const { options, plan, keys, known, rows, isTable } = asked;
  const kept = keeper(plan, keys);
  const { result, isInterrupted } = await swept(io, plan, options, {
    ...asked.sweepOptions,
    ...(rows === null ? {} : { rows: rows.open }),
    known: (identity) => known.get(pointKey(identity)),
    onPoint: (points) => {
      if (options.out !== undefined && !isTable) writeOutput(options.out, sweepText(kept(points)));
    },
  });
  const points = kept(result.points);
  const shown: ShownSweep = {
    plan,
    points,
    y: asked.y,
    seed: plan.points[0].settings.seed,
    length: inWords(asked.length),
  };
  await writeFiles(asked, shown, result.partial);
  if (options.statement !== undefined) {
    writeStatement(options.statement, {
      command: lineOf(command),
      started,
      ...toldBy(plan, points, result.partial),
      files: filesOf(asked, points, result.partial),
    });
  }
  print(io, report(io, asked, shown, result.partial));
  if (isInterrupted) io.exitCode = 130;
}

/** A sweep that can run: everything that was typed is checked, and files that must not be lost are known. */
type Asked = Awaited<ReturnType<typeof prepare>>;

async function prepare(
  io: Io,
  names: string | undefined,
  { svg, figure = svg, ...flags }: SweepCommand,
  command: Command,
) {
  const typed = { ...flags, ...(figure === undefined ? {} : { figure }) };
  const study =
    flags.file === undefined ? { protocols: undefined, options: typed } : withStudy(command, flags.file, typed);
  const { options } = study;
  const isTable = options.out?.toLowerCase().endsWith(".parquet") === true;
  checkInputs(options, isTable);
  const protocols = await protocolsFrom(names ?? study.protocols, options.protocolFile);
  const plan = designOf(protocols, options.vary ?? [], options);
  const length = lengthOf({ ...pick(LENGTH, options), threads: threadsOf(io, options) });
  const y = checkQuantity(options.y, plan);
  checkOut(options.out, options.resume);
  const look = lookOf(options);
  const sweepOptions: SweepOptions = {
    ...length,
    ...(QUANTITIES.includes(y) ? {} : { measure: y }),
    tests: testsOf(options, plan, length.precision),
  };
  const keys = plan.points.map((_, index) => pointKey(identityOf(plan.points, index, sweepOptions)));
  const known =
    options.out === undefined || isTable ? new Map<string, Point>() : knownPoints(options.out, keys, options.force);
  const log = logOf(options, plan);
  if (options.figure !== undefined) {
    await checkFigure(options.figure, "--figure");
    await loadPlotter();
    checkOutput(options.figure);
  }
  const rows = options.rows === undefined ? null : openRowFolder(options.rows, options.rowsAs, plan, keys);
  // A point whose rows are not there runs again.
  for (const [index, key] of keys.entries()) if (rows !== null && !existsSync(rows.fileOf(index))) known.delete(key);
  return { options, isTable, plan, length, y, look, log, sweepOptions, keys, known, rows };
}

function checkInputs(options: SweepCommand, isTable: boolean): void {
  // A figure is drawn again from the file that the sweep goes on from.
  const goesOn = options.out !== undefined && !isTable && existsSync(options.out);
  checkFiles(
    { "--faults": options.faults, "--file": options.file, ...(isTable ? {} : { "--out": options.out }) },
    { "--figure": options.figure, "--statement": options.statement, ...(isTable ? { "--out": options.out } : {}) },
    options.force ?? goesOn,
  );
  checkStatement(options.statement);
}

const inWords = ({ trials, precision }: ReturnType<typeof lengthOf>): string =>
  precision === null ? `${plural(trials, "trial")} a point` : `precision ${percent(precision)}`;

/** What is written once, at the end: a table in Parquet, and the figure of a sweep that is whole. */
async function writeFiles({ options, isTable, look, log }: Asked, shown: ShownSweep, partial: boolean): Promise<void> {
  if (options.out !== undefined && isTable) {
    const { columns, lines } = sweepCells(shown.points);
    await writeTable(options.out, columns, lines);
  }
  if (options.figure !== undefined && !partial) {
    const plot = sweepPlot(shown, log);
    await writeFigure(options.figure, linePlot(plot), look, plot.title);
  }
}

/** The files that a statement names: those that were read, and those that were written. */
function filesOf({ options, rows, keys }: Asked, points: readonly KeptPoint[], partial: boolean): string[] {
  const finished = new Set(points.map(({ key }) => key));
  const rowFiles = rows === null ? [] : keys.flatMap((key, i) => (finished.has(key) ? [rows.fileOf(i)] : []));
  const [table, picture] = [points.length === 0 ? undefined : options.out, partial ? undefined : options.figure];
  return [options.file, table, picture, ...rowFiles].filter((name) => name !== undefined);
}

function report(io: Io, { options, plan, y, length, known, sweepOptions }: Asked, shown: ShownSweep, partial: boolean) {
  const comparisons = sweepOptions.tests === undefined || partial ? null : comparisonsOf(plan, shown.points, y);
  const margin = options.margin ?? null;
  if (options.json === true) return forMachines(shown, partial, length, comparisons, margin);
  return [
    forPeople(io, shown, partial, known.size, options),
    ...(comparisons === null ? [] : ["", comparisonText(comparisons, y, margin, painter(io.stdout))]),
  ].join("\n");
}

/** What a sweep found, for its statement. */
const toldBy = (plan: SweepDesign, points: readonly KeptPoint[], partial: boolean) => ({
  seeds: plan.points.map(({ settings }) => settings.seed),
  trials: points.reduce((sum, { trials }) => sum + trials, 0),
  partial,
  results: sweepText(points),
});

/** The tests that are asked for, where they mean something. */
function testsOf(
  { compare, margin }: SweepCommand,
  { points }: SweepDesign,
  precision: number | null,
): SweepOptions["tests"] {
  if (compare === undefined) {
    if (margin !== undefined) throw new InputError("--margin is for --compare: add it, or leave --margin out");
    return undefined;
  }
  if (precision !== null) {
    throw new InputError(
      "--compare does not go with --precision: p-values need a number of trials that is chosen before; give --trials",
    );
  }
  if (points.every(({ comparedWith }) => comparedWith === null)) {
    throw new InputError(
      "--compare has nothing to compare: name two protocols, or vary a setting other than n or the network",
    );
  }
  return { margin: margin ?? null };
}

/** A file for each point, in one folder: in every row what sets the point apart, then the trial. */
function openRowFolder(folder: string, format: string, { points }: SweepDesign, keys: readonly string[]) {
  makeFolder(folder, "--rows");
  const fileOf = (index: number) => join(folder, `${keys[index]}.${format}`);
  const names = Object.keys(points[0].labels);
  const columns = names.map((name) => labelColumn(name, points));
  const open = (index: number) =>
    openRows(
      fileOf(index),
      columns.map((column) => ({ ...column, value: points[index].labels[column.name] })),
    );
  return { fileOf, open };
}

/** Every point, here or by workers, with a bar, until Ctrl-C. */
async function swept(io: Io, { points }: SweepDesign, flags: Parameters<typeof queueFrom>[1], options: SweepOptions) {
  // Without a queue, the file of the points is all that a sweep goes on from.
  const queue = await queueFrom(io, flags.nats === undefined ? { ...flags, resume: undefined } : flags);
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

function checkOut(out: string | undefined, resume: boolean | undefined): void {
  if (out !== undefined && !/\.(csv|parquet)$/i.test(out)) {
    throw new InputError(`--out must end in .csv or .parquet, not "${out}"`);
  }
  if (resume === true && out?.toLowerCase().endsWith(".csv") !== true) {
    throw new InputError("--resume goes on from the points of an earlier run: name their file with --out FILE.csv");
  }
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
  comparisons: readonly SweepComparison[] | null,
  margin: number | null,
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
    ...(comparisons === null ? {} : { comparisons, margin, alpha: ALPHA }),
  });
}

function forPeople(
  io: Io,
  shown: ShownSweep,
  partial: boolean,
  known: number,
  { out, figure, rows, statement }: Pick<SweepCommand, "out" | "figure" | "rows" | "statement">,
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
    ...(rows === undefined ? [] : [`Rows of all trials are in ${rows}/`]),
    ...(figure === undefined || partial ? [] : [`The figure is ${figure}`]),
    ...(statement === undefined ? [] : [`The reproducibility statement is ${statement}`]),
  ].join("\n");
}
