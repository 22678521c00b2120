/**
 * `npm run bench`: ours beside C programs that do the same work and beside other simulators, in one run on one machine; what a second thread
 * gains; how cost grows with n. A whole run on a quiet machine writes bench/results.json and with it docs/performance.md, so that all of the
 * page comes from one run. Any other run prints and writes nothing; a whole run that could not write ends before it begins. A row that
 * misses its target says so and does not fail.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Growth, growth } from "./growth.ts";
import { type Limit, limits } from "./limits.ts";
import { type AtMillion, atMillion } from "./million.ts";
import { type Results, writePages } from "./pages.ts";
import { type Comparison, peers } from "./peers.ts";
import { Programs } from "./programs.ts";
import { Progress } from "./progress.ts";
import { compareQueues } from "./queues.ts";
import { noise } from "./quiet.ts";
import { type Gain, gainOfProcesses, gains } from "./two-threads.ts";

const PARTS = ["limits", "peers", "threads", "growth", "million", "queues"] as const;
const { values } = parseArgs({
  options: {
    only: { type: "string", multiple: true, default: [...PARTS] },
    runs: { type: "string", default: "5" },
    seconds: { type: "string", default: "1" },
    install: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
const print = (line: string) => process.stdout.write(`${line}\n`);

if (values.help) {
  print(`npm run bench -- [--only ${PARTS.join("|")}]... [--runs 5] [--seconds 1] [--install]

--only     parts to run; all of them by default. With it nothing is written
--runs     of each program at most, of which the quickest counts; fewer if two agree within 2%
--seconds  of one trial, after which growth tries no larger n
--install  lets it install ns-3, SimPy and SimGrid from Debian's packages where they are missing`);
  process.exit();
}

const wanted = new Set(values.only);
const isWhole = PARTS.every((part) => wanted.has(part));
const file = join(import.meta.dirname, "results.json");
const before: Results = JSON.parse(readFileSync(file, "utf8"));
const progress = new Progress(
  PARTS.filter((part) => wanted.has(part)),
  before.minutes,
);
const runs = Number(values.runs);
const programs = new Programs(values.install);
/** Why the pages are not written. */
const reasons = new Set<string>(isWhole ? [] : ["only some parts ran"]);
const missing = (what: string) => {
  reasons.add(what);
  print(`NOT MEASURED: ${what}`);
};
async function begin(part: (typeof PARTS)[number]): Promise<boolean> {
  if (!wanted.has(part)) return false;
  await listen(`before ${part}`);
  return true;
}
async function listen(when: string): Promise<void> {
  const heard = await noise();
  if (heard === null) return;
  reasons.add(`${when} the machine was not quiet: ${heard}`);
  print(`NOT QUIET ${when}: ${heard}. The pages will not be written.`);
}
const found = {
  limits: [] as Limit[],
  peers: [] as Comparison[],
  threads: [] as Gain[],
  growth: [] as Growth[],
  million: [] as AtMillion[],
  processes: null as number | null,
};

const fixed = (value: number | null | undefined, digits = 2) => (value == null ? "-" : value.toFixed(digits));
const row = (widths: readonly number[], cells: readonly string[]) =>
  print(
    `${progress.left.padStart(12)}  ${cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[i] ?? 10))).join("")}`.trimEnd(),
  );
/** Why a whole run cannot write, or null. */
async function hindrance(): Promise<string | null> {
  const heard = await noise();
  return heard === null ? (programs.lacking()[0] ?? null) : `the machine is not quiet: ${heard}`;
}

