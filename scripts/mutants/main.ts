/** Which small faults do the tests notice? `npm run mutants -- --help` says how it works. */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { appendFileSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { wilson } from "../../src/statistics/intervals.ts";
import { makeCopy } from "./copy.ts";
import { type Fault, faultsIn, inWords, planted } from "./faults.ts";
import { FOLDERS, testsFor } from "./folders.ts";
import type { Outcome } from "./suite.ts";

type Verdict = "killed" | "survived" | "timed out";
interface Result extends Fault {
  readonly verdict: Verdict;
  readonly by: string;
  readonly seconds: number;
}

const root = fileURLToPath(new URL("../../", import.meta.url));
const HELP = `npm run mutants -- [options]

Draws small faults from a seed, plants one at a time in a copy of the working tree, and runs the tests near it until one fails.
Results are kept in node_modules/.cache/mutants, so that a run that was interrupted goes on.

  --seed N         other faults (default: 1)
  --under FOLDERS  with commas between them (default: ${Object.keys(FOLDERS).join(",")})
  --count N        faults in each folder
  --near           only the nearest tests (scripts/mutants/folders.ts names them)
  --again          repeats the faults that survived
  --list           shows the faults and tests nothing
  --help           shows this
`;
const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    under: { type: "string", default: Object.keys(FOLDERS).join() },
    count: { type: "string" },
    again: { type: "boolean", default: false },
    near: { type: "boolean", default: false },
    list: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
if (values.help) {
  process.stdout.write(HELP);
  process.exit();
}
const folders = values.under.split(",").map((name) => {
  const folder = FOLDERS[name];
  if (folder === undefined) throw new Error(`${name} is none of ${Object.keys(FOLDERS).join(", ")}`);
  return { name, ...folder, count: Number(values.count ?? folder.count) };
});

const cache = join(root, "node_modules/.cache/mutants");
const record = join(cache, `${values.seed}.jsonl`);
mkdirSync(cache, { recursive: true });

/** Faults in the order of a hash of the seed and their text: a change elsewhere does not change the draw. */
function drawn(folder: string, count: number): Fault[] {
  const rank = ({ id }: Fault) => createHash("sha256").update(`${values.seed} ${id}`).digest("hex");
  const files = globSync(`${folder}/**/*.ts`, { cwd: root }).filter((file) => !/\.(test|d)\.ts$/.test(file));
  const ranked = files.flatMap((file) => faultsIn(root, file)).map((fault) => ({ fault, at: rank(fault) }));
  return ranked
    .sort((a, b) => (a.at < b.at ? -1 : 1))
    .slice(0, count)
    .map(({ fault }) => fault);
}

function readRecord(): Map<string, Result> {
  if (!existsSync(record)) return new Map();
  const lines = readFileSync(record, "utf8").split("\n").filter(Boolean);
  const results = lines.map((line): Result => JSON.parse(line));
  return new Map(results.map((result) => [result.id, result]));
}

// The copy, and the process group that runs tests in it. Both end with this process.

const copy = values.list ? "" : makeCopy(root);
let group: number | null = null;
const endGroup = () => {
  if (group === null) return;
  try {
    process.kill(-group, "SIGKILL");
  } catch {
    // It has ended.
  }
};
process.on("exit", () => {
  endGroup();
  if (copy !== "") rmSync(copy, { recursive: true, force: true });
});
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(130));

/** Milliseconds; a test that waits for ever ends after a minute by itself. */
const WALL_LIMIT = 900_000;

/** `cpu`: seconds for each process, so that an endless loop ends and a busy machine changes nothing. */
function run(args: readonly string[], cpu: number, env: Record<string, string> = {}): Promise<number | null> {
  return new Promise((done) => {
    const child = spawn("sh", ["-c", `ulimit -t ${cpu}; exec "$0" "$@"`, process.execPath, ...args], {
      cwd: copy,
      stdio: "ignore",
      detached: true,
      env: { ...process.env, NODE_COMPILE_CACHE: join(cache, "compiled"), ...env },
    });
    group = child.pid!;
    const timer = setTimeout(endGroup, WALL_LIMIT);
    child.on("close", (status) => {
      clearTimeout(timer);
      endGroup();
      group = null;
      done(status);
    });
  });
}

/** Seconds by test file, of the last time that it passed: for the order alone. */
const timesFile = join(cache, "times.json");
const times = new Map<string, number>(existsSync(timesFile) ? JSON.parse(readFileSync(timesFile, "utf8")) : []);
const seconds = (test: string) => times.get(test) ?? 0;

interface Ending {
  readonly verdict: Verdict;
  readonly by: string;
}

