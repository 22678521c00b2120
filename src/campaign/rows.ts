/** One row per trial, written while the campaign runs, as CSV, JSON lines or Parquet; and whole tables in the same formats. */
import { InputError } from "../errors.ts";
import type { Trial } from "../simulation/trial.ts";
import { OutputFile } from "./output-file.ts";
import { type Cell, csvLine, type RowFormat, type TableColumn } from "./row-format.ts";

/** Counts and ids are whole; rounds and measures need not be. */
const COLUMNS: readonly TableColumn[] = [
  { name: "trial", type: "whole", full: true },
  { name: "outcome", type: "text", full: true },
  { name: "leader", type: "whole" },
  { name: "messages", type: "whole" },
  { name: "rounds", type: "number" },
  { name: "bits", type: "whole" },
];

/** A column that has the same cell in every row of a file: what sets its trials apart from those of other files. */
interface LabelColumn extends TableColumn {
  readonly value: Cell;
}

export interface RowWriter {
  /** The first trial decides which measures become columns. */
  write(trials: readonly Trial[]): void;
  /** Completes the file and puts it in its place. */
  finish(): void;
  /** Gives up; nothing is left behind. */
  discard(): void;
}

type OpenFormat = (file: OutputFile, columns: readonly TableColumn[]) => RowFormat;

const FORMATS: Readonly<Record<string, () => Promise<OpenFormat>>> = {
  ".csv": async () => csvRows,
  ".jsonl": async () => jsonRows,
  ".parquet": loadParquet,
};

/** The package for Parquet is optional: those who write CSV do without. */
async function loadParquet(): Promise<OpenFormat> {
  try {
    return (await import("./parquet-rows.ts")).parquetRows;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== "ERR_MODULE_NOT_FOUND" || !message.includes("hyparquet-writer")) throw error;
    throw new InputError(
      "Parquet needs a package that is not installed: npm install hyparquet-writer (.csv and .jsonl need none)",
    );
  }
}

/** By the ending of a name; refuses other endings, and Parquet where its package is missing. */
async function formatOf(name: string): Promise<OpenFormat> {
  const ending = Object.keys(FORMATS).find((known) => name.toLowerCase().endsWith(known));
  if (ending !== undefined) return FORMATS[ending]();
  throw new InputError(`cannot tell the format of "${name}": let its name end in ${Object.keys(FORMATS).join(", ")}`);
}

/** Opens a file for the trials of one campaign; refuses places that cannot be written to. */
export async function openRows(name: string, labels: readonly LabelColumn[] = []): Promise<RowWriter> {
  const format = await formatOf(name);
  return rowWriter(new OutputFile(name), format, labels);
}

function rowWriter(file: OutputFile, openFormat: OpenFormat, labels: readonly LabelColumn[]): RowWriter {
  const taken = new Set([...COLUMNS, ...labels].map((column) => column.name));
  const values = labels.map(({ value }) => value);
  let measures: readonly string[] = [];
  let format: RowFormat | null = null;
  const open = (first: Trial | undefined) => {
    measures = Object.keys(first?.measures ?? {}).filter((name) => !COLUMNS.some((column) => column.name === name));
    const named = measures.map(
      (name): TableColumn => ({
        name: taken.has(name) ? `measures.${name}` : name,
        type: "number",
      }),
    );
    return openFormat(file, [...labels, ...COLUMNS, ...named]);
  };
  return {
    write(trials) {
      if (trials.length === 0) return;
      format ??= open(trials[0]);
      for (const trial of trials) format.row([...values, ...cellsOf(trial, measures)]);
      format.flush();
    },
    finish() {
      format ??= open(undefined);
      format.end();
      file.finish();
    },
    discard: () => file.discard(),
  };
}

/** A whole table at once. */
export async function writeTable(
  name: string,
  columns: readonly TableColumn[],
  lines: readonly (readonly Cell[])[],
): Promise<void> {
  const open = await formatOf(name);
  const file = new OutputFile(name);
  try {
    const format = open(file, columns);
    for (const line of lines) format.row(line);
    format.end();
    file.finish();
  } catch (error) {
    file.discard();
    throw error;
  }
}

function cellsOf(trial: Trial, measures: readonly string[]): Cell[] {
  const { outcome, leader, messages, rounds, bits } = trial;
  const cells: Cell[] = [trial.trial, outcome, leader, messages, rounds, bits];
  for (const measure of measures) cells.push(trial.measures[measure] ?? null);
  return cells;
}

function csvRows(file: OutputFile, columns: readonly TableColumn[]): RowFormat {
  return textRows(file, csvLine(columns.map(({ name }) => name)), csvLine);
}

function jsonRows(file: OutputFile, columns: readonly TableColumn[]): RowFormat {
  return textRows(file, "", (cells) => {
    const fields = cells.map((cell, index) => `${JSON.stringify(columns[index].name)}:${JSON.stringify(cell)}`);
    return `{${fields.join(",")}}\n`;
  });
}

function textRows(file: OutputFile, head: string, line: (cells: readonly Cell[]) => string): RowFormat {
  let text = head;
  const flush = () => {
    file.write(text);
    text = "";
  };
  return {
    row(cells) {
      text += line(cells);
    },
    flush,
    end: flush,
  };
}
