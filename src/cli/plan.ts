/** `sortition plan`: which protocol, with which numbers, and how sure can I be? */
import { availableParallelism } from "node:os";
import type { Command } from "commander";
import { campaign } from "../campaign/campaign.ts";
import { flagOf } from "../flags.ts";
import { type Candidate, type Plan, plan, stepsOf, VERIFIED } from "../planner/plan.ts";
import { checkPlan, PLAN } from "../planner/setting.ts";
import type { AnyProtocol, ParameterValue } from "../protocol.ts";
import { resolveParameters } from "../protocols/parameters.ts";
import { type Found, findProtocol } from "../protocols/registry.ts";
import { delaysOf } from "../registry/all.ts";
import type { Setting } from "../registry/planning.ts";
import { type Given, pick } from "../setting.ts";
import { RATES } from "../simulation/table.ts";
import { ratesText } from "./fault-text.ts";
import { figure, percent, plural, rateRange } from "./figures.ts";
import { examples } from "./help.ts";
import { addSettings, jsonOption } from "./options.ts";
import { protocolFileOption, protocolFrom } from "./protocol-file.ts";
import { StepBar } from "./step-bar.ts";
import { type Column, table, wrap } from "./table.ts";
import { type Paint, painter, print, terminalWidth } from "./terminal.ts";
import { chance } from "./theory.ts";

interface PlanCommand extends Given<typeof PLAN> {
  readonly protocolFile?: string;
  readonly verify?: true;
  readonly json?: true;
}

export function define(command: Command): void {
  command.description(
    "For every protocol that can elect one leader with the probability you ask for: parameters that reach it, and what to expect. Sample sizes grow beyond those of the papers where these are too small. The rest are listed with the reason.",
  );
  addSettings(command.addOption(protocolFileOption()), PLAN)
    .option("--verify", `simulate the first ${VERIFIED} and show 95% intervals beside the predictions`)
    .addOption(jsonOption())
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

async function run({ json, protocolFile, ...given }: PlanCommand): Promise<void> {
  const own = protocolFile === undefined ? null : await protocolFrom(undefined, protocolFile);
  const request = { ...given, protocols: own === null ? [] : [own.protocol] };
  const setting = checkPlan(request);
  const bar = new StepBar(process.stderr, stepsOf(request));
  const threads = availableParallelism();
  const result = await plan(request, {
    run: (settings, options) => campaign(settings, { ...options, threads }),
    onProgress: (done, what) => bar.show(done, what),
  }).finally(() => bar.clear());
  print(json ? JSON.stringify(result) : forPeople(setting, result, painter(process.stdout), own, protocolFile));
}

function forPeople(
  setting: Setting,
  { candidates, rejected }: Plan,
  paint: Paint,
  own: Found | null,
  file: string | undefined,
): string {
  const protocolOf = ({ protocol: name }: Candidate) =>
    own?.protocol.name === name ? own.protocol : findProtocol(name).protocol;
  const heading = (line: string) => paint("bold", line);
  const verified = candidates.some((candidate) => candidate.verified !== null);
  const right = (title: string): Column => ({ title, align: "right" });
  const columns = [
    { title: "protocol" },
    ...["messages", "rounds", "delays", "none", setting.council === null ? "several" : "too many"].map(right),
    { title: "method" },
    { title: "parameters", wrap: true },
  ];
  const rows = candidates.map((candidate) => [
    candidate.protocol,
    figure(candidate.messages < 100 ? candidate.messages : Math.round(candidate.messages)),
    figure(Number(candidate.rounds.toPrecision(3))),
    figure(Number(delaysOf(protocolOf(candidate), candidate.rounds, candidate.parameters, setting.n).toPrecision(3))),
    chance(Number(candidate.pNone.toPrecision(2))),
    chance(Number(candidate.pMany.toPrecision(2))),
    candidate.method,
    parametersText(candidate, protocolOf(candidate), setting.n),
  ]);
  const width = terminalWidth();
  return [
    paint("bold", title(setting)),
    "",
    ...(candidates.length === 0
      ? [paint("yellow", "No protocol here meets this: the reasons below say what each of them can do.")]
      : [
          table(columns, rows, { width, heading, indent: 2 }),
          "",
          ...again(setting, candidates[0], protocolOf(candidates[0]), file),
        ]),
    ...(verified ? ["", heading("Simulated, with 95% intervals"), ...candidates.flatMap(simulated)] : []),
    "",
    heading("Not for this"),
    ...reasons(rejected, width),
  ].join("\n");
}

function title({ n, success, council, topology, latency, ...rates }: Setting): string {
  const what = council === null ? "One leader" : `A council of ${council.L} to ${council.U}`;
  return [
    `${what} among ${plural(n, "process", "processes")} with probability ${success}`,
    ratesText(rates, String) || "no faults",
    ...(topology === "complete" ? [] : [`on ${topology}`]),
    ...(latency === Infinity ? [] : [`within ${latency} message delays`]),
  ].join("; ");
}

/** Only what differs from the defaults: what a user has to type. */
function parametersText(candidate: Candidate, protocol: AnyProtocol, n: number): string {
  return (
    chosen(candidate, protocol, n)
      .map(([name, value]) => `${name}=${value}`)
      .join(" ") || "defaults"
  );
}

function chosen({ parameters }: Candidate, protocol: AnyProtocol, n: number): [string, ParameterValue][] {
  const defaults = resolveParameters(protocol, {}, n);
  return Object.entries(parameters).filter(([name, value]) => value !== defaults[name] && defaults[name] !== null);
}

function again(
  { n, initiators, topology, ...rates }: Setting,
  first: Candidate,
  protocol: AnyProtocol,
  file: string | undefined,
): string[] {
  const given = Object.entries({
    n,
    ...(topology === "complete" ? {} : { topology }),
    ...(initiators === n ? {} : { initiators }),
    ...pick(RATES, rates),
  }).filter(([, value]) => value !== 0);
  const options = [
    ...given.map(([name, value]) => `${flagOf(name)} ${value}`),
    ...chosen(first, protocol, n).map(([name, value]) => `--param ${name}=${value}`),
  ];
  return [
    '  messages and rounds are means, as "simulate" counts them (a multicast is one message); delays: message delays',
    ...(topology === "complete"
      ? []
      : ["  messages to random processes cross many links of this network, which the order takes into account"]),
    `  try the first: sortition simulate ${findProtocol(protocol).source === first.protocol ? first.protocol : `--protocol-file ${file}`} ${options.join(" ")}`,
  ];
}

function simulated({ protocol, verified }: Candidate): string[] {
  if (verified === null) return [];
  const { trials, success, messages, rounds } = verified;
  const range = (low: number | null, high: number | null) => `${figure(low)} to ${figure(high)}`;
  return [
    `  ${protocol}: ${figure(trials)} trials, success ${percent(success.rate)} (${rateRange(success)}), ` +
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
