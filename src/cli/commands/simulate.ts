/** `sortition simulate PROTOCOL`: a campaign of trials from options to a report. */
import type { Command } from "commander";
import { campaign, lengthOf } from "../../campaign/campaign.ts";
import { InputError } from "../../errors.ts";
import { pick } from "../../setting.ts";
import { LENGTH } from "../../settings/simulation.ts";
import { delayText } from "../../settings/simulation-kinds.ts";
import { requestOf, resolve, type Settings, written } from "../../simulation/settings.ts";
import type { Summary } from "../../statistics/distribution.ts";
import type { Report } from "../../statistics/report.ts";
import { checkFiles, writeOutput } from "../files.ts";
import { onInterrupt } from "../interrupt.ts";
import type { Io } from "../io.ts";
import { addSettings, forceOption, jsonOption, paramOption } from "../options/options.ts";
import { protocolFileOption, protocolFrom } from "../options/protocol-file.ts";
import {
  ALL_SETTINGS,
  addQueueOptions,
  faultsOption,
  queueFrom,
  requestFrom,
  type SimulateOptions,
  threadsOf,
} from "../options/request.ts";
import { checkStatement, lineOf, statementOption, writeStatement } from "../options/statement.ts";
import { faultText, figure, percent, plural, rateRange } from "../text/figures.ts";
import { ProgressBar } from "../text/progress.ts";
import { rightColumn, table } from "../text/table.ts";
import { examples, type Paint, painter, print } from "../text/terminal.ts";

export function define(command: Command, io: Io): void {
  command
    .description(
      "Runs elections on a simulated network and reports outcomes, messages, rounds and bits with 95% confidence intervals. The same seed gives the same numbers, whatever the number of threads.",
    )
    .argument("[protocol]", 'its name; "sortition protocols" lists them')
    .addOption(protocolFileOption());
  addQueueOptions(addSettings(command, ALL_SETTINGS))
    .addOption(faultsOption())
    .addOption(paramOption())
    .option("--out <file>", "also write a row for each trial, as .csv, .jsonl or .parquet")
    .option(
      "--shard <i/k>",
      "run the i-th of k stretches of the trials alone, and write them to --out for sortition merge",
    )
    .addOption(statementOption())
    .option("--trace <file>", 'also record the first trial, event by event, for "sortition trace"')
    .addOption(forceOption())
    .addOption(jsonOption())
    .addHelpText(
      "after",
      examples(
        [
          ["sortition simulate chang-roberts --n 1000", "100 elections on a ring of 1000"],
          [
            "sortition simulate chang-roberts --n 64 --ids decreasing --trials 1",
            "the worst case: n(n+1)/2 + n messages",
          ],
          [
            "sortition simulate chang-roberts --delay exp:1 --param passive=join --initiators 10% --json",
            "asynchronous, few initiators, for a program",
          ],
        ],
        "docs/simulate.md",
      ),
    )
    .action(simulate.bind(null, io));
}

/** The first trial with everything that happens in it; the campaign counts the same trial again. */
async function recordFirst(settings: Settings, file: string): Promise<void> {
  const [{ traceText }, { traceTrial }] = await Promise.all([
    import("../../trace/file.ts"),
    import("../../trace/replay.ts"),
  ]);
  const { events } = traceTrial(settings, 0);
  writeOutput(file, traceText({ trace: "simulation", settings: written(settings), trial: 0 }, events));
}

/** So many events of a small network without an end: then a protocol lasts, however fast the machine is. */
const LASTING_EVENTS = 100_000;
const FEW_NODES = 4;

/** A protocol that lasts never comes to an end by itself, which a long election does: a run of few nodes tells them apart. */
export async function lasts(settings: Settings): Promise<boolean> {
  const { openTrial } = await import("../../simulation/trial.ts");
  try {
    const few = resolve({ ...requestOf(settings), protocol: settings.protocol, n: Math.min(settings.n, FEW_NODES) });
    const run = openTrial(few, 0);
    for (let event = 0; event < LASTING_EVENTS; event++) if (run.step() === null) return false;
    return true;
  } catch (error) {
    // Settings that do not fit so few nodes say nothing.
    if (error instanceof InputError) return false;
    throw error;
  }
}

