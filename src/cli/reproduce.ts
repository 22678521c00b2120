/** `sortition reproduce [PAPER] [FIGURE]`: the tables, figures and claims of the texts, made again and judged. */
import { existsSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join, normalize, resolve } from "node:path";
import type { Command } from "commander";
import { openPool } from "../campaign/campaign.ts";
import { InputError } from "../errors.ts";
import { loadPlotter } from "../plot/plot.ts";
import { chosen, papers } from "../reproduce/all.ts";
import { benchOn, type Finding, Interrupted, reproduce } from "../reproduce/bench.ts";
import type { Claim, Reproduction } from "../reproduce/claim.ts";
import { pageOf, paperPageOf } from "../reproduce/page.ts";
import { type Entry, entryOf, merged, parseRecord, recordText } from "../reproduce/record.ts";
import { claimsOf, countsOf, MARKS, oursText, VERDICTS } from "../reproduce/words.ts";
import { LENGTH } from "../simulation/table.ts";
import { version } from "../version.ts";
import { plural } from "./figures.ts";
import { checkNew, writeOutput } from "./files.ts";
import { examples } from "./help.ts";
import { onInterrupt } from "./interrupt.ts";
import { addQueueOptions, type NatsFlags, queueFrom } from "./nats-options.ts";
import { forceOption, SettingOption } from "./options.ts";
import { threadsOf } from "./request.ts";
import { StepBar } from "./step-bar.ts";
import { table, wrap } from "./table.ts";
import { type Paint, painter, print, terminalWidth } from "./terminal.ts";

interface ReproduceOptions extends NatsFlags {
  readonly quick?: boolean;
  readonly out: string;
  readonly threads?: number;
  readonly force?: true;
  readonly list?: boolean;
  readonly json?: boolean;
}

const INTERRUPTED = 130;

export function define(command: Command): void {
  command
    .description(
      "Makes every table, figure and numeric claim of the papers again: data (.csv), a plot (.svg) and, for each claim, whether it holds, holds after a repair or does not hold. Everything takes up to twenty minutes on two cores, about two with --quick.",
    )
    .argument("[paper]", `${papers.map(({ name }) => name).join(", ")}; all where missing`)
    .argument("[figure]", 'one figure, table or group of claims; "--list" shows their names')
    .option("--quick", "fewer trials, wider intervals, about two minutes for everything")
    .option("--out <folder>", "where the figures and their data go; FOLDER.md becomes the page", "reproduction")
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
          ["sortition reproduce kutten --quick --json", "the claims of one paper, for a program"],
        ],
        "docs/reproduction.md",
      ),
    )
    .action(run);
}

async function run(paper: string | undefined, name: string | undefined, options: ReproduceOptions): Promise<void> {
  const items = chosen(paper, name);
  if (options.list === true) {
    print(options.json === true ? JSON.stringify(items.map(({ run: _, ...item }) => item)) : listOf(items));
    return;
  }
  await loadPlotter();
  const threads = threadsOf(options);
  const folder = openFolder(options.out, options.force);
  const effort = options.quick === true ? "quick" : "full";
  const bar = new StepBar(process.stderr, items.length);
  const interrupt = onInterrupt();
  const pool = (await queueFrom(options)) ?? (await openPool(threads));
  const findings: Finding[] = [];
  const paint = painter(process.stdout);
  try {
    const bench = benchOn({
      effort,
      pool,
      signal: interrupt.signal,
      onStep: (what) => bar.show(findings.length, what),
      onProgress: (done, trials) => bar.within(done / trials),
    });
    await reproduce(items, bench, (finding) => {
      for (const { name, csv, svg } of finding.part.figures) {
        writeOutput(join(folder, `${name}.csv`), csv);
        writeOutput(join(folder, `${name}.svg`), svg);
      }
      findings.push(finding);
      bar.clear();
      if (options.json !== true) print(`${findingText(finding, paint)}\n`);
    });
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    process.exitCode = INTERRUPTED;
  } finally {
    bar.clear();
    interrupt.stop();
    await pool.close();
  }
  if (findings.length > 0) keep(folder, findings, effort);
  const partial = findings.length < items.length;
  print(
    options.json === true ? JSON.stringify(forMachines(findings, effort, partial)) : closing(findings, folder, partial),
  );
}

