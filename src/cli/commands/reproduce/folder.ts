/** The folder of a reproduction: figures with their data, the record, and the page written from it. */
import { existsSync, readFileSync } from "node:fs";
import { basename, join, normalize } from "node:path";
import { InputError } from "../../../errors.ts";
import type { Format } from "../../../plot/picture.ts";
import type { Look } from "../../../plot/plot.ts";
import type { Figure, Reproduction } from "../../../reproduce/claim.ts";
import { pageOf } from "../../../reproduce/page.ts";
import { merged, parseRecord, type ReproductionRecord, recordText } from "../../../reproduce/record.ts";
import { redrawn } from "../../../reproduce/redraw.ts";
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