const remindOfHorizon = (io: Io, settings: Settings) =>
  setTimeout(async () => {
    if (await lasts(settings))
      io.stderr.write("sortition: no run has ended in 10 s; a protocol that lasts needs --until TIME\n");
  }, 10_000);

/** One stretch of the trials, on this machine alone. */
async function simulateShard(io: Io, settings: Settings, options: SimulateOptions): Promise<void> {
  const { runShard, shardOf } = await import("../../campaign/shards.ts");
  const shard = shardOf(options.shard!);
  if (options.out === undefined) throw new InputError("--shard needs --out FILE: where to write the part");
  const alone = {
    "--precision": options.precision,
    "--nats": options.nats,
    "--trace": options.trace,
    "--statement": options.statement,
  };
  const other = Object.entries(alone).find(([, value]) => value !== undefined && value !== null);
  if (other !== undefined) throw new InputError(`--shard does not go with ${other[0]}: leave one of them out`);
  const { trials } = lengthOf(options);
  const interrupt = onInterrupt(io);
  const progress = new ProgressBar(io.stderr, "trials");
  try {
    const ran = await runShard(settings, trials, shard, options.out, {
      threads: threadsOf(io, options),
      signal: interrupt.signal,
      onProgress: (done, of) => progress.show(done, of, ""),
    });
    if (ran.partial) {
      io.stderr.write("sortition: interrupted, and a part is written only when it is complete\n");
      io.exitCode = 130;
      return;
    }
    const { first, count } = ran;
    if (options.json) print(io, JSON.stringify({ shard, trials, first, count, out: options.out }));
    else print(io, `shard ${options.shard}: ${count} of ${trials} trials, from number ${first}, in ${options.out}`);
  } finally {
    progress.clear();
    interrupt.stop();
  }
}

async function simulate(io: Io, name: string | undefined, options: SimulateOptions, command: Command): Promise<void> {
  const started = new Date();
  checkFiles(
    { "--faults": options.faults },
    { "--out": options.out, "--trace": options.trace, "--statement": options.statement },
    options.force,
  );
  checkStatement(options.statement);
  const { source } = await protocolFrom(name, options.protocolFile);
  const settings = resolve(requestFrom(source!, options));
  const length = { ...pick(LENGTH, options), threads: threadsOf(io, options) };
  if (options.shard !== undefined) return simulateShard(io, settings, options);
  // What only some runs need is loaded for them alone.
  if (options.trace !== undefined) await recordFirst(settings, options.trace);
  const rows = options.out === undefined ? null : await (await import("../../campaign/rows.ts")).openRows(options.out);
  const queue = await queueFrom(io, options);
  const progress = new ProgressBar(io.stderr, "trials");
  const interrupt = onInterrupt(io);
  // Over a queue a silence has other reasons, which are said.
  const reminder = settings.until === undefined && queue === null ? remindOfHorizon(io, settings) : undefined;
  let report: Report;
  try {
    report = await campaign(settings, {
      ...length,
      ...(queue === null ? {} : { pool: queue }),
      check: true,
      signal: interrupt.signal,
      onProgress: (done, of) => {
        if (done > 0) clearTimeout(reminder);
        progress.show(done, of, queue === null ? "" : `${queue.threads} threads of workers`);
      },
      ...(rows === null ? {} : { onTrials: (some) => rows.write(some) }),
    });
    rows?.finish();
  } catch (error) {
    rows?.discard();
    throw error;
  } finally {
    clearTimeout(reminder);
    progress.clear();
    interrupt.stop();
    await queue?.close();
  }
  if (options.statement !== undefined) {
    const { seconds: _, messagesPerSecond: __, ...numbers } = report;
    writeStatement(options.statement, {
      command: lineOf(command),
      started,
      seeds: [report.seed],
      trials: report.trials,
      partial: report.partial,
      results: JSON.stringify(numbers),
      files: [options.faults, options.out, options.trace].filter((file) => file !== undefined),
    });
  }
  print(io, options.json ? JSON.stringify(report) : summary(report, settings, options.out ?? null, painter(io.stdout)));
  if (interrupt.signal.aborted) io.exitCode = 130;
}

// A report for people: what was run, how it ended, what it cost.

