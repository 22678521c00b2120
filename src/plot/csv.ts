/** Tables as CSV, and back. */
import { type Cell, csvLine } from "../campaign/row-format.ts";

/** Numbers with six significant digits: more would be noise, and the files stay small. */
export function csvOf(header: readonly string[], rows: readonly (readonly Cell[])[]): string {
  return [header, ...rows.map((row) => row.map(shortened))].map(csvLine).join("");
}

export const sixDigits = (value: number) => (Number.isInteger(value) ? value : Number(value.toPrecision(6)));

const shortened = (cell: Cell): Cell => (typeof cell === "number" ? sixDigits(cell) : cell);

/** The cells of what `csvOf` wrote, as texts. */
export function parseCsv(text: string): string[][] {
  return text
    .trimEnd()
    .split("\n")
    .map((line) =>
      [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
        ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain,
      ),
    );
}
