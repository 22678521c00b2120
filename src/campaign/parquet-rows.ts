/** Rows as Parquet: a row group at a time, so that memory does not grow with the number of trials. */
import { ByteWriter, type ColumnSource, ParquetWriter } from "hyparquet-writer";
import type { OutputFile } from "./output-file.ts";
import type { Cell, RowFormat, TableColumn } from "./row-format.ts";

const ROWS_PER_GROUP = 100_000;

export function parquetRows(file: OutputFile, columns: readonly TableColumn[]): RowFormat {
  const bytes = new ByteWriter();
  const schema = [
    { name: "root", num_children: columns.length },
    ...columns.map((column) => ({ name: column.name, ...elementOf(column) })),
  ];
  const parquet = new ParquetWriter({ writer: bytes, schema });
  const buffers: Cell[][] = columns.map(() => []);

  const drain = () => {
    file.write(new Uint8Array(bytes.buffer, 0, bytes.index));
    // The writer goes on counting the file's length in `offset`.
    bytes.index = 0;
  };
  const writeGroup = () => {
    const columnData: ColumnSource[] = columns.map(({ name, type }, index) => ({
      name,
      data: type === "whole" ? buffers[index].map(wide) : buffers[index],
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

function elementOf({ type, full }: TableColumn) {
  const repetition_type = full === true ? ("REQUIRED" as const) : ("OPTIONAL" as const);
  if (type === "text") return { type: "BYTE_ARRAY" as const, converted_type: "UTF8" as const, repetition_type };
  return { type: type === "whole" ? ("INT64" as const) : ("DOUBLE" as const), repetition_type };
}
