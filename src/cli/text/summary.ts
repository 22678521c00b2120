/** A report for people: what was run, how it ended, what it cost. */

import { delayText } from "../../settings/simulation-kinds.ts";
import type { Settings } from "../../simulation/settings.ts";
import type { Summary } from "../../statistics/distribution.ts";
import type { Report } from "../../statistics/report.ts";
import { faultText } from "./faults.ts";
import { figure, percent, plural, rateRange } from "./figures.ts";
import { type Column, table } from "./table.ts";
import type { Paint } from "./terminal.ts";

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
  const right = (title: string): Column => ({ title, align: "right" });
  const columns = [
    { title: "per trial" },
    ...["mean", `${percent(confidence)} interval`, "sd", "min", "p50", "p90", "p99", "max"].map(right),
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
