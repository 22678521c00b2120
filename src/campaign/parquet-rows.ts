/** Rows as Parquet: a row group at a time, so that memory does not grow with the number of trials. */
import { createRequire } from "node:module";
import type { ColumnSource } from "hyparquet-writer";
import { InputError } from "../errors.ts";
import type { OutputFile } from "./output-file.ts";
import type { Cell, RowFormat } from "./row-format.ts";

const ROWS_PER_GROUP = 100_000;

/** Counts and ids are whole; rounds and measures need not be. */
const TYPES: Readonly<Record<string, "INT64" | "STRING">> = {
  trial: "INT64",
  outcome: "STRING",
  leader: "INT64",
  messages: "INT64",
  bits: "INT64",
};

/** What writes Parquet is a package that few need. Ask for it before long work, so that a missing package is told first. */
export function loadParquet(): typeof import("hyparquet-writer") {
  try {
    return createRequire(import.meta.url)("hyparquet-writer");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "MODULE_NOT_FOUND") throw error;
    throw new InputError("rows as .parquet need hyparquet-writer: npm install hyparquet-writer");
  }
}

export function parquetRows(file: OutputFile, columns: readonly string[]): RowFormat {
  const { ByteWriter, ParquetWriter } = loadParquet();
  const bytes = new ByteWriter();
  const schema = [
    { name: "root", num_children: columns.length },
    ...columns.map((name) => ({ name, ...elementOf(name) })),
  ];
  const parquet = new ParquetWriter({ writer: bytes, schema });
  const buffers: Cell[][] = columns.map(() => []);

  const drain = () => {
    file.write(new Uint8Array(bytes.buffer, 0, bytes.index));
    // The writer goes on counting the file's length in `offset`.
    bytes.index = 0;
  };
  const writeGroup = () => {
    const columnData: ColumnSource[] = columns.map((name, index) => ({
      name,
      data: TYPES[name] === "INT64" ? buffers[index].map(wide) : buffers[index],
    }));
    parquet.write({ columnData, rowGroupSize: ROWS_PER_GROUP });
    for (const buffer of buffers) buffer.length = 0;
    drain();
  };

  return {
    row(cells) {
      for (let index = 0; index < cells.length; index++) buffers[index].push(cells[index]);
      if (buffers[0].length === ROWS_PER_GROUP) writeGroup();
    },
    flush() {},
    end() {
      if (buffers[0].length > 0) writeGroup();
      parquet.finish();
      drain();
    },
  };
}

const wide = (cell: Cell): bigint | null => (cell === null ? null : BigInt(cell));

function elementOf(name: string) {
  const repetition_type = name === "trial" || name === "outcome" ? ("REQUIRED" as const) : ("OPTIONAL" as const);
  const type = TYPES[name] ?? "DOUBLE";
  if (type !== "STRING") return { type, repetition_type };
  return { type: "BYTE_ARRAY" as const, converted_type: "UTF8" as const, repetition_type };
}
