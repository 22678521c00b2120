/** A sweep in the page: the same trials as `sortition sweep`, in turns, so that all points are there early and narrow together. */
import { InputError } from "../../src/errors.ts";
import { findProtocol } from "../../src/protocols/registry.ts";
import { SETTINGS } from "../../src/settings/simulation.ts";
import { axisOf, type SweepAxis } from "../../src/simulation/axis.ts";
import { theoryOf } from "../../src/simulation/question.ts";
import { resolve, type Settings } from "../../src/simulation/settings.ts";
import { runTrial, type Trial } from "../../src/simulation/trial.ts";
import { rateOf } from "../../src/statistics/intervals.ts";
import { TrialTally } from "../../src/statistics/tally.ts";
import { isNumber } from "../../src/values.ts";
import type { Fields, SweepAsked, SweepPoint } from "../run/types.ts";
import { commandLine, PARAM } from "./command.ts";
import { completed, requestOf } from "./fields.ts";
import { checkCost, checkSize } from "./limits.ts";
import { choiceOf } from "./own.ts";
import { trialInTurns } from "./turns.ts";

const MOST_POINTS = 200;
const MOST_TRIALS = 100_000;
/** Reading a longer list of values would itself take long. */
const LONGEST_VARY = 4_000;
const MOST_MESSAGES_OF_A_TRIAL = 2_000_000;
/** Trials of one point before the others have their turn; it doubles, so that the last rounds are long. */
const FIRST_TURN = 4;
/** A point whose first trial was longer, in turns, has its other trials in turns, too: that is slower, but can be stopped. */
const SHORT = 20;

interface Running {
  readonly protocol: string;
  readonly x: number | string;
  readonly settings: Settings;
  readonly theory: SweepPoint["theory"];
  readonly tally: TrialTally;
  isShort: boolean;
}

export class RunningSweep {
  /** How many trials there are to be in all. */
  of: number;
  done = 0;
  private readonly asked: SweepAsked;
  private readonly axis: SweepAxis;
  /** Defaults differ between the page and the command line: what a number depends on is said in full. */
  private readonly fields: Fields;
  private readonly points: Running[] = [];
  /** What cannot be run is left out, and said. */
  private readonly problems: string[] = [];
  /** By protocol, the values at which it runs. */
  private readonly values = new Map<string, string[]>();

  constructor(asked: SweepAsked) {
    const { protocols, vary, trials } = asked;
    if (protocols.length === 0) throw new InputError("choose at least one protocol");
    if (!Number.isSafeInteger(trials) || trials < 2 || trials > MOST_TRIALS) {
      throw new InputError(`the number of elections must be from 2 to ${MOST_TRIALS}, not ${trials}`);
    }
    if (vary.length > LONGEST_VARY) throw new InputError("what varies is a list that is too long for a page");
    this.asked = asked;
    this.axis = axisOf(
      vary,
      protocols.map((name) => findProtocol(choiceOf(name)).protocol),
    );
    const points = this.axis.values.length * protocols.length;
    if (points > MOST_POINTS) {
      throw new InputError(`a sweep of ${points} points is too much for a page: at most ${MOST_POINTS}`);
    }
    if (this.varied in asked.fields) {
      throw new InputError(`${this.axis.name} is varied and given as well: leave one of them out`);
    }
    const {
      protocol: _,
      [this.varied]: __,
      ...fields
    } = completed({
      ...asked.fields,
      [this.varied]: this.axis.values[0],
    });
    this.fields = fields;
    this.of = points * trials;
  }

  /** The name of the field that varies. */
  private get varied(): string {
    return this.axis.field === null ? `${PARAM}${this.axis.name}` : this.axis.name;
  }

  /** Yields often, and after each trial. */
  *run(): Generator<void> {
    yield* this.prepare();
    const { trials } = this.asked;
    for (let turn = FIRST_TURN; this.done < this.of; turn *= 2) {
      for (const point of this.points) {
        const until = Math.min(trials, point.tally.trials + turn);
        while (point.tally.trials < until) {
          point.tally.add(yield* trialOf(point));
          this.done++;
          yield;
        }
      }
    }
  }

  /** Networks may have to be built, and theory be asked. */
  private *prepare(): Generator<void> {
    const { axis, asked } = this;
    for (const x of axis.values) {
      for (const protocol of asked.protocols) {
        try {
          this.points.push(pointAt({ ...this.fields, protocol, [this.varied]: x }, x));
          this.values.set(protocol, [...(this.values.get(protocol) ?? []), x]);
        } catch (error) {
          if (!(error instanceof InputError)) throw error;
          this.problems.push(`${protocol} at ${axis.name} = ${x}: ${error.message}`);
        }
        yield;
      }
    }
    if (this.points.length === 0) throw new InputError(this.problems[0] ?? "there is nothing to run");
    this.of = this.points.length * asked.trials;
  }

  get problem(): string | null {
    const { problems } = this;
    const more = problems.length > 3 ? `; and ${problems.length - 3} more` : "";
    return problems.length === 0 ? null : `${problems.slice(0, 3).join("; ")}${more}`;
  }

  /** One command for all protocols that run at the same values. */
  get command(): string {
    const { asked, axis } = this;
    const groups = new Map<string, string[]>();
    for (const [protocol, values] of this.values) {
      const key = values.join(",");
      groups.set(key, [...(groups.get(key) ?? []), protocol]);
    }
    return [...groups]
      .map(([values, protocols]) => {
        const vary = values === axis.values.join(",") ? asked.vary : `${axis.name}=${values}`;
        const flags = { vary, ...this.fields, trials: String(asked.trials) };
        return commandLine(`sortition sweep ${protocols.join(",")}`, flags, SETTINGS);
      })
      .join(" && ");
  }

  get quantities(): string[] {
    const measures = new Set(this.points.flatMap(({ tally }) => [...tally.measures.keys()]));
    return ["messages", "rounds", "success", "bits", ...[...measures].sort().map((name) => `measures.${name}`)];
  }

  soFar(): SweepPoint[] {
    return this.points
      .filter(({ tally }) => tally.trials > 0)
      .map(({ protocol, x, tally, theory, settings }) => ({
        protocol,
        x,
        theory,
        kernel: settings.kernel,
        trials: tally.trials,
        values: valuesOf(tally),
      }));
  }
}

function* trialOf(point: Running): Generator<void, Trial> {
  const { settings, tally } = point;
  if (point.isShort) return runTrial(settings, tally.trials);
  const began = performance.now();
  const trial = yield* trialInTurns(settings, tally.trials);
  point.isShort = performance.now() - began < SHORT;
  return trial;
}

function pointAt(fields: Fields, x: string): Running {
  checkSize(fields);
  const settings = resolve(requestOf(fields));
  checkCost(settings, MOST_MESSAGES_OF_A_TRIAL);
  return {
    protocol: settings.protocol.name,
    x: isNumber(x) ? Number(x) : x,
    settings,
    theory: theoryOf(settings),
    tally: new TrialTally(),
    isShort: false,
  };
}

/** As a report has them. */
function valuesOf(tally: TrialTally): SweepPoint["values"] {
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
