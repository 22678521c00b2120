/** What the formats of rows (CSV, JSON lines, Parquet) have in common. */

export type Cell = number | string | null;

/** A column of a table: its name, and what its cells are. */
export interface TableColumn {
  readonly name: string;
  readonly type: "whole" | "number" | "text";
  /** Whether every row has a cell. */
  readonly full?: boolean;
}

/** A line of CSV (RFC 4180). An empty cell is a null. */
export const csvLine = (cells: readonly Cell[]): string => `${cells.map(quoted).join(",")}\n`;

function quoted(cell: Cell): string {
  if (typeof cell !== "string") return cell === null ? "" : String(cell);
  return /[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** One format: how rows of cells become bytes in a file. */
export interface RowFormat {
  row(cells: readonly Cell[]): void;
  /** Called after each stretch of rows: what is buffered may go to the file. */
  flush(): void;
  /** Writes whatever comes last. */
  end(): void;
}
