/** `sortition sweep`: from the command line to the settings of its points, and from its results to a table and a figure. */
import type { Planned } from "../../../campaign/sweep.ts";
import type { KeptPoint } from "../../../campaign/sweep-file.ts";
import { didYouMean, InputError, wordsOf } from "../../../errors.ts";
import type { LinePlot, PlotPoint, Series } from "../../../plot/plot.ts";
import type { Found } from "../../../protocols/registry.ts";
import { axisOf, type SweepAxis, scaleOf, withValue } from "../../../simulation/axis.ts";
import { resolve } from "../../../simulation/settings.ts";
import type { Estimate } from "../../../statistics/paired.ts";
import { isNumber } from "../../../values.ts";
import { version } from "../../../version.ts";
import { requestFrom, type SimulateOptions } from "../../options/request.ts";
import { figure, percent, plural, rateRange } from "../../text/figures.ts";
import { rightColumn, table } from "../../text/table.ts";
import type { Paint } from "../../text/terminal.ts";

export interface SweepDesign {
  readonly protocols: readonly string[];
  /** What varies: the first along the x axis, all others from line to line. */
  readonly axes: readonly SweepAxis[];
  readonly points: readonly Planned[];
}

/** Every point, checked: what cannot work is refused before anything runs. */
export function designOf(
  found: readonly Found[],
  vary: readonly string[],
  options: SimulateOptions & { readonly compare?: true | string },
): SweepDesign {
  const protocols = found.map(({ protocol }) => protocol);
  const twice = protocols.find(({ name }, i) => protocols.slice(0, i).some((other) => other.name === name));
  if (twice !== undefined) throw new InputError(`a protocol is named twice: ${twice.name}`);
  if (vary.length === 0) throw new InputError("nothing varies: give --vary n=100..10000:log:5, or a --file");
  const axes = vary.map((text) => axisOf(text, protocols));
  const names = axes.map(({ name }) => name);
  const repeatedName = names.find((name, i) => names.indexOf(name) < i);
  if (repeatedName !== undefined) throw new InputError(`--vary ${repeatedName} is given twice`);
  for (const axis of axes) refuseGiven(axis, options);

  const [along, ...across] = axes;
  const combined = combinationsOf(across);
  const most = along.values.length * found.length * combined.length;
  if (most > MOST_POINTS) throw new InputError(`these are ${most} points, and a sweep may have ${MOST_POINTS}`);
  // Lines of the figure are compared with the first line, at the same x.
  const points: Planned[] = [];
  for (const x of along.values) {
    const first = points.length;
    for (const { protocol, source } of found) {
      for (const others of combined) {
        const values = [[along, x] as const, ...others];
        const varied = values.reduce((given, [axis, value]) => withValue(given, axis, value), options);
        const labels = {
          protocol: protocol.name,
          ...Object.fromEntries(values.map(([{ name }, value]) => [name, label(value)])),
        };
        const settings = resolve(requestFrom(source!, varied));
        points.push({ labels, settings, comparedWith: points.length === first ? null : first });
      }
    }
  }
  const design = { protocols: protocols.map(({ name }) => name), axes };
  if (typeof options.compare === "string") return { ...design, points: comparedBy(options.compare, axes, points) };
  const single = protocols.length === 1 && across.length === 0;
  return { ...design, points: single ? points.map(toFirst(along)) : points };
}

/** Each point is compared with the one that has the first value of this name, and is like it in everything else. */
function comparedBy(name: string, axes: readonly SweepAxis[], points: readonly Planned[]): Planned[] {
  const names = ["protocol", ...axes.map((axis) => axis.name)];
  if (!names.includes(name)) {
    const near = didYouMean(name, names) || `; choose one of ${names.join(", ")}`;
    throw new InputError(`--compare cannot be "${name}"${near}`);
  }
  if (axes.some((axis) => axis.name === name && !axis.comparable)) {
    throw new InputError(
      `--compare ${name}: its values differ in everything, so that trials have no pairs; compare another one`,
    );
  }
  const first = points[0].labels[name];
  const places = new Map(points.map(({ labels }, i) => [JSON.stringify(labels), i]));
  return points.map((point, i) => {
    const place = places.get(JSON.stringify({ ...point.labels, [name]: first }))!;
    return { ...point, comparedWith: place === i ? null : place };
  });
}

const MOST_POINTS = 100_000;

/** Every combination of the values of some axes, the last one varying first. */
function combinationsOf(axes: readonly SweepAxis[]): (readonly (readonly [SweepAxis, string])[])[] {
  return axes.reduce<(readonly (readonly [SweepAxis, string])[])[]>(
    (found, axis) => found.flatMap((some) => axis.values.map((value) => [...some, [axis, value] as const])),
    [[]],
  );
}

/** Where there is one line only, its points are compared with the first; sizes are not, for they differ in everything. */
const toFirst =
  ({ comparable }: SweepAxis) =>
  (point: Planned, index: number): Planned => ({ ...point, comparedWith: index > 0 && comparable ? 0 : null });

const label = (value: string): string | number => (isNumber(value) ? Number(value) : value);

/** A value that is given and varied at once: one of the two is a mistake. */
function refuseGiven({ name, field }: SweepAxis, options: SimulateOptions): void {
  const given =
    field === null ? options.param?.some((pair) => pair.startsWith(`${name}=`)) === true : options[field] !== undefined;
  if (given) throw new InputError(`${name} is varied and given as well: leave one of them out`);
}

export interface ShownSweep {
  readonly plan: SweepDesign;
  readonly points: readonly KeptPoint[];
  readonly y: string;
  readonly seed: number;
  /** "100 trials a point", for the caption. */
  readonly length: string;
}

export function sweepTable({ plan, points, y }: ShownSweep, paint: Paint): string {
  const theory = points.some((point) => typeof point.theory[y] === "number");
  const compared = points.some(({ differences }) => differences?.[y] !== undefined);
  const columns = [
    { title: "protocol" },
    ...plan.axes.map(({ name }) => rightColumn(name)),
    rightColumn("trials"),
    ...(y === "success" ? [] : [rightColumn("success")]),
    rightColumn(y),
    rightColumn("95% interval"),
    ...(theory ? [rightColumn("theory")] : []),
    ...(compared ? [rightColumn("difference to the first"), rightColumn("95% interval")] : []),
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
  const [along, ...across] = plan.axes;
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
function lineOf({ labels }: KeptPoint, { protocols }: SweepDesign, across: readonly SweepAxis[]): string {
  const values = across.map(({ name }) => `${name} ${labels[name]}`);
  const protocol = protocols.length > 1 || values.length === 0 ? [String(labels.protocol)] : [];
  return [...protocol, ...values].join(", ");
}