try {
  const hindered = isWhole ? await hindrance() : null;
  if (hindered !== null) {
    print(`Nothing is measured: ${hindered}`);
    programs.close();
    process.exit(1);
  }
  if (await begin("limits")) {
    const widths = [44, 7, 10, 10, 8, 8, 9, 9];
    print("Beside C, one thread each: seconds of the processor for all trials, quickest run");
    row(widths, ["work", "loss", "C", "ours", "ratio", "wanted", "MB in C", "MB ours", "  kernel"]);
    for (const limit of limits(programs, runs)) {
      if ("missing" in limit) {
        missing(limit.missing);
        continue;
      }
      found.limits.push(limit);
      const { work, loss, c, ours, ratio, target } = limit;
      row(widths, [
        ...[work, String(loss), fixed(c.seconds, 3), fixed(ours?.seconds, 3), fixed(ratio), String(target)],
        ...[fixed(c.megabytes, 0), fixed(ours?.megabytes, 0), `  ${limit.why ?? ours?.kernel ?? "none"}`],
      ]);
    }
    progress.end();
  }
  if (await begin("peers")) {
    const widths = [28, 10, 14, 12, 12, 8];
    print("\nBeside other simulators, Chang-Roberts, every message an event, no kernel: millions of messages a second");
    row(widths, ["simulator", "n", "delays", "theirs", "ours", "ratio"]);
    for (const each of peers(programs, runs)) {
      if ("missing" in each) {
        missing(each.missing);
        continue;
      }
      found.peers.push(each);
      const rate = ({ messages, seconds }: Comparison["ours"]) => fixed(messages / seconds / 1e6);
      row(widths, [each.peer, String(each.n), each.delay, rate(each.theirs), rate(each.ours), fixed(each.ratio)]);
    }
    progress.end();
  }
  if (await begin("threads")) {
    const processes = await gainOfProcesses(programs, runs);
    found.processes = processes;
    print(`\nTwo threads against one, n = 200; two processes of C gain ${fixed(processes)}`);
    for (const gain of gains(Math.min(runs, 2))) {
      found.threads.push(gain);
      const share = processes === null ? [] : [`${fixed(gain.gain / processes)} of that`];
      row([24, 8, 20], [gain.protocol, fixed(gain.gain), ...share]);
    }
    progress.end();
  }
  if (await begin("growth")) {
    const widths = [24, 12, 10, 10, 10];
    print(`\nGrowth with n: exponents, fitted over the upper half of the sizes, up to ${values.seconds} s a trial`);
    row(widths, ["protocol", "largest n", "time", "messages", "memory", "  kernel"]);
    for (const each of growth(Number(values.seconds))) {
      found.growth.push(each);
      const { seconds, messages, megabytes } = each.exponents;
      const largest = String(each.points.at(-1)?.n ?? "-");
      row(widths, [
        each.protocol,
        largest,
        ...[seconds, messages, megabytes].map((e) => fixed(e)),
        `  ${each.kernel ?? "none"}`,
      ]);
    }
    progress.end();
  }
  if (await begin("million")) {
    print("\nOne election among 2^20 members");
    row([24, 16, 16, 12], ["protocol", "messages", "by theory", "seconds"]);
    found.million = await atMillion(({ protocol, theory, simulated, why }) =>
      row(
        [24, 16, 16, 12],
        [
          ...[protocol, fixed(simulated?.messages, 0), fixed(theory.messages, 0), fixed(simulated?.seconds)],
          ...(why === null ? [] : [`  not run: ${why}`]),
        ],
      ),
    );
    progress.end();
  }
  if (await begin("queues")) {
    print("\nQueues, one pop and one push:");
    for (const [name, times] of Object.entries(compareQueues())) {
      print(
        `  ${name.padEnd(14)} ${Object.entries(times)
          .map(([waiting, time]) => `${waiting}: ${time}`)
          .join("   ")}`,
      );
    }
    progress.end();
  }
  await listen("at the end");
} finally {
  programs.close();
}
const machine = {
  processor: cpus()[0].model,
  cores: cpus().length,
  gigabytes: Math.round(totalmem() / 2 ** 30),
  node: process.version,
  date: new Date().toISOString().slice(0, 10),
  runs,
};
if (reasons.size > 0) print(`\nNothing is written:\n${[...reasons].map((reason) => `  ${reason}`).join("\n")}`);
else {
  const results = { machine, minutes: progress.took, ...found };
  writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`);
  await writePages(results, join(import.meta.dirname, "../docs"));
  print("\nWritten: bench/results.json, docs/performance.md and its figures");
}
