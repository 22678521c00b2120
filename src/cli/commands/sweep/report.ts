/** A sweep for people: its table and its figure. */

import type { KeptPoint } from "../../../campaign/sweep-file.ts";
import { wordsOf } from "../../../flags.ts";
import type { LinePlot, PlotPoint, Series } from "../../../plot/plot.ts";
import { type SweepAxis, scaleOf } from "../../../simulation/axis.ts";
import type { Estimate } from "../../../statistics/paired.ts";
import { version } from "../../../version.ts";
import { figure, percent, plural, rateRange } from "../../text/figures.ts";
import { type Column, table } from "../../text/table.ts";
import type { Paint } from "../../text/terminal.ts";
import type { SweepDesign } from "./design.ts";

export interface ShownSweep {
  readonly plan: SweepDesign;
  readonly points: readonly KeptPoint[];
  readonly y: string;
  readonly seed: number;
  /** "100 trials a point", for the caption. */
  readonly length: string;
}

const right = (title: string): Column => ({ title, align: "right" });

export function sweepTable({ plan, points, y }: ShownSweep, paint: Paint): string {
  const theory = points.some((point) => typeof point.theory[y] === "number");
  const compared = points.some(({ differences }) => differences?.[y] !== undefined);
  const columns = [
    { title: "protocol" },
    ...plan.axes.map(({ name }) => right(name)),
    right("trials"),
    ...(y === "success" ? [] : [right("success")]),
    right(y),
    right("95% interval"),
    ...(theory ? [right("theory")] : []),
    ...(compared ? [right("difference to the first"), right("95% interval")] : []),
  ];
  const show = y === "success" ? percent : figure;
  const rows = points.map(({ labels, trials, values, theory: expected, differences }) => [
    String(labels.protocol),
    ...plan.axes.map(({ name }) =>
      Number.isInteger(labels[name]) ? figure(Number(labels[name])) : String(labels[name]),
    ),
    figure(trials),
    ...(y === "success" ? [] : [percent(values.success.mean)]),
    show(values[y]?.mean ?? null),
    y === "success" ? rateOrNothing(values[y]) : interval(values[y], show),
    ...(theory ? [show(expected[y] ?? null)] : []),
    ...(compared ? [show(differences?.[y]?.mean ?? null), interval(differences?.[y], show)] : []),
  ]);
  return table(columns, rows, { heading: (line) => paint("bold", line) });
}

const rateOrNothing = ({ mean, low, high }: Estimate): string =>
  low === null ? "-" : rateRange({ rate: mean, low, high });

function interval(estimate: Estimate | undefined, show: (value: number | null) => string): string {
  if (estimate === undefined || estimate.low === null) return "-";
  return `${show(estimate.low)} to ${show(estimate.high)}`;
}

/** Which kernels ran how many of the points; nothing where none did. */
export function kernelLine({ points }: ShownSweep): string[] {
  const names = [...new Set(points.map(({ kernel }) => kernel))];
  if (names.every((name) => name === null)) return [];
  const counted = names.map((name) => {
    const count = points.filter(({ kernel }) => kernel === name).length;
    return `${name === null ? "none" : name} (${plural(count, "point")})`;
  });
  return [`kernel ${counted.join("; ")}`];
}

const TITLES: Readonly<Record<string, string>> = {
  messages: "messages per election",
  bits: "bits per election",
  success: "success rate",
};

export function sweepPlot({ plan, points, y, seed, length }: ShownSweep, log: { x: boolean; y: boolean }): LinePlot {
  const [along, across] = plan.axes;
  const scale = scaleOf(along);
  const names = [...new Set(points.map((point) => lineOf(point, plan, across)))];
  const series = names.flatMap((name): Series[] => {
    const own = points.filter((point) => lineOf(point, plan, across) === name);
    const xOf = ({ labels }: KeptPoint) =>
      scale === "percentages" ? Number.parseFloat(String(labels[along.name])) : labels[along.name];
    const measured = own.map((point): PlotPoint => {
      const { mean = null, low = null, high = null } = point.values[y] ?? {};
      return { x: xOf(point), y: mean, low, high };
    });
    const expected = own.map((point): PlotPoint => ({ x: xOf(point), y: point.theory[y] ?? null }));
    return [
      { name, kind: "measured", points: measured },
      ...(expected.some((point) => point.y !== null) ? [{ name, kind: "theory" as const, points: expected }] : []),
    ];
  });
  const title = TITLES[y] ?? y.replace("measures.", "");
  const unit = scale === "percentages" ? "%" : along.unit;
  const label = along.field === null ? along.name : wordsOf(along.field);
  const only = names.length === 1 ? `${names[0]}: ` : "";
  return {
    title: `${only}${title} by ${along.name}`,
    caption: `seed ${seed}, ${length}, 95% intervals, sortition ${version}`,
    x: { label: unit === null ? label : `${label} (${unit})`, log: log.x },
    y: { label: title, log: log.y },
    series,
  };
}

/** What a line is called: only what sets it apart. */
function lineOf({ labels }: KeptPoint, { protocols }: SweepDesign, across: SweepAxis | undefined): string {
  const value = across === undefined ? [] : [`${across.name} ${labels[across.name]}`];
  const protocol = protocols.length > 1 || value.length === 0 ? [String(labels.protocol)] : [];
  return [...protocol, ...value].join(", ");
}
