/**
 * `npm run bench:explore`: the explorer beside SPIN, in one run on one machine, and how far it comes. The models under
 * bench/explorer have the same configurations as ours, plus the one before the start.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ExploreRequest, exploring } from "../src/explorer/explore.ts";
import { deepening } from "../src/explorer/search/deepen.ts";
import { search } from "../src/explorer/search/search.ts";
import { finished } from "../src/explorer/search/search-terms.ts";
import { agreement, atMostOneLeader } from "../src/properties/properties.ts";
import { protocolNamed } from "../src/protocols/catalogue.ts";
import { leaseProblem, SAFE } from "../test/explorer/lease-problem.ts";
import { forward, termRule } from "../test/explorer/term-rule.ts";

const print = (line: string) => process.stdout.write(`${line}\n`);
const models = join(import.meta.dirname, "explorer");
const falling = (n: number) => Array.from({ length: n }, (_, i) => n - i);
/** Wide rows: minutes of time, bytes of tables. */
const MINUTES = Number(process.env.MINUTES ?? 10);
const BYTES = 3 * 2 ** 30;

function cpu(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** To its end, or to the end of the time; CPU seconds. */
function run(name: string, request: ExploreRequest) {
  const began = cpu();
  const end = performance.now() + MINUTES * 60_000;
  const work = exploring(name, { maxBytes: BYTES, ...request, onProgress: () => performance.now() < end });
  return { ...finished(work), seconds: cpu() - began };
}

/** As the command does it, with random walks beside the search. */
function look(name: string, request: ExploreRequest) {
  const began = cpu();
  const clock = { now: () => performance.now(), budget: MINUTES * 60_000 };
  const protocol = name === "term-rule" ? termRule() : protocolNamed(name);
  const work = deepening(protocol, { maxBytes: BYTES, ...request }, clock);
  return { ...finished(work).result, seconds: cpu() - began };
}

/** States and CPU seconds of SPIN without reduction; null where it, or a compiler, is missing. */
function spin(model: string, n: number): { states: number; seconds: number } | null {
  const folder = mkdtempSync(join(tmpdir(), "bench-spin-"));
  try {
    const inFolder = { cwd: folder, encoding: "utf8" as const };
    execFileSync("spin", [`-DN=${n}`, "-a", join(models, `${model}.pml`)], inFolder);
    execFileSync("gcc", ["-O2", "-DNOREDUCE", "-DSAFETY", "-o", "pan", "pan.c"], inFolder);
    const { stdout, stderr } = spawnSync("bash", ["-c", "TIMEFORMAT='%U %S'; time ./pan -m1000000 -w24"], inFolder);
    const states = Number(/(\d+) states, stored/.exec(stdout)?.[1]);
    const [user, system] = stderr.trim().split("\n").at(-1)!.split(" ").map(Number);
    return { states, seconds: user + system };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return null;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const thousands = (value: number) => Math.round(value).toLocaleString("en");

print("Every configuration, one thread, states a CPU second (wanted: at least half of SPIN's, and as many states):");
for (const [name, n] of [
  ["chang-roberts", 12],
  ["peterson", 13],
] as const) {
  const ours = run(name, { n, ids: falling(n), reduction: "never" });
  const theirs = spin(name, n);
  const rate = ours.states / ours.seconds;
  const row = `${`  ${name} ${n}`.padEnd(24)}${thousands(ours.states)} states, ${thousands(rate)} a second`;
  if (theirs === null) {
    print(`${row}; no SPIN here: apt-get install spin gcc`);
    continue;
  }
  const same =
    theirs.states === ours.states + 1 ? "as many states" : `${thousands(theirs.states)} states: NOT THE SAME`;
  const ratio = (rate * theirs.seconds) / theirs.states;
  print(`${row}; SPIN ${same}, ${thousands(theirs.states / theirs.seconds)} a second: ratio ${ratio.toFixed(2)}`);
}

const rows: readonly [string, string, ExploreRequest][] = [
  ["one arrangement (wanted: 5 s)", "chang-roberts", { n: 32, ids: falling(32), reduction: "always" }],
  ["one arrangement (wanted: 5 s)", "peterson", { n: 32, ids: falling(32), reduction: "always" }],
  ["every arrangement", "chang-roberts", { n: 8 }],
  ["every arrangement", "peterson", { n: 8 }],
  ["every arrangement", "hirschberg-sinclair", { n: 6 }],
  ...["naive", "basic", "skip-reset", "choice", "history", "unknown", "masks", "continuous"].map(
    (kind): [string, string, ExploreRequest] => ["5 hosts", `council-${kind}`, { n: 5, choices: 2 }],
  ),
  ...["tournament-async", "quorum", "referees", "filter-relay"].map((name): [string, string, ExploreRequest] => [
    `two choices (wanted: ${MINUTES} minutes)`,
    name,
    { n: 4, choices: 2 },
  ]),
  [
    "three members, two terms",
    "term-rule",
    { n: 3, ids: [1, 2, 3], limits: { terms: 2 }, properties: [atMostOneLeader, agreement, forward] },
  ],
];
print(`\nWith reduction (each at most ${MINUTES} minutes; MINUTES=1 for a shorter look):`);
const wanted = process.argv.slice(2);
for (const [what, name, request] of rows) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const { states, casesInAll, cases, complete, violation, seconds } = look(name, request);
  const end = violation !== null ? `${violation.property} broken` : complete ? "holds" : "STOPPED";
  const memory = `${Math.round(process.memoryUsage().rss / 2 ** 20)} MB`;
  const done = complete ? thousands(casesInAll) : `${thousands(cases.length)} of ${thousands(casesInAll)}`;
  print(
    `  ${`${name} ${request.n}, ${what}`.padEnd(58)} ${done} cases, ${thousands(states)} states, ${seconds.toFixed(1)} s, ${memory}: ${end}`,
  );
}

if (wanted.length === 0 || wanted.includes("lease")) {
  const began = cpu();
  const end = performance.now() + MINUTES * 60_000;
  const problem = leaseProblem({ clients: 3, budget: { pauses: 1, drops: 1 }, script: { leases: 1 } });
  const onProgress = () => performance.now() < end;
  const { states, complete, violation } = search(problem, { properties: SAFE, maxBytes: BYTES, onProgress });
  const told = violation !== null ? `${violation.property} broken` : complete ? "holds" : "STOPPED";
  print(
    `  ${"lease client, three members, one pause, one loss".padEnd(58)} ${thousands(states)} states, ${(cpu() - began).toFixed(1)} s: ${told}`,
  );
}
