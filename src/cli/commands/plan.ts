/** `sortition plan`: which protocol, with which numbers, and how sure can I be? */
import type { Command } from "commander";
import { campaign } from "../../campaign/campaign.ts";
import { flagOf } from "../../errors.ts";
import type { Candidate } from "../../planner/candidate.ts";
import { type Plan, plan, planSteps, VERIFIED } from "../../planner/plan.ts";
import { checkPlan, PLAN } from "../../planner/setting.ts";
import type { AnyProtocol, ParameterValue } from "../../protocol.ts";
import { catalogue } from "../../protocols/catalogue.ts";
import { resolveParameters } from "../../protocols/parameters.ts";
import { type Found, findProtocol } from "../../protocols/registry.ts";
import { measuredText } from "../../registry/measured.ts";
import type { PlanSetting } from "../../registry/planning.ts";
import { type Given, pick } from "../../setting.ts";
import { RATES } from "../../settings/simulation.ts";
import { FAN_OUT_LIMIT } from "../../theory/gupta/rumour.ts";
import type { Io } from "../io.ts";
import { addSettings, jsonOption } from "../options/options.ts";
import { protocolFileOption, protocolFrom } from "../options/protocol-file.ts";
import { figure, percent, plural, rateRange, ratesText } from "../text/figures.ts";
import { StepBar } from "../text/progress.ts";
import { rightColumn, table, wrap } from "../text/table.ts";
import { examples, type Paint, painter, print, terminalWidth } from "../text/terminal.ts";

interface PlanCommand extends Given<typeof PLAN> {
  readonly protocolFile?: string;
  readonly verify?: true;
  readonly json?: true;
}

export function define(command: Command, io: Io): void {
  command.description(
    "Which protocol to use, with which parameters, and what to expect: say how many you are, what the network loses and how sure you must be. The first line is the advice; then every protocol that can do it, those that no other beats in datagrams, time and risk with a star; then the rest, with the reason. Without --multicast a multicast counts as live members send it: to each of up to 32, by gossip among more.",
  );
  addSettings(command.addOption(protocolFileOption()), PLAN)
    .option("--verify", `simulate the first ${VERIFIED} and show 95% intervals beside the predictions`)
    .addOption(jsonOption())
    .addHelpText(
      "after",
      examples(
        [
          ["sortition plan --n 500 --loss 0.01 --crash 0.001", "500 servers in a cloud"],
          ["sortition plan --n 50 --loss 0.1 --multicast", "50 sensors on a radio, where all hear what one sends"],
          ["sortition plan --n 3 --loss 0.001 --none 0.01 --several 1e-9", "a retry is cheap, two leaders are not"],
          ["sortition plan --topology torus:8x8 --within 400tau", "a network where messages take many hops"],
          ["sortition plan --n 100 --loss 0.01 --within 300ms --tau 50", "a deadline in milliseconds"],
          ["sortition plan --n 1000 --council 4..8 --loss 0.05", "a council instead of a leader"],
          ["sortition plan --n 100 --success 0.99 --loss 0.01 --verify", "predictions beside simulations"],
        ],
        "docs/plan.md",
      ),
    )
    .action(run.bind(null, io));
}

async function run(io: Io, { json, protocolFile, ...given }: PlanCommand): Promise<void> {
  const own = protocolFile === undefined ? null : await protocolFrom(undefined, protocolFile);
  const request = { ...given, protocols: own === null ? [] : [own.protocol] };
  const setting = checkPlan(request);
  const bar = new StepBar(io.stderr, planSteps(request));
  const threads = io.threads;
  const result = await plan(request, {
    run: (settings, options) => campaign(settings, { ...options, threads }),
    onProgress: (done, what) => bar.show(done, what),
  }).finally(() => bar.clear());
  print(io, json ? JSON.stringify(result) : printPlan(io, setting, result, painter(io.stdout), own, protocolFile));
}

// A plan for people: the advice, the candidates, how to try them, and why the rest are none.

