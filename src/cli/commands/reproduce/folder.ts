/** The folder of a reproduction: figures with their data, the record, and the page written from it. */
import { existsSync, readFileSync } from "node:fs";
import { basename, join, normalize } from "node:path";
import { csvLine } from "../../../campaign/row-format.ts";
import { openRows, type RowWriter } from "../../../campaign/rows.ts";
import { InputError } from "../../../errors.ts";
import type { Format } from "../../../plot/picture.ts";
import type { Look } from "../../../plot/plot.ts";
import type { ArchivedRun } from "../../../reproduce/bench.ts";
import type { Figure, Reproduction } from "../../../reproduce/claim.ts";
import { pageOf } from "../../../reproduce/page.ts";
import { merged, parseRecord, type ReproductionRecord, recordText } from "../../../reproduce/record.ts";
import { redrawn } from "../../../reproduce/redraw.ts";
import { requestOf } from "../../../simulation/settings.ts";
import { checkNew, makeFolder, readInput, writeOutput } from "../../files.ts";
import { writeFigure } from "../../text/figure-files.ts";

export function openFolder(out: string, force: boolean | undefined): string {
  const folder = folderOf(out);
  makeFolder(folder, "--out");
  // A folder with a record is our own, and what was made again takes its place; a page beside any other folder is somebody's.
  if (readRecord(folder).length === 0) checkNew(`${folder}.md`, "--out", force);
  return folder;
}

const folderOf = (out: string) => normalize(out).replace(/[/\\]+$/, "");

const RECORD = "claims.jsonl";

function readRecord(folder: string): ReproductionRecord[] {
  const file = join(folder, RECORD);
  const entries = existsSync(file) ? parseRecord(readFileSync(file, "utf8")) : [];
  if (entries !== null) return entries;
  throw new InputError(
    `${file} is not a record of earlier reproductions: remove it or choose another folder with --out`,
  );
}

/** What was found earlier stays on the page beside what was found now. */
export function keepFindings(folder: string, found: readonly ReproductionRecord[]): void {
  const entries = merged(readRecord(folder), found);
  writeOutput(join(folder, RECORD), recordText(entries));
  writeOutput(`${folder}.md`, pageOf(entries, basename(folder)));
}

/** The page shows the SVG, so that one is always there. */
export async function writeFigures(
  folder: string,
  figures: readonly Figure[],
  formats: readonly Format[],
  look: Look,
): Promise<void> {
  for (const { name, title, csv, picture } of figures) {
    writeOutput(join(folder, `${name}.csv`), csv);
    for (const format of new Set<Format>(["svg", ...formats])) {
      if (format === "json" && picture.specification === undefined) continue;
      await writeFigure(join(folder, fileOf(name, format)), picture, look, title);
    }
  }
}

/** A specification is called as its editors expect. */
const fileOf = (name: string, format: Format) => `${name}.${format === "json" ? "vl.json" : format}`;

/** Draws what was found earlier once more, from the data beside the figures, and writes the page again. */
export async function redrawFolder(
  out: string,
  items: readonly Reproduction[],
  formats: readonly Format[],
  look: Look,
): Promise<{ readonly folder: string; readonly figures: number }> {
  const folder = folderOf(out);
  const entries = readRecord(folder).filter((entry) =>
    items.some(({ paper, name }) => paper === entry.paper && name === entry.name),
  );
  if (entries.length === 0) {
    throw new InputError(
      `"${out}" has nothing of it to draw again: choose another folder with --out, or leave --redraw out`,
    );
  }
  let figures = 0;
  for (const entry of entries) {
    for (const figure of entry.figures) {
      const csv = readInput(join(folder, `${figure.name}.csv`), "the data of a figure");
      const picture = redrawn(entry.paper, figure, csv) ?? {
        svg: async () => readInput(join(folder, `${figure.name}.svg`), "the figure"),
      };
      await writeFigures(folder, [{ ...figure, csv, picture }], formats, look);
      figures++;
    }
  }
  keepFindings(folder, entries);
  return { folder, figures };
}

// `reproduce --archive`: a row for each trial of every campaign, an index of these files, and a statement.

const INDEX = ["file", "paper", "figure", "run", "x", "protocol", "n", "seed", "trials", "request"];

export class Archive {
  readonly seeds: number[] = [];
  trials = 0;
  private readonly folder: string;
  /** Files that are complete, in the order in which they were written. */
  private readonly lines: (readonly (string | number)[])[] = [];

  constructor(folder: string) {
    this.folder = folder;
    makeFolder(join(folder, "rows"), "--out");
  }

  /** A file for the trials of one campaign. */
  async rows({ paper, name }: Reproduction, { run, x, settings, trials }: ArchivedRun): Promise<RowWriter> {
    const { protocol, n, seed } = settings;
    const place = x === null ? "" : typeof x === "string" ? x : JSON.stringify(x);
    const count = this.lines.filter(
      ([, ofPaper, figure, of]) => ofPaper === paper && figure === name && of === run,
    ).length;
    const file = join("rows", `${paper}-${name}-${run}-${count}.parquet`);
    const writer = await openRows(join(this.folder, file), [
      { name: "paper", type: "text", value: paper },
      { name: "figure", type: "text", value: name },
      { name: "run", type: "text", value: run },
      { name: "x", type: "text", value: place },
      { name: "protocol", type: "text", value: protocol.name },
      { name: "n", type: "whole", value: n },
      { name: "seed", type: "whole", value: seed },
    ]);
    return {
      ...writer,
      finish: () => {
        writer.finish();
        this.seeds.push(seed);
        this.trials += trials;
        const request = JSON.stringify(requestOf(settings));
        this.lines.push([file, paper, name, run, place, protocol.name, n, seed, trials, request]);
      },
    };
  }

  /** Writes the index; all files of the archive, the index included. */
  finish(): string[] {
    const index = join(this.folder, "rows.csv");
    writeOutput(index, [INDEX, ...this.lines].map(csvLine).join(""));
    return [index, ...this.lines.map(([file]) => join(this.folder, String(file)))];
  }
}
