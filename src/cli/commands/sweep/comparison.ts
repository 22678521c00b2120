/** `sweep --compare`: what the tests of all differences say together. */
import type { KeptPoint } from "../../../campaign/sweep-file.ts";
import { ALPHA, holm } from "../../../statistics/hypotheses.ts";
import { figure, percent, plural } from "../../text/figures.ts";
import { rightColumn, table } from "../../text/table.ts";
import type { Paint } from "../../text/terminal.ts";
import type { SweepDesign } from "./report.ts";

/** One difference, with p-values that are corrected for all of them. */
export interface SweepComparison {
  readonly labels: KeptPoint["labels"];
  readonly with: KeptPoint["labels"];
  readonly difference: { readonly mean: number | null; readonly low: number | null; readonly high: number | null };
  readonly p: number | null;
  readonly pHolm: number | null;
  /** Of a difference of at least the margin; null without a margin. */
  readonly equivalence: number | null;
  readonly equivalenceHolm: number | null;
  readonly verdict: "different" | "equivalent" | "different, but within the margin" | "open";
}

/** Each point that is compared, in order. Points that are still missing leave nothing to correct for, so all must be there. */
export function comparisonsOf(
  { points: plan }: SweepDesign,
  points: readonly KeptPoint[],
  y: string,
): SweepComparison[] {
  const compared = points.flatMap((point, i) => {
    const difference = point.differences?.[y];
    const first = plan[i].comparedWith;
    return difference === undefined || first === null ? [] : [{ labels: point.labels, first, difference }];
  });
  const differ = holm(compared.map(({ difference }) => difference.p ?? null));
  const equal = holm(compared.map(({ difference }) => difference.equivalence ?? null));
  return compared.map(({ labels, first, difference: { mean, low, high, p = null, equivalence = null } }, i) => ({
    labels,
    with: plan[first].labels,
    difference: { mean, low, high },
    p,
    pHolm: differ[i],
    equivalence,
    equivalenceHolm: equal[i],
    verdict: verdictOf(differ[i], equal[i]),
  }));
}

function verdictOf(p: number | null, equivalence: number | null): SweepComparison["verdict"] {
  const different = p !== null && p <= ALPHA;
  const equivalent = equivalence !== null && equivalence <= ALPHA;
  if (different && equivalent) return "different, but within the margin";
  return different ? "different" : equivalent ? "equivalent" : "open";
}

export function comparisonText(
  comparisons: readonly SweepComparison[],
  y: string,
  margin: number | null,
  paint: Paint,
): string {
  const isAlone = new Set(comparisons.flatMap((one) => [one.labels.protocol, one.with.protocol])).size === 1;
  const show = y === "success" ? percent : figure;
  const columns = [
    { title: "compared" },
    { title: "with" },
    rightColumn("difference"),
    rightColumn("95% interval"),
    rightColumn("p"),
    rightColumn("p (Holm)"),
    ...(margin === null ? [] : [rightColumn(`p, ${percent(margin)} margin`), rightColumn("p (Holm)")]),
    { title: "verdict" },
  ];
  const rows = comparisons.map((one) => [
    namesOf(one.labels, one.with, isAlone),
    namesOf(one.with, one.labels, isAlone),
    show(one.difference.mean),
    one.difference.low === null ? "-" : `${show(one.difference.low)} to ${show(one.difference.high)}`,
    probabilityText(one.p),
    probabilityText(one.pHolm),
    ...(margin === null ? [] : [probabilityText(one.equivalence), probabilityText(one.equivalenceHolm)]),
    one.verdict,
  ]);
  const what = y === "success" ? "points of the success rate" : `the first mean of ${y}`;
  return [
    paint("bold", `Differences of ${y}, trial by trial`),
    "",
    table(columns, rows, { heading: (line) => paint("bold", line) }),
    "",
    `Test: ${y === "success" ? "McNemar's, exact" : "paired t"}. Holm's correction over ${plural(comparisons.length, "comparison")}: the chance that any of them is called different by accident is at most ${percent(ALPHA)}${y === "success" ? "" : ", as far as Student's t fits the differences"}.`,
    ...(margin === null
      ? ["Without --margin nothing is called equivalent: a difference that was not found may still be there."]
      : [
          `Margin: ${percent(margin)}${y === "success" ? ", in" : " of"} ${what}. The chance that any is called equivalent by accident is at most ${percent(ALPHA)} as well.`,
        ]),
  ].join("\n");
}

/** What sets a point apart from the other, and in brackets what they share; a protocol that is alone goes without saying. */
function namesOf(labels: KeptPoint["labels"], other: KeptPoint["labels"], isAlone: boolean): string {
  const entries = Object.entries(labels).filter(([name]) => !isAlone || name !== "protocol");
  const shared = entries.filter(([name, value]) => other[name] === value);
  const own = entries.filter(([name, value]) => other[name] !== value);
  const words = ([name, value]: readonly [string, string | number]) =>
    name === "protocol" ? String(value) : `${name} ${value}`;
  const apart = own.length === 0 ? entries : own;
  return [...apart.map(words), ...(shared.length === 0 ? [] : [`(${shared.map(words).join(", ")})`])].join(" ");
}

function probabilityText(p: number | null): string {
  if (p === null) return "-";
  if (p < 1e-99) return "< 1e-99";
  return p < 0.0001 ? p.toExponential(1) : p.toPrecision(2);
}
