/** What a campaign found, as the one JSON object of `simulate --json`: its fields and their order are a promise. */
import type { FaultPlan } from "../host/faults/faults.ts";
import type { Outcome } from "../protocol.ts";
import type { Params } from "../protocols/parameters.ts";
import type { Expected } from "../simulation/question.ts";
import { type HostName, type Request, requestOf, type Settings } from "../simulation/settings.ts";
import { version } from "../version.ts";
import type { Summary } from "./distribution.ts";
import { CONFIDENCE, type Rate, rateOf } from "./intervals.ts";
import { contradicts, FEW_TRIALS, hangsOnFew, type Precision } from "./precision.ts";
import type { TrialTally } from "./tally.ts";

export type { Rate, Summary };

/** What a campaign found: outcomes, and means of messages, rounds, bits and measures with their intervals. */
export interface Report {
  readonly version: string;
  readonly protocol: string;
  readonly host: HostName;
  readonly kernel: string | null;
  readonly n: number;
  /** How many trials were counted: fewer than asked for where `partial`. They are the first ones, 0 to trials-1, unless others were asked for. */
  readonly trials: number;
  readonly seed: number;
  readonly topology: string;
  readonly parameters: Params;
  readonly faults: FaultPlan;
  readonly partial: boolean;
  readonly confidence: number;
  readonly outcomes: Readonly<Record<Outcome, number>>;
  readonly success: Rate;
  readonly messages: Summary;
  readonly rounds: Summary;
  readonly bits: Summary;
  readonly measures: Readonly<Record<string, Summary>>;
  /** The mean per round over all trials; a trial that ended earlier counts as 0. */
  readonly series: Readonly<Record<string, readonly number[]>>;
  /** Wall time of the trials, without start-up. */
  readonly seconds: number;
  readonly messagesPerSecond: number | null;
  /** Everything that was chosen: given to `simulate` again, with as many `trials`, it leads to the same numbers. */
  readonly setting: Request;
  /** What exact theory expects of `success`, `messages` and `rounds`; only where there is one, and a check was asked for. */
  readonly theory?: Expected;
  /** Means that are not to be trusted, in sentences; only where there are some, and a check was asked for. */
  readonly warnings?: readonly string[];
  /** Only where a precision was asked for. */
  readonly precision?: Precision;
}

export function reportOf(settings: Settings, tally: TrialTally, seconds: number, partial: boolean): Report {
  const { trials, outcomes } = tally;
  return {
    version,
    protocol: settings.protocol.name,
    host: settings.host,
    kernel: settings.kernel,
    n: settings.n,
    trials,
    seed: settings.seed,
    topology: settings.topology,
    parameters: settings.params,
    faults: settings.faults,
    partial,
    confidence: CONFIDENCE,
    outcomes: { ...outcomes },
    success: rateOf(outcomes.one, trials),
    messages: tally.messages.summary(),
    rounds: tally.rounds.summary(),
    bits: tally.bits.summary(),
    measures: Object.fromEntries([...tally.measures].map(([name, distribution]) => [name, distribution.summary()])),
    series: Object.fromEntries(
      [...tally.series].map(([name, sums]) => [name, sums.map((sum) => sum.value() / trials)]),
    ),
    seconds,
    messagesPerSecond: seconds > 0 ? tally.messages.total() / seconds : null,
    setting: requestOf(settings),
  };
}

/**
 * What a reader should know before trusting a mean. Student's interval supposes that many trials make up the spread: where a rare
 * trial costs a thousand times as much as the others, a campaign that saw one of them has an interval that is off, and one that saw
 * none has a narrow interval around the wrong mean, which only theory can tell.
 * Few: of messages, since what a trial costs has no limit.
 */
export function warningsOf(tally: TrialTally, theory: Expected | null): string[] {
  const few = hangsOnFew(tally.messages)
    ? [
        `the mean of messages hangs on few trials: its spread comes from as many as ${tally.messages.carriers()!.toFixed(1)} would make, and below ${FEW_TRIALS} its interval is not to be trusted; run more trials`,
      ]
    : [];
  const contradicted = (["messages", "rounds"] as const).flatMap((name) => {
    const expected = theory?.[name] ?? null;
    if (expected === null || !contradicts(tally[name].summary(), expected)) return [];
    return [
      `exact theory expects ${Number(expected.toPrecision(5))} ${name}, far outside the interval of the mean: trials that are rare and costly are missing or too many in this sample; run more trials`,
    ];
  });
  return [...few, ...contradicted];
}