function printPlan(
  io: Io,
  setting: PlanSetting,
  { advice, candidates, rejected }: Plan,
  paint: Paint,
  own: Found | null,
  file: string | undefined,
): string {
  const width = terminalWidth(io);
  const heading = (line: string) => paint("bold", line);
  const told = (lines: readonly string[], indent = "") => lines.flatMap((line) => wrapped(line, width, indent));
  const protocolOf = ({ protocol: name }: Candidate) =>
    own?.protocol.name === name ? own.protocol : findProtocol(name).protocol;
  const [first, ...others] = advice.sentences;
  const verified = candidates.some((candidate) => candidate.verified !== null);
  const shown =
    advice.take === null
      ? []
      : [
          "",
          candidateTable(io, setting, candidates, protocolOf, heading),
          "",
          ...told(legend(setting, candidates), "  "),
          ...again(setting, candidates[advice.take], protocolOf(candidates[advice.take]), file),
          ...errorLines(candidates, heading),
        ];
  return [
    heading(title(setting)),
    "",
    ...told([first]).map((line) => paint(advice.take === null ? "yellow" : "bold", line)),
    ...told(others),
    ...shown,
    ...(verified ? ["", heading("Simulated, with 95% intervals"), ...candidates.flatMap(simulated)] : []),
    "",
    heading("Not for this"),
    ...reasons(rejected, width),
  ].join("\n");
}

function candidateTable(
  io: Io,
  { council, success, tau, n }: PlanSetting,
  candidates: readonly Candidate[],
  protocolOf: (candidate: Candidate) => AnyProtocol,
  heading: (line: string) => string,
): string {
  const unit = tau === null ? "delays" : "ms";
  const columns = [
    { title: "" },
    { title: "protocol" },
    ...[
      "datagrams",
      unit,
      wholePercent(success),
      ...(council === null ? ["none", "several"] : ["too few", "too many"]),
    ].map(rightColumn),
    { title: "method" },
    { title: "parameters", wrap: true },
  ];
  const rows = candidates.map((candidate) => {
    const { delays, time } = candidate.milliseconds ?? candidate;
    return [
      candidate.frontier ? "*" : "",
      candidate.protocol + (candidate.warnings.length > 0 ? " !" : ""),
      figure(candidate.datagrams < 100 ? candidate.datagrams : Math.round(candidate.datagrams)),
      figure(Number(delays.toPrecision(3))),
      figure(Number(time.toPrecision(3))),
      chance(candidate.pNone),
      chance(candidate.pMany),
      candidate.method,
      parametersText(candidate, protocolOf(candidate), n),
    ];
  });
  return table(columns, rows, { width: terminalWidth(io), heading, indent: 2 });
}

const multicasting = (candidates: readonly Candidate[]): boolean =>
  candidates.some(({ protocol }) => catalogue.find(({ name }) => name === protocol)?.assumes.multicast === true);

/** Whether it was made for networks in which everybody is linked to everybody. */
const asksRandomly = ({ protocol }: Candidate): boolean =>
  catalogue.find(({ name }) => name === protocol)?.assumes.topology === "complete";

const multicastText = (n: number): string =>
  `without IP multicast (--multicast) a multicast ${n <= FAN_OUT_LIMIT ? "goes to each by itself" : "goes by gossip, as among live members"}: all its copies are counted`;

function legend(
  { n, tau, success, topology, multicast, council }: PlanSetting,
  candidates: readonly Candidate[],
): string[] {
  const average =
    tau === null
      ? "delays: message delays on average"
      : `ms: milliseconds on average, where a message takes at most ${tau}`;
  const warnings = [...new Set(candidates.flatMap((candidate) => candidate.warnings))];
  return [
    "* no other has as few datagrams, is as quick and as safe, and better in one of these",
    ...warnings.map((warning) => `! ${warning}`),
    `${average}; ${wholePercent(success)}: within how many ${council === null ? "exactly one leads" : "the council stands"} with this probability`,
    ...(multicasting(candidates) ? [multicast ? "a multicast is one datagram" : multicastText(n)] : []),
    ...(topology === "complete" || !candidates.some(asksRandomly)
      ? []
      : ["messages to random processes cross many links of this network: all are counted"]),
    ...(candidates.some(({ acknowledged }) => acknowledged)
      ? ["over acknowledged links each message is answered, and sent again until it is: that is counted too"]
      : []),
  ];
}

