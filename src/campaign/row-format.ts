/** What the formats of rows (CSV, JSON lines, Parquet) have in common. */

export type Cell = number | string | null;

/** One format: how rows of cells become bytes in a file. */
export interface RowFormat {
  row(cells: readonly Cell[]): void;
  /** Called after each stretch of rows: what is buffered may go to the file. */
  flush(): void;
  /** Writes whatever comes last. */
  end(): void;
}