export function summary(report: Report, settings: Settings, out: string | null, paint: Paint): string {
  return [
    ...(report.partial ? [paint("yellow", "Interrupted: this counts only the trials that had ended."), ""] : []),
    `${paint("bold", report.protocol)}: ${plural(report.trials, "trial")} on ${networkWords(report.topology)} of ${plural(report.n, "process", "processes")}`,
    ...facts(settings).map(([key, value]) => `  ${key.padEnd(10)}  ${value}`),
    "",
    outcomes(report, paint),
    "",
    costs(report, paint),
    "",
    ...theoryLine(report),
    ...(report.warnings ?? []).map((warning) => paint("yellow", `Careful: ${warning}.`)),
    ...precisionLine(report, paint),
    `${plural(report.trials, "trial")} in ${duration(report.seconds)} s, ${figure(Math.round(report.messagesPerSecond ?? 0))} messages a second`,
    ...(out === null ? [] : [`A row for each trial is in ${out}`]),
  ].join("\n");
}

const networkWords = (topology: string) =>
  topology === "complete" ? "a complete network" : topology === "open" ? "an open network" : `a ${topology}`;

function facts(settings: Settings): [string, string][] {
  const { host, delay, fifo, kernel, ids, initiators, params, seed } = settings;
  const anonymous = settings.protocol.assumes.identity === "anonymous";
  const order = fifo ? "links keep order" : "links do not keep order";
  const parameters = Object.entries(params).map(([key, value]) => `${key}=${value}`);
  return [
    ["host", host === "lockstep" ? "lock-step rounds" : `events, delay ${delayText(delay)}, ${order}`],
    ...(kernel === null ? [] : [["kernel", kernel] as [string, string]]),
    ["ids", anonymous ? "none, it is anonymous" : typeof ids === "string" ? ids : ids.join(", ")],
    ["initiators", initiators === "all" ? "all" : figure(initiators)],
    ["parameters", parameters.join(", ") || "none"],
    ["faults", faultText(settings.faults, percent)],
    ["seed", String(seed)],
  ];
}

function outcomes({ outcomes, success, confidence }: Report, paint: Paint): string {
  const { one, none, many } = outcomes;
  const colour = none + many === 0 ? "green" : "yellow";
  const interval = `${rateRange(success)} with ${percent(confidence)} confidence`;
  return [
    `Success ${paint(colour, percent(success.rate))} (${interval})`,
    `  ${figure(one)} with one leader, ${figure(none)} with none, ${figure(many)} with several`,
  ].join("\n");
}

function costs({ messages, rounds, bits, measures, confidence }: Report, paint: Paint): string {
  const columns = [
    { title: "per trial" },
    ...["mean", `${percent(confidence)} interval`, "sd", "min", "p50", "p90", "p99", "max"].map(rightColumn),
  ];
  const rows = Object.entries({ messages, rounds, bits, ...measures }).map(([name, values]) => row(name, values));
  return table(columns, rows, { heading: (line) => paint("bold", line) });
}

function row(name: string, { mean, low, high, sd, min, p50, p90, p99, max }: Summary): string[] {
  const interval = low === null || high === null ? "-" : `${figure(low)} to ${figure(high)}`;
  return [name, figure(mean), interval, ...[sd, min, p50, p90, p99, max].map(figure)];
}

function theoryLine({ theory }: Report): string[] {
  if (theory === undefined) return [];
  const parts = ["messages", "rounds"].flatMap((name) =>
    theory[name] == null ? [] : [`${name} ${figure(theory[name])}`],
  );
  return parts.length === 0 ? [] : [`Exact theory: ${parts.join(", ")}`];
}

function precisionLine({ precision, partial }: Report, paint: Paint): string[] {
  if (precision === undefined) return [];
  const { target, messages, success, met } = precision;
  const reached = `messages ±${percent(messages)}, success ±${percent(success)}`;
  if (met || partial) return [`Precision: ${reached} (asked for: ±${percent(target)})`];
  return [paint("yellow", `Precision not reached: ${reached}, not ±${percent(target)}; raise --trials`)];
}

const duration = (seconds: number): string => (seconds < 10 ? seconds.toPrecision(2) : figure(Math.round(seconds)));