/** Says now what could not be written after twenty minutes. */
function openFolder(out: string, force: boolean | undefined): string {
  const folder = normalize(out).replace(/[/\\]+$/, "");
  try {
    makeFolder(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === "EEXIST" || code === "ENOTDIR" ? "it is a file" : (code ?? String(error));
    throw new InputError(`cannot use "${out}" as a folder: ${why}; choose another one with --out`);
  }
  // A folder with a record is our own, and what was made again takes its place; a page beside any other folder is somebody's.
  if (readRecord(folder).length === 0) checkNew(`${folder}.md`, "--out", force);
  return folder;
}

/** Level by level: in a file system that refuses every name, such as /proc, Node's own recursion never ends. */
function makeFolder(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
  makeFolder(dirname(resolve(folder)));
  mkdirSync(folder);
}

const RECORD = "claims.jsonl";

function readRecord(folder: string): Entry[] {
  const file = join(folder, RECORD);
  const entries = existsSync(file) ? parseRecord(readFileSync(file, "utf8")) : [];
  if (entries !== null) return entries;
  throw new InputError(
    `${file} is not a record of earlier reproductions: remove it or choose another folder with --out`,
  );
}

/** What was found earlier stays on the page beside what was found now. */
function keep(folder: string, findings: readonly Finding[], effort: Entry["effort"]): void {
  const entries = merged(
    readRecord(folder),
    findings.map((finding) => entryOf(finding, effort)),
  );
  writeOutput(join(folder, RECORD), recordText(entries));
  for (const paper of new Set(entries.map((entry) => entry.paper))) {
    writeOutput(join(folder, `${paper}.md`), paperPageOf(entries, paper));
  }
  writeOutput(`${folder}.md`, pageOf(entries, basename(folder)));
}

function listOf(items: readonly Reproduction[]): string {
  const rows = items.map(({ paper, name, title }) => [paper, name, title]);
  return table([{ title: "paper" }, { title: "figure" }, { title: "what", wrap: true }], rows, {
    width: terminalWidth(),
  });
}

const COLOURS = { holds: "green", "holds after repair": "yellow", "does not hold": "red" } as const;

function findingText({ reproduction: { paper, name, title }, part, seconds }: Finding, paint: Paint): string {
  const head = `${paint("bold", `${paper} ${name}`)}: ${title} ${paint("dim", `(${seconds.toFixed(1)} s)`)}`;
  return [head, ...part.claims.flatMap((claim) => claimLines(claim, paint))].join("\n");
}

function claimLines(claim: Claim, paint: Paint): string[] {
  const { verdict, section, says, statement, paper, note } = claim;
  const width = (terminalWidth() ?? 120) - 4;
  const [first, ...rest] = wrap(`${verdict}: ${section}. ${statement}`, width);
  return [
    `  ${paint(COLOURS[verdict], `${MARKS[verdict]} ${first}`)}`,
    ...rest.map((line) => `    ${paint(COLOURS[verdict], line)}`),
    ...(says === "" ? [] : wrap(`"${says}"`, width).map((line) => `    ${line}`)),
    ...wrap(`the text: ${paper}; ours: ${oursText(claim)}`, width).map((line) => `    ${line}`),
    ...(note === "" ? [] : wrap(note, width).map((line) => `    ${paint("dim", line)}`)),
  ];
}

function closing(findings: readonly Finding[], folder: string, partial: boolean): string {
  const claims = claimsOf(findings.map(({ part }) => part));
  const counts = countsOf(claims);
  const figures = findings.reduce((sum, { part }) => sum + part.figures.length, 0);
  return [
    ...(partial ? ["interrupted: what was finished is kept"] : []),
    `${plural(claims.length, "claim")}: ${VERDICTS.map((verdict) => `${counts[verdict]} ${verdict}`).join(", ")}`,
    ...(findings.length === 0
      ? []
      : [`${plural(figures, "figure")} with data in ${folder}/; the page is ${folder}.md`]),
  ].join("\n");
}

function forMachines(findings: readonly Finding[], effort: Entry["effort"], partial: boolean) {
  return {
    version,
    effort,
    partial,
    counts: countsOf(claimsOf(findings.map(({ part }) => part))),
    reproductions: findings.map((finding) => {
      const { version: _, effort: __, ...entry } = entryOf(finding, effort);
      return entry;
    }),
  };
}
