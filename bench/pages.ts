/**
 * Writes the tables of docs/performance.md and docs/figures/performance-*.svg from bench/results.json: what stands between
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
import type { Gain } from "./two-threads.ts";

const docs = join(import.meta.dirname, "../docs");
const results = JSON.parse(readFileSync(join(import.meta.dirname, "results.json"), "utf8")) as {
  readonly machine: Readonly<Record<"processor" | "cores" | "gigabytes" | "node" | "date" | "runs", string>>;
  readonly limits: readonly Limit[];
  readonly peers: readonly Comparison[];
  readonly growth: readonly Growth[];
  readonly threads: readonly Gain[];
  readonly processes: number | null;
  readonly million: readonly AtMillion[];
  readonly missing: readonly string[];
};

/** Three digits. */
const short = (value: number | null | undefined): string =>
  value == null ? "-" : Number(value.toPrecision(3)).toLocaleString("en", { maximumSignificantDigits: 3 });
const power = (value: number | null): string => (value === null ? "-" : value.toFixed(2));
const millions = ({ messages, seconds }: Measured): string => short(messages / seconds / 1e6);
const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");

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

const TABLES: Readonly<Record<string, () => string>> = {
  machine: () => {
    const { processor, cores, gigabytes, node, date, runs } = results.machine;
    return `${processor}, ${cores} cores, ${gigabytes} GB, Node ${node}, ${date}; the quickest of ${runs} runs.`;
  },
  limits: () =>
    table(
      ["work", "loss", "C, s", "ours, s", "ratio", "wanted", "kernel"],
      results.limits.map(({ work, loss, c, ours, ratio, target, why }) => [
        work,
        String(loss),
        short(c.seconds),
        short(ours?.seconds),
        short(ratio),
        String(target),
        why ?? ours?.kernel ?? "none",
      ]),
    ),
  peers: () =>
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
  growth: () =>
    table(
      ["protocol", "largest n tried", "seconds", "time", "messages", "memory", "an hour at n =", "ends first"],
      results.growth.map((each) => {
        const last = each.points.at(-1);
        const { seconds, messages, megabytes } = each.exponents;
        const time = reached(each, "seconds", HOUR);
        const memory = reached(each, "megabytes", Number(results.machine.gigabytes) * 1024);
        return [
          ...[each.protocol, (last?.n ?? 0).toLocaleString("en"), short(last?.seconds)],
          ...[power(seconds), power(messages), power(megabytes), roughly(time), limitOf(time, memory)],
        ];
      }),
    ),
  threads: () =>
    table(
      ["protocol", "one thread, s", "gain", "gain / gain of C"],
      results.threads.map(({ protocol, one, gain }) => [
        protocol,
        short(one),
        power(gain),
        power(results.processes === null ? null : gain / results.processes),
      ]),
    ),
  million: () =>
    table(
      ["protocol", "messages", "by theory", "bytes of each member", "rounds"],
      results.million.map(({ protocol, theory, simulated }) => [
        ...[protocol, simulated === null ? "not run" : short(simulated.messages), short(theory.messages)],
        ...[short(simulated?.bits === undefined ? null : simulated.bits / 8 / MILLION), short(simulated?.rounds)],
      ]),
    ),
};

const page = join(docs, "performance.md");
const text = readFileSync(page, "utf8").replace(
  /(<!-- bench: (\w+) -->)[\s\S]*?(<!-- end -->)/g,
  (_, begin: string, name: string, end: string) => `${begin}\n\n${TABLES[name]()}\n\n${end}`,
);
writeFileSync(page, text);
for (const [name, svg] of await drawGrowth(results.growth, TABLES.machine())) {
  writeFileSync(join(docs, "figures", name), svg);
}