/** 99.9%, with as many nines as were asked for. */
const wholePercent = (p: number): string => `${Number((100 * p).toPrecision(12))}%`;

const chance = (p: number): string => (p === 0 || p >= 0.001 ? String(Number(p.toPrecision(2))) : p.toExponential(1));

const wrapped = (line: string, width: number | null, indent: string): string[] =>
  wrap(line, (width ?? Number.POSITIVE_INFINITY) - indent.length).map((part) => indent + part);

function title({ n, council, topology, within, latency, tau, ...setting }: PlanSetting): string {
  const { success, none, several, loss, multicastLoss, crash, multicast, reliable } = setting;
  const what = council === null ? "One leader" : `A council of ${council.L} to ${council.U}`;
  const rates = { loss, crash, multicastLoss: multicastLoss === loss ? 0 : multicastLoss };
  return [
    `${what} among ${plural(n, "process", "processes")} with probability ${success}`,
    ...(none < 1 ? [`none at most ${none}`] : []),
    ...(several < 1 ? [`several at most ${several}`] : []),
    ratesText(rates, String) || "no faults",
    ...(topology === "complete" ? [] : [`on ${topology}`]),
    ...(multicast ? ["with IP multicast"] : []),
    ...(reliable ? ["acknowledged links allowed"] : []),
    ...(within === Infinity ? [] : [`within ${tau === null ? `${within} message delays` : `${within * tau} ms`}`]),
    ...(latency === Infinity ? [] : [`within ${latency} message delays on average`]),
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

/** What approximations may be off. */
function errorLines(candidates: readonly Candidate[], heading: (line: string) => string): string[] {
  const near = new Set(candidates.filter(({ method }) => method === "approximation").map(({ protocol }) => protocol));
  const lines = [...near].flatMap((protocol) => {
    const text = measuredText(protocol);
    return text === null ? [] : [`  ${protocol}: ${text}`];
  });
  return lines.length === 0 ? [] : ["", heading("Errors of approximations"), ...lines];
}

/** The rates are those that its messages meet: a simulation knows neither copies nor links that acknowledge. */
function again(
  { n, initiators, topology }: PlanSetting,
  taken: Candidate,
  protocol: AnyProtocol,
  file: string | undefined,
): string[] {
  const given = Object.entries({
    n,
    ...(topology === "complete" ? {} : { topology }),
    ...(initiators === n ? {} : { initiators }),
    ...pick(RATES, taken.rates),
  }).filter(([name, value]) => value !== 0 && !(name === "multicastLoss" && !protocol.assumes.multicast));
  const options = [
    ...given.map(
      ([name, value]) => `${flagOf(name)} ${typeof value === "number" ? Number(value.toPrecision(6)) : value}`,
    ),
    ...chosen(taken, protocol, n).map(([name, value]) => `--param ${name}=${value}`),
  ];
  const source = findProtocol(protocol).source === taken.protocol ? taken.protocol : `--protocol-file ${file}`;
  return [`  try it: sortition simulate ${source} ${options.join(" ")}`];
}

function simulated({ protocol, verified }: Candidate): string[] {
  if (verified === null) return [];
  const { trials, success, messages, time } = verified;
  const range = (low: number | null, high: number | null) => `${figure(low)} to ${figure(high)}`;
  return [
    `  ${protocol}: ${figure(trials)} trials, success ${percent(success.rate)} (${rateRange(success)}), ` +
      `messages ${range(messages.low, messages.high)}, delays ${figure(time.p50)} (half of them), ${figure(time.p99)} (99%), ${figure(time.max)} (all)`,
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
