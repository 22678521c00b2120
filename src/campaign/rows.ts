/** One row per trial, written while the campaign runs, as CSV, JSON lines or Parquet. */
import { InputError } from "../errors.ts";
import type { Trial } from "../simulation/trial.ts";
import { OutputFile } from "./output-file.ts";
import { loadParquet, parquetRows } from "./parquet-rows.ts";
import type { Cell, RowFormat } from "./row-format.ts";

export const COLUMNS = ["trial", "outcome", "leader", "messages", "rounds", "bits"] as const;

export interface RowWriter {
  /** The first trial decides which measures become columns. */
  write(trials: readonly Trial[]): void;
  /** Completes the file and puts it in its place. */
  finish(): void;
  /** Gives up; nothing is left behind. */
  discard(): void;
}

type OpenFormat = (file: OutputFile, columns: readonly string[]) => RowFormat;

const FORMATS: Readonly<Record<string, OpenFormat>> = {
  ".csv": csvRows,
  ".jsonl": jsonRows,
  ".parquet": parquetRows,
};

/** Opens a file by the ending of its name; refuses other endings and places that cannot be written to. */
export function openRows(name: string): RowWriter {
  const ending = Object.keys(FORMATS).find((known) => name.toLowerCase().endsWith(known));
  if (ending === undefined) {
    throw new InputError(`cannot tell the format of "${name}": let its name end in ${Object.keys(FORMATS).join(", ")}`);
  }
  if (ending === ".parquet") loadParquet();
  const file = new OutputFile(name);
  let measures: readonly string[] = [];
  let format: RowFormat | null = null;
  const open = (first: Trial | undefined) => {
    measures = Object.keys(first?.measures ?? {}).filter(
      (measure) => !(COLUMNS as readonly string[]).includes(measure),
    );
    return FORMATS[ending](file, [...COLUMNS, ...measures]);
  };
  return {
    write(trials) {
      if (trials.length === 0) return;
      format ??= open(trials[0]);
      for (const trial of trials) format.row(cellsOf(trial, measures));
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

function cellsOf(trial: Trial, measures: readonly string[]): Cell[] {
  const { outcome, leader, messages, rounds, bits } = trial;
  const cells: Cell[] = [trial.trial, outcome, leader, messages, rounds, bits];
  for (const measure of measures) cells.push(trial.measures[measure] ?? null);
  return cells;
}

/** RFC 4180; no cell or name of ours needs quotes. An empty cell is a null. */
function csvRows(file: OutputFile, columns: readonly string[]): RowFormat {
  return textRows(file, `${columns.join(",")}\n`, (cells) => `${cells.join(",")}\n`);
}

function jsonRows(file: OutputFile, columns: readonly string[]): RowFormat {
  return textRows(file, "", (cells) => {
    const fields = cells.map((cell, index) => `${JSON.stringify(columns[index])}:${JSON.stringify(cell)}`);
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
