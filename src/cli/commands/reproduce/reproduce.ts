/** `sortition reproduce [PAPER] [FIGURE]`: the tables, figures and claims of the texts, made again and judged. */
import { join } from "node:path";
import type { Command } from "commander";
import { openPool } from "../../../campaign/campaign.ts";
import { InputError } from "../../../errors.ts";
import type { Format } from "../../../plot/picture.ts";
import { type Look, loadPlotter } from "../../../plot/plot.ts";
import { chosen, itemOf, papers } from "../../../reproduce/all.ts";
import { benchOn, Interrupted, type ReproductionFinding, reproduce } from "../../../reproduce/bench.ts";
import type { Reproduction } from "../../../reproduce/claim.ts";
import { recordOf, recordText } from "../../../reproduce/record.ts";
import { LENGTH } from "../../../settings/simulation.ts";
import { onInterrupt } from "../../interrupt.ts";
import type { Io } from "../../io.ts";
import { forceOption, SettingOption } from "../../options/options.ts";
import { addQueueOptions, type NatsFlags, queueFrom, threadsOf } from "../../options/request.ts";
import { lineOf, writeStatement } from "../../options/statement.ts";
import { addLook, formatsOf, type LookOptions, lookOf } from "../../text/figure-files.ts";
import { plural } from "../../text/figures.ts";
import { StepBar } from "../../text/progress.ts";
import { examples, painter, print } from "../../text/terminal.ts";
import { Archive, keepFindings, openFolder, redrawFolder, writeFigures } from "./folder.ts";
import { claimForMachines, claimText, closing, findingText, forMachines, reproductionList } from "./text.ts";

interface ReproduceOptions extends NatsFlags, LookOptions {
  readonly quick?: boolean;
  readonly claim?: string;
  readonly out: string;
  readonly format?: string;
  readonly redraw?: boolean;
  readonly archive?: boolean;
  readonly threads?: number;
  readonly force?: true;
  readonly list?: boolean;
  readonly json?: boolean;
}

const INTERRUPTED = 130;

export function define(command: Command, io: Io): void {
  command
    .description(
      "Makes every table, figure and numeric claim of the papers again: data (.csv), a plot (.svg) and, for each claim, whether it holds, holds after a repair or does not hold. Everything takes about an hour on two cores, about two minutes with --quick.",
    )
    .argument("[paper]", `${papers.map(({ name }) => name).join(", ")}; all where missing`)
    .argument("[figure]", 'one figure, table or group of claims; "--list" shows their names')
    .option("--claim <key>", "one claim of the paper, by its key on the page: printed, and nothing is written")
    .option("--quick", "fewer trials, wider intervals, about two minutes for everything")
    .option("--out <folder>", "where the figures and their data go; FOLDER.md becomes the page", "reproduction")
    .option("--format <list>", "figures also as png, pdf or json (the Vega-Lite specification, to edit)");
  addLook(command)
    .option(
      "--archive",
      "also write every trial (Parquet, with an index) and a reproducibility statement into the folder",
    )
    .option("--redraw", "draw the figures in the folder again from their data, and run nothing")
    .addOption(new SettingOption("threads", LENGTH.threads));
  addQueueOptions(command)
    .option("--list", "list what there is")
    .addOption(forceOption())
    .option("--json", "print one JSON object")
    .addHelpText(
      "after",
      examples(
        [
          ["sortition reproduce --quick", "everything, in about two minutes"],
          ["sortition reproduce ramanathan fig9", "one figure, at full length"],
          ["sortition reproduce raz --claim naive-p", "one claim"],
          ["sortition reproduce raz fig14 --format pdf --width 700", "a figure to print"],
          ["sortition reproduce --archive --out archive", "everything, with every trial, for an artifact"],
          ["sortition reproduce kutten --quick --json", "the claims of one paper, for a program"],
        ],
        "docs/reproduction.md",
      ),
    )
    .action(run.bind(null, io));
}

