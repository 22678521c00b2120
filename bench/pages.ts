/**
 * Writes the tables of docs/performance.md and docs/figures/performance-*.svg from the results of one run: what stands between
 * `<!-- bench: NAME -->` and `<!-- end -->` is made here, and nothing else is touched.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { drawGrowth } from "./figure.ts";
import type { Growth } from "./growth.ts";
import type { Limit } from "./limits.ts";
import type { Measured } from "./measured.ts";
import { type AtMillion, MILLION } from "./million.ts";
import type { Comparison } from "./peers.ts";
import type { Minutes } from "./progress.ts";
import type { Gain } from "./two-threads.ts";

/** What one run of all parts has found. */
export interface Results {
  readonly machine: Readonly<
    Record<"processor" | "node" | "date", string> & Record<"cores" | "gigabytes" | "runs", number>
  >;
  readonly minutes: Minutes;
  readonly limits: readonly Limit[];
  readonly peers: readonly Comparison[];
  readonly growth: readonly Growth[];
  readonly threads: readonly Gain[];
  readonly processes: number | null;
  readonly million: readonly AtMillion[];
}

/** Three digits. */
const short = (value: number | null | undefined): string =>
  value == null ? "-" : Number(value.toPrecision(3)).toLocaleString("en", { maximumSignificantDigits: 3 });
const power = (value: number | null): string => (value === null ? "-" : value.toFixed(2));
const millions = ({ messages, seconds }: Measured): string => short(messages / seconds / 1e6);
/** Padded as the formatter pads tables. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((_, i) => Math.max(3, ...[head, ...rows].map((cells) => cells[i].length)));
  const line = (cells: readonly string[], fill: string) =>
    `| ${cells.map((cell, i) => cell.padEnd(widths[i], fill)).join(" | ")} |`;
  return [
    line(head, " "),
    line(
      head.map(() => ""),
      "-",
    ),
    ...rows.map((cells) => line(cells, " ")),
  ].join("\n");
}

const HOUR = 3600;
const LARGEST = 1e15;

/** n with which one trial takes so much, by the last point and the fitted exponent; null where it does not grow, or is not known. */
function reached(growth: Growth, what: "seconds" | "megabytes", budget: number): number | null {
  const [last, exponent] = [growth.points.at(-1)?.[what], growth.exponents[what]];
  if (last === undefined || exponent === null || exponent < 0.05 || last <= 0) return null;
  return growth.points.at(-1)!.n * (budget / last) ** (1 / exponent);
}

const roughly = (n: number | null): string =>
  n === null ? "any" : n > LARGEST ? "more than 1e15" : n.toExponential(0).replace("+", "");

/** What a larger trial on this machine would want more of. */
function limitOf(time: number | null, memory: number | null): string {
  const least = Math.min(time ?? Infinity, memory ?? Infinity);
  if (least > LARGEST) return "nothing";
  return least === time ? "time" : "memory";
}

const TABLES: Readonly<Record<string, (results: Results) => string>> = {
  machine: ({ machine: { processor, cores, gigabytes, node, date, runs } }) => {
    return `${processor}, ${cores} cores, ${gigabytes} GB, Node ${node}, ${date}; the quickest of up to ${runs} runs.`;
  },
  limits: (results) =>
    table(
      ["work", "loss", "C, s", "ours, s", "ratio", "wanted", "ours, MB", "kernel"],
      results.limits.map(({ work, loss, c, ours, ratio, target, why }) => [
        work,
        String(loss),
        short(c.seconds),
        short(ours?.seconds),
        short(ratio),
        String(target),
        short(ours?.megabytes),
        why ?? ours?.kernel ?? "none",
      ]),
    ),
  peers: (results) =>
    table(
      ["simulator", "n", "delays", "theirs, million/s", "ours, million/s", "ratio"],
      results.peers.map((each) => [
        ...[
          each.peer,
          each.n.toLocaleString("en"),
          each.delay,
          millions(each.theirs),
          millions(each.ours),
          short(each.ratio),
        ],
      ]),
    ),
  growth: (results) =>
    table(
      ["protocol", "largest n tried", "seconds", "time", "messages", "memory", "an hour at n =", "ends first"],
      results.growth.map((each) => {
        const last = each.points.at(-1);
        const { seconds, messages, megabytes } = each.exponents;
        const time = reached(each, "seconds", HOUR);
        const memory = reached(each, "megabytes", results.machine.gigabytes * 1024);
        return [
          ...[each.protocol, (last?.n ?? 0).toLocaleString("en"), short(last?.seconds)],
          ...[power(seconds), power(messages), power(megabytes), roughly(time), limitOf(time, memory)],
        ];
      }),
    ),
  threads: (results) =>
    table(
      ["protocol", "one thread, s", "gain", "gain / gain of C"],
      results.threads.map(({ protocol, one, gain }) => [
        protocol,
        short(one),
        power(gain),
        power(results.processes === null ? null : gain / results.processes),
      ]),
    ),
  million: (results) =>
    table(
      ["protocol", "messages", "by theory", "bytes of each member", "rounds"],
      results.million.map(({ protocol, theory, simulated }) => [
        ...[protocol, simulated === null ? "not run" : short(simulated.messages), short(theory.messages)],
        ...[short(simulated?.bits === undefined ? null : simulated.bits / 8 / MILLION), short(simulated?.rounds)],
      ]),
    ),
};

export async function writePages(results: Results, docs: string): Promise<void> {
  const page = join(docs, "performance.md");
  const text = readFileSync(page, "utf8").replace(
    /(<!-- bench: (\w+) -->)[\s\S]*?(<!-- end -->)/g,
    (_, begin: string, name: string, end: string) => `${begin}\n\n${TABLES[name](results)}\n\n${end}`,
  );
  writeFileSync(page, text);
  for (const [name, svg] of await drawGrowth(results.growth, TABLES.machine(results))) {
    writeFileSync(join(docs, "figures", name), svg);
  }
}
