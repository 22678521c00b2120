/** A sweep in the page: the same trials as `sortition sweep`, in turns, so that all points are there early and narrow together. */

import { InputError } from "../../src/errors.ts";
import { findProtocol } from "../../src/protocols/registry.ts";
import { axisOf, type SweepAxis } from "../../src/simulation/axis.ts";
import { theoryOf } from "../../src/simulation/expected.ts";
import { resolve, type Settings } from "../../src/simulation/settings.ts";
import { runTrial } from "../../src/simulation/trial.ts";
import { rateOf } from "../../src/statistics/intervals.ts";
import { Tally } from "../../src/statistics/tally.ts";
import { isNumber } from "../../src/values.ts";
import type { Fields, SweepAsked, SweepPoint } from "../run/types.ts";
import { checkCost, DEFAULTS, MOST_NODES, quoted, requestOf } from "./fields.ts";

const MOST_POINTS = 200;
const MOST_TRIALS = 100_000;
/** Of one trial: nothing can be stopped in the middle of it. */
const MOST_MESSAGES = 2_000_000;
/** Trials of one point before the others have their turn; it doubles, so that the last rounds are long. */
const FIRST_TURN = 4;

interface Running {
  readonly protocol: string;
  readonly x: number | string;
  readonly settings: Settings;
  readonly theory: SweepPoint["theory"];
  readonly tally: Tally;
}

export class RunningSweep {
  readonly command: string;
  readonly of: number;
  done = 0;
  /** What cannot be run is left out, and said. */
  readonly problem: string | null;
  private readonly points: Running[] = [];
  private readonly trials: number;

  constructor(asked: SweepAsked) {
    const { protocols, vary, trials } = asked;
    if (protocols.length === 0) throw new InputError("choose at least one protocol");
    if (!Number.isSafeInteger(trials) || trials < 2 || trials > MOST_TRIALS) {
      throw new InputError(`the number of elections must be from 2 to ${MOST_TRIALS}, not ${trials}`);
    }
    this.trials = trials;
    const axis = axisOf(
      vary,
      protocols.map((name) => findProtocol(name).protocol),
    );
    // Defaults differ between the page and the command line: what a number depends on is said in full.
    const fields = { ...(axis.name === "n" ? {} : { n: DEFAULTS.n }), seed: DEFAULTS.seed, ...asked.fields };
    const problems: string[] = [];
    for (const x of axis.values) {
      for (const protocol of protocols) {
        try {
          this.points.push(pointAt(protocol, fields, axis, x));
        } catch (error) {
          if (!(error instanceof InputError)) throw error;
          problems.push(`${protocol} at ${axis.name} = ${x}: ${error.message}`);
        }
      }
    }
    if (this.points.length === 0) throw new InputError(problems[0] ?? "there is nothing to run");
    if (this.points.length > MOST_POINTS) {
      throw new InputError(`a sweep of ${this.points.length} points is too much for a page: at most ${MOST_POINTS}`);
    }
    this.problem = problems.length === 0 ? null : problems.slice(0, 3).join("; ");
    this.of = this.points.length * trials;
    this.command = commandOf({ ...asked, fields });
  }

  /** Yields after each trial. */
  *run(): Generator<void> {
    for (let turn = FIRST_TURN; this.done < this.of; turn *= 2) {
      for (const { settings, tally } of this.points) {
        const until = Math.min(this.trials, tally.trials + turn);
        while (tally.trials < until) {
          tally.add(runTrial(settings, tally.trials));
          this.done++;
          yield;
        }
      }
    }
  }

  get quantities(): string[] {
    const measures = new Set(this.points.flatMap(({ tally }) => [...tally.measures.keys()]));
    return ["messages", "rounds", "success", "bits", ...[...measures].sort().map((name) => `measures.${name}`)];
  }

  soFar(): SweepPoint[] {
    return this.points
      .filter(({ tally }) => tally.trials > 0)
      .map(({ protocol, x, tally, theory }) => ({
        protocol,
        x,
        theory,
        trials: tally.trials,
        values: valuesOf(tally),
      }));
  }
}

function pointAt(protocol: string, fields: Fields, axis: SweepAxis, x: string): Running {
  const name = axis.field === null ? `param.${axis.name}` : axis.name;
  const request = requestOf({ ...fields, protocol, [name]: x });
  if (Number(request.n) > MOST_NODES) throw new InputError("a page runs at most a million processes");
  const settings = resolve(request);
  checkCost(settings, MOST_MESSAGES);
  return { protocol, x: isNumber(x) ? Number(x) : x, settings, theory: theoryOf(settings), tally: new Tally() };
}

/** As a report has them. */
function valuesOf(tally: Tally): SweepPoint["values"] {
  const { rate, low, high } = rateOf(tally.outcomes.one, tally.trials);
  const summaries = {
    messages: tally.messages,
    rounds: tally.rounds,
    bits: tally.bits,
    ...Object.fromEntries([...tally.measures].map(([name, distribution]) => [`measures.${name}`, distribution])),
  };
  const means = Object.entries(summaries).map(([name, distribution]) => {
    const summary = distribution.summary();
    return [name, { mean: summary.mean, low: summary.low, high: summary.high }] as const;
  });
  return { success: { mean: rate, low, high }, ...Object.fromEntries(means) };
}

function commandOf({ protocols, vary, trials, fields }: SweepAsked): string {
  const flags = Object.entries(fields).flatMap(([name, value]) =>
    name.startsWith("param.") ? ["--param", quoted(`${name.slice(6)}=${value}`)] : [`--${name}`, quoted(value)],
  );
  return ["sortition sweep", protocols.join(","), "--vary", quoted(vary), ...flags, "--trials", trials].join(" ");
}
