/** `sortition plan`: which protocol, with which numbers, and how sure can I be? */
import { availableParallelism } from "node:os";
import type { Command } from "commander";
import { InputError } from "../errors.ts";
import { type Candidate, type Plan, type PlanRequest, plan, stepsOf, VERIFIED } from "../planner/plan.ts";
import { delaysOf } from "../planner/setting.ts";
import type { ParameterValue } from "../protocol.ts";
import { protocolNamed } from "../protocols/catalogue.ts";
import { resolveParameters } from "../protocols/parameters.ts";
import { networkOf } from "../topology/spec.ts";
import { figure, percent } from "./figures.ts";
import { examples } from "./help.ts";
import { StepBar } from "./step-bar.ts";
import { type Column, table, wrap } from "./table.ts";
import { type Paint, painter, print, terminalWidth } from "./terminal.ts";
import { chance } from "./theory.ts";
import { initiatorsOf, numberOf, probability, wholeNumber } from "./values.ts";

interface PlanOptions {
  readonly n?: string;
  readonly success: string;
  readonly loss: string;
  readonly multicastLoss: string;
  readonly crash: string;
  readonly initiators: string;
  readonly council?: string;
  readonly latency?: string;
  readonly topology?: string;
  readonly verify?: true;
  readonly seed: string;
  readonly json?: true;
}

export function define(command: Command): void {
  command
    .description(
      "For every protocol that can elect one leader with the probability you ask for: parameters that reach it, and what to expect. Sample sizes grow beyond those of the papers where these are too small. The rest are listed with the reason.",
    )
    .option("--n <count>", "number of processes; must be given, unless the topology has a size of its own")
    .option("--success <p>", "wanted probability of exactly one leader (of a council within L..U)", "0.999")
    .option("--loss <p>", "probability that a unicast is lost", "0")
    .option("--multicast-loss <p>", "probability that a receiver misses a multicast", "0")
    .option("--crash <p>", "probability that a process has crashed (filter-relay: crashes in a round)", "0")
    .option("--initiators <who>", "who contends: all, a number of processes, or a share such as 10%", "all")
    .option("--council <L..U>", "elect a council of L to U members instead, such as 4..8")
    .option("--latency <delays>", "message delays that an election may take on average")
    .option("--topology <spec>", "network, as `sortition graph` takes it (default: complete)")
    .option("--verify", `simulate the first ${VERIFIED} and show 95% intervals beside the predictions`)
    .option("--seed <number>", "of these simulations", "1")
    .option("--json", "print one JSON object instead of tables")
    .addHelpText(
      "after",
      examples(
        [
          ["sortition plan --n 5000 --loss 0.01 --crash 0.001 --success 0.999999", "a leader on a lossy network"],
          ["sortition plan --n 1000 --latency 4", "within four message delays"],
          ["sortition plan --n 1000 --council 4..8 --loss 0.05", "a council instead of a leader"],
          ["sortition plan --n 100 --success 0.99 --loss 0.01 --verify", "predictions beside simulations"],
        ],
        "docs/plan.md",
      ),
    )
    .action(run);
}

async function run(options: PlanOptions): Promise<void> {
  const request = requestFrom(options);
  const bar = new StepBar(process.stderr, stepsOf(request));
  const result = await plan(request, (done, what) => bar.show(done, what)).finally(() => bar.clear());
  print(options.json ? JSON.stringify(result) : forPeople(request, result, painter(process.stdout)));
}

function requestFrom(options: PlanOptions): PlanRequest {
  const seed = wholeNumber(options.seed, "--seed", 0);
  const n = sizeOf(options, seed);
  const initiators = initiatorsOf(options.initiators, n);
  return {
    n,
    success: probability(options.success, "--success"),
    loss: probability(options.loss, "--loss"),
    multicastLoss: probability(options.multicastLoss, "--multicast-loss"),
    crash: probability(options.crash, "--crash"),
    ...(initiators === "all" ? {} : { initiators }),
    ...(options.council === undefined ? {} : { council: rangeOf(options.council) }),
    ...(options.latency === undefined ? {} : { latency: numberOf(options.latency, "--latency") }),
    ...(options.topology === undefined ? {} : { topology: options.topology }),
    verify: options.verify === true,
    seed,
    threads: availableParallelism(),
  };
}

/** A network from a file, or one with given sides, has a size of its own. */
function sizeOf({ n, topology }: PlanOptions, seed: number): number {
  if (n !== undefined) return wholeNumber(n, "--n", 1);
  if (topology === undefined) throw new InputError("how many processes? say so with --n, such as --n 5000");
  return networkOf({ spec: topology, n: null, seed, largestComponent: false }).topology.size;
}

/** 4..8, or 5 for exactly five. */
function rangeOf(text: string): { L: number; U: number } {
  const match = /^(\d+)(?:\.\.(\d+))?$/.exec(text.trim());
  if (match === null) throw new InputError(`--council must be L..U, such as 4..8, not «${text}»`);
  const L = Number(match[1]);
  const U = Number(match[2] ?? match[1]);
  if (L > U) throw new InputError(`--council ${text}: L = ${L} is more than U = ${U}`);
  return { L, U };
}