async function runTests(tests: readonly string[], cpu: number): Promise<Ending> {
  const file = join(copy, "outcome.json");
  rmSync(file, { force: true });
  const status = await run(["scripts/mutants/suite.ts", ...tests], cpu, { MUTANTS_OUTCOME: file });
  if (!existsSync(file)) return { verdict: "timed out", by: "" };
  const outcome: Outcome = JSON.parse(readFileSync(file, "utf8"));
  if (status === 0) {
    for (const [test, ms] of Object.entries(outcome.times)) times.set(test, ms / 1000);
    writeFileSync(timesFile, JSON.stringify([...times]));
  }
  if (outcome.failed.length > 0) return { verdict: "killed", by: outcome.failed[0] };
  return { verdict: status === 0 ? "survived" : "timed out", by: "" };
}

/** CPU seconds for a build, for one test file, and for tests beyond what they took when they passed. */
const LONG = 30;
const passes = new Set<string>();

/** A test that has failed with a fault must pass without it. */
async function checkTest(test: string, isOfCommand: boolean): Promise<void> {
  if (passes.has(test)) return;
  if (isOfCommand) await run(["scripts/bundle.js", "dist"], LONG);
  const { verdict } = await runTests([test], LONG);
  if (verdict !== "survived") throw new Error(`${test} does not pass without a fault: ${verdict}`);
  passes.add(test);
}

async function runStage(fault: Fault, tests: readonly string[], isOfCommand: boolean): Promise<Ending> {
  const path = join(copy, fault.file);
  const text = readFileSync(path, "utf8");
  writeFileSync(path, planted(text, fault));
  const isBuilt = !isOfCommand || (await run(["scripts/bundle.js", "dist"], LONG)) === 0;
  const cpu = Math.ceil(tests.reduce((sum, test) => sum + seconds(test), LONG));
  const ending = isBuilt ? await runTests(tests, cpu) : ({ verdict: "killed", by: "the build" } as const);
  writeFileSync(path, text);
  if (tests.includes(ending.by)) await checkTest(ending.by, isOfCommand);
  return ending;
}

async function tryFault(fault: Fault, { stages, ofCommand = [] }: (typeof folders)[number]): Promise<Ending> {
  const plans = stages.map((patterns) => ({
    tests: testsFor(copy, fault.file, patterns, seconds),
    isOfCommand: false,
  }));
  plans.push({ tests: globSync([...ofCommand], { cwd: copy }), isOfCommand: true });
  for (const { tests, isOfCommand } of values.near ? plans.slice(0, 1) : plans) {
    if (tests.length === 0) continue;
    const ending = await runStage(fault, tests, isOfCommand);
    if (ending.verdict !== "survived") return ending;
  }
  return { verdict: "survived", by: "" };
}

const results = readRecord();
const share = (value: number) => `${Math.round(100 * value)}%`;

function summary(name: string, of: readonly Result[]): string {
  const count = (verdict: Verdict) => of.filter((result) => result.verdict === verdict).length;
  const noticed = count("killed") + count("timed out");
  const { low, high } = wilson(noticed, of.length);
  const rate = share(noticed / Math.max(1, of.length));
  return `${name}: ${of.length} faults, ${count("killed")} killed, ${count("timed out")} timed out, ${count("survived")} survived; ${rate} noticed (95% interval ${share(low ?? 0)} to ${share(high ?? 1)})`;
}

const all: Result[] = [];
const lines: string[] = [];
for (const folder of folders) {
  const of: Result[] = [];
  for (const fault of drawn(folder.name, folder.count)) {
    if (values.list) {
      process.stdout.write(`${inWords(fault)}\n`);
      continue;
    }
    let result = results.get(fault.id);
    if (result === undefined || (values.again && result.verdict !== "killed")) {
      const began = performance.now();
      const ending = await tryFault(fault, folder);
      result = { ...fault, ...ending, seconds: Math.round((performance.now() - began) / 1000) };
      appendFileSync(record, `${JSON.stringify(result)}\n`);
    }
    of.push({ ...result, ...fault });
    process.stdout.write(`${result.verdict.padEnd(9)} ${inWords(fault)}  ${result.by} ${result.seconds} s\n`);
  }
  all.push(...of);
  lines.push(summary(folder.name, of));
}
if (!values.list) {
  const survivors = all.filter(({ verdict }) => verdict === "survived").map((fault) => `  ${inWords(fault)}`);
  const told = [`seed ${values.seed}`, ...lines, summary("all", all), "survivors:", ...survivors];
  process.stdout.write(`\n${told.join("\n")}\n`);
}
process.exit();
