/** The points of a sweep as a table, and back from CSV: an interrupted sweep goes on from its file. */
import { createHash } from "node:crypto";
import { InputError } from "../errors.ts";
import type { Estimate, TestedDifference } from "../statistics/paired.ts";
import { type Cell, csvLine, type TableColumn } from "./row-format.ts";
import type { Point } from "./sweep.ts";

/** One column that tells points apart for good: a hash of all settings, trials, precision and the version. */
const KEY = "key";
const COUNTS = ["trials", "none", "one", "many"] as const;
const DIFFERENCE = "difference.";
const THEORY = "theory.";
/** The p-values of a difference. */
const TESTS = ["p", "equivalence"] as const;

export const pointKey = (identity: string): string => createHash("sha256").update(identity).digest("hex").slice(0, 20);

export interface KeptPoint extends Point {
  readonly key: string;
  /** What theory expects, by quantity; not read back. */
  readonly theory: Readonly<Record<string, number | null>>;
  /** The fast path that ran it, if any; not in the file. */
  readonly kernel: string | null;
}

/** The table of the points: columns, and a line for each. */
export function sweepCells(points: readonly KeptPoint[]): {
  readonly columns: readonly TableColumn[];
  readonly lines: readonly (readonly Cell[])[];
} {
  const labels = union(points.map((point) => Object.keys(point.labels)));
  const values = union(points.map((point) => Object.keys(point.values)));
  const theories = union(points.map((point) => Object.keys(point.theory)));
  const differences = union(points.map((point) => Object.keys(point.differences ?? {})));
  const tests = TESTS.filter((test) =>
    points.some(({ differences: found }) => Object.values(found ?? {}).some((difference) => test in difference)),
  );
  const testsOf = (difference: TestedDifference | undefined) => tests.map((test) => difference?.[test] ?? null);
  const columns: TableColumn[] = [
    ...labels.map((name) => labelColumn(name, points)),
    ...COUNTS.map((name) => ({ name, type: "whole" as const, full: true })),
    ...[
      ...values.flatMap(columnsOf),
      ...theories.map((name) => THEORY + name),
      ...differences.flatMap((name) => [
        ...columnsOf(DIFFERENCE + name),
        ...tests.map((test) => `${DIFFERENCE}${name}.${test}`),
      ]),
    ].map((name) => ({ name, type: "number" as const })),
    { name: KEY, type: "text", full: true },
  ];
  const lines = points.map((point) => [
    ...labels.map((name) => point.labels[name] ?? null),
    point.trials,
    ...COUNTS.slice(1).map((name) => point.outcomes[name as "none" | "one" | "many"]),
    ...values.flatMap((name) => cellsOf(point.values[name])),
    ...theories.map((name) => point.theory[name] ?? null),
    ...differences.flatMap((name) => [...cellsOf(point.differences?.[name]), ...testsOf(point.differences?.[name])]),
    point.key,
  ]);
  return { columns, lines };
}

/** Of one type for all points: files of a sweep can be read together. */
export function labelColumn(name: string, points: readonly Pick<Point, "labels">[]): TableColumn {
  const values = points.map(({ labels }) => labels[name]);
  const type = values.every(Number.isInteger)
    ? "whole"
    : values.every((value) => typeof value === "number")
      ? "number"
      : "text";
  return { name, type };
}

export function sweepText(points: readonly KeptPoint[]): string {
  const { columns, lines } = sweepCells(points);
  return [columns.map(({ name }) => name), ...lines].map(csvLine).join("");
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
        present.map((column): [string, TestedDifference] => [
          column.slice(prefix.length),
          {
            mean: numberIn(at(column)),
            low: numberIn(at(`${column}.low`)),
            high: numberIn(at(`${column}.high`)),
            ...Object.fromEntries(
              TESTS.filter((test) => header.includes(`${column}.${test}`)).map((test) => [
                test,
                numberIn(at(`${column}.${test}`)),
              ]),
            ),
          },
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

const cellsIn = (line: string): string[] =>
  [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, inQuotes, plain]) =>
    inQuotes === undefined ? plain : inQuotes.replaceAll('""', '"'),
  );