function forPeople(request: PlanRequest, { candidates, rejected }: Plan, paint: Paint): string {
  const heading = (line: string) => paint("bold", line);
  const verified = candidates.some((candidate) => candidate.verified !== null);
  const right = (title: string): Column => ({ title, align: "right" });
  const columns = [
    { title: "protocol" },
    ...["messages", "rounds", "delays", "none", request.council === undefined ? "several" : "too many"].map(right),
    { title: "method" },
    { title: "parameters", wrap: true },
  ];
  const rows = candidates.map((candidate) => [
    candidate.protocol,
    figure(candidate.messages < 100 ? candidate.messages : Math.round(candidate.messages)),
    figure(Number(candidate.rounds.toPrecision(3))),
    figure(Number(delaysOf(candidate.protocol, candidate.rounds, candidate.parameters, request.n).toPrecision(3))),
    chance(Number(candidate.pNone.toPrecision(2))),
    chance(Number(candidate.pMany.toPrecision(2))),
    candidate.method,
    parametersText(candidate, request.n),
  ]);
  const width = terminalWidth();
  return [
    paint("bold", title(request)),
    "",
    ...(candidates.length === 0
      ? [paint("yellow", "No protocol here meets this: the reasons below say what each of them can do.")]
      : [table(columns, rows, { width, heading, indent: 2 }), "", ...again(request, candidates[0])]),
    ...(verified ? ["", heading("Simulated, with 95% intervals"), ...candidates.flatMap(simulated)] : []),
    "",
    heading("Not for this"),
    ...reasons(rejected, width),
  ].join("\n");
}

function title({
  n,
  success,
  loss = 0,
  multicastLoss = 0,
  crash = 0,
  council,
  topology,
  latency,
}: PlanRequest): string {
  const faults = Object.entries({ loss, "multicast loss": multicastLoss, crash })
    .filter(([, p]) => p > 0)
    .map(([name, p]) => `${name} ${p}`);
  const what = council === undefined ? "One leader" : `A council of ${council.L} to ${council.U}`;
  return [
    `${what} among ${figure(n)} processes with probability ${success}`,
    faults.join(", ") || "no faults",
    ...(topology === undefined ? [] : [`on ${topology}`]),
    ...(latency === undefined ? [] : [`within ${latency} message delays`]),
  ].join("; ");
}

/** Only what differs from the defaults: what a user has to type. */
function parametersText(candidate: Candidate, n: number): string {
  return (
    chosen(candidate, n)
      .map(([name, value]) => `${name}=${value}`)
      .join(" ") || "defaults"
  );
}

function chosen({ protocol, parameters }: Candidate, n: number): [string, ParameterValue][] {
  const defaults = resolveParameters(protocolNamed(protocol), {}, n);
  return Object.entries(parameters).filter(([name, value]) => value !== defaults[name] && defaults[name] !== null);
}

function again(
  { n, loss = 0, multicastLoss = 0, crash = 0, initiators, topology }: PlanRequest,
  first: Candidate,
): string[] {
  const options = [
    `--n ${n}`,
    ...(topology === undefined ? [] : [`--topology ${topology}`]),
    ...(initiators === undefined ? [] : [`--initiators ${initiators}`]),
    ...(loss > 0 ? [`--loss ${loss}`] : []),
    ...(multicastLoss > 0 ? [`--multicast-loss ${multicastLoss}`] : []),
    ...(crash > 0 ? [`--crash ${crash}`] : []),
    ...chosen(first, n).map(([name, value]) => `--param ${name}=${value}`),
  ];
  return [
    "  messages and rounds are means, as «simulate» counts them (a multicast is one message); delays: message delays",
    ...(topology === undefined
      ? []
      : ["  messages to random processes cross many links of this network, which the order takes into account"]),
    `  try the first: sortition simulate ${first.protocol} ${options.join(" ")}`,
  ];
}

function simulated({ protocol, verified }: Candidate): string[] {
  if (verified === null) return [];
  const { trials, success, messages, rounds } = verified;
  const range = (low: number | null, high: number | null) => `${figure(low)} to ${figure(high)}`;
  return [
    `  ${protocol}: ${figure(trials)} trials, success ${percent(success.rate)} (${percent(success.low)} to ${percent(success.high)}), ` +
      `messages ${range(messages.low, messages.high)}, rounds ${range(rounds.low, rounds.high)}`,
  ];
}

/** Protocols with the same reason share a line. */
function reasons(rejected: Plan["rejected"], width: number | null): string[] {
  const byReason = new Map<string, string[]>();
  for (const { protocol, reason } of rejected) byReason.set(reason, [...(byReason.get(reason) ?? []), protocol]);
  return [...byReason].flatMap(([reason, names]) =>
    wrap(`${names.join(", ")}: ${reason}`, (width ?? Number.POSITIVE_INFINITY) - 4).map(
      (line, i) => `${i === 0 ? "  " : "    "}${line}`,
    ),
  );
}
