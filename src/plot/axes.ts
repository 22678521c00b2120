/** Axes: where they begin and end, what is counted in whole numbers, and marks that can be read. */
import { wrapped } from "../trace/diagram/measure.ts";
import type { Axis } from "./figure.ts";

/** At most so many whole numbers each have a mark. */
const EACH = 12;
const LABEL_SIZE = 10;

export function numberAxis(axis: Axis, numbers: readonly number[], which: "x" | "y"): object {
  const { label, log = false, domain } = axis;
  const [least, most] = domain ?? [Math.min(...numbers), Math.max(...numbers)];
  const nice = domain === undefined && which === "y";
  return {
    scale: {
      type: log ? "log" : "linear",
      ...(domain === undefined ? { nice } : { domain, nice }),
      ...(log || domain !== undefined ? {} : { zero: which === "y" }),
    },
    axis: {
      title: label,
      labelOverlap: "parity",
      ...(log
        ? logMarks(least, most, nice)
        : wholeMarks(least, most, which === "x" && numbers.every(Number.isInteger))),
    },
  };
}

/** Names in lines that fit into the room that each has. */
export function categoryAxis({ label }: Axis, names: readonly string[], width: number): object {
  const lines = Object.fromEntries(names.map((name) => [name, wrapped(name, width / names.length - 8, LABEL_SIZE)]));
  return {
    type: "ordinal",
    sort: names,
    axis: { title: label, labelAngle: 0, labelLimit: 0, labelExpr: `(${JSON.stringify(lines)})[datum.value]` },
  };
}

/** What is counted has no halves. */
function wholeMarks(least: number, most: number, whole: boolean): object {
  if (!whole) return {};
  if (most - least >= EACH) return { tickMinStep: 1, format: ",d" };
  return { values: Array.from({ length: most - least + 1 }, (_, i) => least + i), format: ",d" };
}

/** From here on, and below its inverse, powers of ten are written as such. */
const LARGE = 1e7;

function logMarks(least: number, most: number, nice: boolean): object {
  const powers = most >= LARGE || least < 1e3 / LARGE;
  const marks = valuesOf(least, most, nice);
  return {
    ...(marks.length >= 3 ? { values: marks } : {}),
    ...(powers && marks.length >= 3
      ? { labelExpr: `(${JSON.stringify(Object.fromEntries(marks.map((mark) => [mark, power(mark)])))})[datum.value]` }
      : { format: ",~g" }),
  };
}

const RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/** 1e21 as 10²¹, 2e-5 as 2·10⁻⁵. */
function power(value: number): string {
  const [digits, exponent] = value.toExponential().split("e");
  const raised = [...exponent].map((sign) => (sign === "-" ? "⁻" : sign === "+" ? "" : RAISED[Number(sign)])).join("");
  return value === 1 ? "1" : `${digits === "1" ? "" : `${digits}·`}10${raised}`;
}

/** Powers of ten; where an axis that ends at its data has fewer than three, also two and five times them. */
function valuesOf(least: number, most: number, nice: boolean): number[] {
  const decades = powersOfTen(least, most);
  if (nice) return decades;
  const inside = (value: number) => value >= least && value <= most;
  const few = decades.filter(inside);
  return few.length >= 3 ? few : decades.flatMap((ten) => [ten, 2 * ten, 5 * ten]).filter(inside);
}

/** Those that a "nice" logarithmic axis from `least` to `most` has. */
function powersOfTen(least: number, most: number): number[] {
  if (!(least > 0) || !Number.isFinite(most)) return [];
  const first = Math.floor(Math.log10(least));
  const last = Math.ceil(Math.log10(most));
  const every = Math.max(1, Math.ceil((last - first) / 9));
  return Array.from({ length: Math.floor((last - first) / every) + 1 }, (_, i) => Number(`1e${first + i * every}`));
}
