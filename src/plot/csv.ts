/** Tables as text, and back. */
import type { Cell } from "../campaign/row-format.ts";

/** Numbers with six significant digits: more would be noise, and the files stay small. */
export function csvOf(header: readonly string[], rows: readonly (readonly Cell[])[]): string {
  return `${[header, ...rows].map((row) => row.map(csvCell).join(",")).join("\n")}\n`;
}

export const sixDigits = (value: number) => (Number.isInteger(value) ? value : Number(value.toPrecision(6)));

function csvCell(cell: Cell): string {
  if (cell === null) return "";
  if (typeof cell === "number") return String(sixDigits(cell));
  return /[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** What `csvOf` wrote, as texts. */
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