async function run(
  io: Io,
  paper: string | undefined,
  name: string | undefined,
  options: ReproduceOptions,
  command: Command,
): Promise<void> {
  const items = options.claim === undefined ? chosen(paper, name) : [itemOf(paper, name, options.claim)];
  if (options.list === true) {
    print(
      io,
      options.json === true ? JSON.stringify(items.map(({ run: _, ...item }) => item)) : reproductionList(io, items),
    );
    return;
  }
  if (options.title !== undefined && items.length > 1) {
    throw new InputError("--title is for one figure: name the paper and the figure");
  }
  const look = lookOf(options);
  const formats = options.format === undefined ? [] : await formatsOf(options.format, "--format");
  if (options.claim !== undefined) return oneClaim(io, items[0], options.claim, options);
  await loadPlotter();
  if (options.redraw === true) {
    const { folder, figures } = await redrawFolder(options.out, items, formats, look);
    print(
      io,
      options.json === true ? JSON.stringify({ figures, folder }) : `${plural(figures, "figure")} drawn in ${folder}/`,
    );
    return;
  }
  await everything(io, items, options, formats, look, lineOf(command));
}

const effortOf = ({ quick }: ReproduceOptions) => (quick === true ? "quick" : "full");

async function oneClaim(io: Io, item: Reproduction, key: string, options: ReproduceOptions): Promise<void> {
  const [finding] = await findingsOf(io, [item], options, async () => {});
  if (finding === undefined) return;
  print(
    io,
    options.json === true
      ? JSON.stringify(claimForMachines(finding, key, effortOf(options)))
      : claimText(io, finding, key, painter(io.stdout)),
  );
}

async function everything(
  io: Io,
  items: readonly Reproduction[],
  options: ReproduceOptions,
  formats: readonly Format[],
  look: Look,
  line: readonly string[],
): Promise<void> {
  const started = new Date();
  const folder = openFolder(options.out, options.force);
  const archive = options.archive === true ? new Archive(folder) : undefined;
  const paint = painter(io.stdout);
  const onFinding = async (finding: ReproductionFinding) => {
    await writeFigures(folder, finding.part.figures, formats, look);
    if (options.json !== true) print(io, `${findingText(io, finding, paint)}\n`);
  };
  const findings = await findingsOf(io, items, options, onFinding, archive);
  const effort = effortOf(options);
  const records = findings.map((finding) => recordOf(finding, effort));
  if (findings.length > 0) keepFindings(folder, records);
  const partial = findings.length < items.length;
  if (archive !== undefined) {
    const { seeds, trials } = archive;
    const data = findings.flatMap(({ part }) => part.figures.map(({ name }) => join(folder, `${name}.csv`)));
    const files = [...archive.finish(), ...data];
    const results = recordText(records.map((record) => ({ ...record, seconds: 0 })));
    const run = { command: line, started, seeds, trials, partial, results, files };
    for (const ending of ["md", "json"]) writeStatement(join(folder, `statement.${ending}`), run);
  }
  print(
    io,
    options.json === true ? JSON.stringify(forMachines(findings, effort, partial)) : closing(findings, folder, partial),
  );
}

/** All findings; if the user interrupts, those that are finished. */
async function findingsOf(
  io: Io,
  items: readonly Reproduction[],
  options: ReproduceOptions,
  onFinding: (finding: ReproductionFinding) => Promise<void>,
  archive?: Archive,
): Promise<readonly ReproductionFinding[]> {
  const threads = threadsOf(io, options);
  const bar = new StepBar(io.stderr, items.length);
  const interrupt = onInterrupt(io);
  const pool = (await queueFrom(io, options)) ?? (threads === 0 ? undefined : openPool(threads));
  const findings: ReproductionFinding[] = [];
  try {
    const bench = benchOn({
      effort: effortOf(options),
      pool,
      signal: interrupt.signal,
      rows: archive === undefined ? undefined : (run) => archive.rows(items[findings.length], run),
      onStep: (what) => bar.show(findings.length, what),
      onProgress: (done, trials) => bar.within(done / trials),
    });
    await reproduce(items, bench, async (finding) => {
      bar.clear();
      await onFinding(finding);
      findings.push(finding);
    });
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    io.exitCode = INTERRUPTED;
  } finally {
    bar.clear();
    interrupt.stop();
    await pool?.close();
  }
  return findings;
}
