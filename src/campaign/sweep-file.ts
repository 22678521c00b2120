/** The points of a sweep as CSV, and back: an interrupted sweep goes on from its file. */
import { createHash } from "node:crypto";
import { InputError } from "../errors.ts";
import type { Estimate } from "../statistics/paired.ts";
import type { Point } from "./sweep.ts";

/** One column that tells points apart for good: a hash of all settings, trials, precision and the version. */
const KEY = "key";
const COUNTS = ["trials", "none", "one", "many"] as const;
const DIFFERENCE = "difference.";
const THEORY = "theory.";

export const pointKey = (identity: string): string => createHash("sha256").update(identity).digest("hex").slice(0, 20);

export interface KeptPoint extends Point {
  readonly key: string;
  /** What theory expects, by quantity; not read back. */
  readonly theory: Readonly<Record<string, number | null>>;
  /** The fast path that ran it, if any; not in the file. */
  readonly kernel: string | null;
}

export function sweepText(points: readonly KeptPoint[]): string {
  const labels = union(points.map((point) => Object.keys(point.labels)));
  const values = union(points.map((point) => Object.keys(point.values)));
  const theories = union(points.map((point) => Object.keys(point.theory)));
  const differences = union(points.map((point) => Object.keys(point.differences ?? {})));
  const header = [
    ...labels,
    ...COUNTS,
    ...values.flatMap(columnsOf),
    ...theories.map((name) => THEORY + name),
    ...differences.flatMap((name) => columnsOf(DIFFERENCE + name)),
    KEY,
  ];
  const lines = points.map((point) => [
    ...labels.map((name) => point.labels[name] ?? null),
    point.trials,
    ...COUNTS.slice(1).map((name) => point.outcomes[name as "none" | "one" | "many"]),
    ...values.flatMap((name) => cellsOf(point.values[name])),
    ...theories.map((name) => point.theory[name] ?? null),
    ...differences.flatMap((name) => cellsOf(point.differences?.[name])),
    point.key,
  ]);
  return [header, ...lines].map((line) => `${line.map(quoted).join(",")}\n`).join("");
}

/** The points of a file, by key; `labels` are the columns before the counts. */
export function parseSweep(text: string, name: string): Map<string, Point> {
  const [header, ...lines] = text
    .split("\n")
    .filter((line) => line !== "")
    .map(cellsIn);
  const first = header?.indexOf(COUNTS[0]) ?? -1;
  if (header === undefined || first < 1 || header.at(-1) !== KEY) {
    throw new InputError(`"${name}" exists and was not written by sweep: choose another name`);
  }
  const points = new Map<string, Point>();
  for (const cells of lines) {
    // A line that is not whole is a point that is not there.
    if (cells.length !== header.length) continue;
    const at = (column: string) => cells[header.indexOf(column)];
    const estimates = (prefix: string) => {
      const names = header.slice(first + COUNTS.length, -1).filter((column) => header.includes(`${column}.low`));
      const own = names.filter((column) => column.startsWith(DIFFERENCE) === (prefix === DIFFERENCE));
      const present = own.filter((column) => at(column) !== "" || at(`${column}.low`) !== "");
      return Object.fromEntries(
        present.map((column): [string, Estimate] => [
          column.slice(prefix.length),
          { mean: numberIn(at(column)), low: numberIn(at(`${column}.low`)), high: numberIn(at(`${column}.high`)) },
        ]),
      );
    };
    const differences = estimates(DIFFERENCE);
    points.set(cells.at(-1)!, {
      labels: Object.fromEntries(header.slice(0, first).map((label, i) => [label, labelIn(cells[i])])),
      trials: Number(at("trials")),
      outcomes: { none: Number(at("none")), one: Number(at("one")), many: Number(at("many")) },
      values: estimates(""),
      differences: Object.keys(differences).length === 0 ? null : differences,
    });
  }
  return points;
}

const columnsOf = (name: string): string[] => [name, `${name}.low`, `${name}.high`];

const cellsOf = (estimate: Estimate | undefined): (number | null)[] =>
  estimate === undefined ? [null, null, null] : [estimate.mean, estimate.low, estimate.high];

const union = (lists: readonly (readonly string[])[]): string[] => [...new Set(lists.flat())];

const numberIn = (cell: string): number | null => (cell === "" ? null : Number(cell));

const labelIn = (cell: string): string | number => (cell !== "" && String(Number(cell)) === cell ? Number(cell) : cell);

/** No value of ours has a line break in it. */
function quoted(cell: string | number | null): string {
  if (typeof cell !== "string") return cell === null ? "" : String(cell);
  return /[",]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

const cellsIn = (line: string): string[] =>
  [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, inQuotes, plain]) =>
    inQuotes === undefined ? plain : inQuotes.replaceAll('""', '"'),
  );
