/** Writes the table between `<!-- bench: herd -->` and `<!-- end -->` in docs/comparison.md, and docs/figures/herd.svg. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { smallMultiples } from "../../src/plot/plot.ts";
import type { Measured, Results } from "./main.ts";

const docs = join(import.meta.dirname, "../../docs");

/** Three digits. */
const short = (value: number): string => value.toLocaleString("en", { maximumSignificantDigits: 3 });
const percent = (share: number): string => `${short(100 * share)}%`;
const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
const range = (values: readonly number[]): string => {
  const [least, most] = [short(Math.min(...values)), short(Math.max(...values))];
  return least === most ? least : `${least} to ${most}`;
};

const HEAD = [
  ...["system", "store", "n", "joining: requests", "s", "idle: requests/s", "store's CPU", "candidates' CPU"],
  ...["fail-over: requests", "s"],
];

function row({ system, store, n, joining, idle, failOvers }: Measured): string[] {
  return [
    ...[system, store, short(n), short(joining.requests), short(joining.seconds)],
    ...[short(idle.requests), percent(idle.store), percent(idle.candidates)],
    ...[range(failOvers.map(({ requests }) => requests)), range(failOvers.map(({ seconds }) => seconds))],
  ];
}

export async function writePage({ machine, date, ttl, note, measured, missing }: Results): Promise<void> {
  const lines = [HEAD, HEAD.map(() => "---"), ...measured.map(row)].map((cells) => `| ${cells.join(" | ")} |`);
  const conditions = `${machine}; ${date}; leases of ${ttl} s; servers do not wait for the disk; CPU as a share of one core.`;
  const told = note === "" ? [] : ["", note];
  const absent = missing.length === 0 ? [] : ["", `Not measured: ${missing.join("; ")}.`];
  const text = [...lines, "", conditions, ...told, ...absent].join("\n");
  const file = join(docs, "comparison.md");
  const page = readFileSync(file, "utf8");
  writeFileSync(
    file,
    page.replace(/(<!-- bench: herd -->)[\s\S]*?(<!-- end -->)/, (_, begin, end) => `${begin}\n\n${text}\n\n${end}`),
  );
  writeFileSync(join(docs, "figures", "herd.svg"), await figure(measured, conditions));
}

function figure(measured: readonly Measured[], caption: string): Promise<string> {
  const panel = (title: string, label: string, of: (each: Measured) => number, log = true) => ({
    title,
    x: { label: "candidates", log: true },
    y: { label, log },
    series: [...new Set(measured.map(({ system }) => system))].map((name) => ({
      name,
      kind: "measured" as const,
      points: measured
        .filter(({ system }) => system === name)
        // A logarithm has no zero.
        .map((each) => ({ x: each.n, y: of(each) > 0 ? of(each) : null })),
    })),
  });
  return smallMultiples({
    title: "What waiting candidates cost the store",
    caption,
    columns: 2,
    panels: [
      panel("While nothing happens", "requests a second", ({ idle }) => idle.requests),
      panel("While nothing happens", "store's CPU, share of a core", ({ idle }) => idle.store),
      panel("Per fail-over", "requests", ({ failOvers }) => median(failOvers.map(({ requests }) => requests))),
      panel("Per fail-over", "seconds", ({ failOvers }) => median(failOvers.map(({ seconds }) => seconds)), false),
    ],
  }).svg();
}
