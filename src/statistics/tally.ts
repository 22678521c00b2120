/** What a campaign remembers of its trials: mergeable, and the same for any grouping of the same trials. */
import type { Outcome } from "../protocol.ts";
import type { Trial } from "../simulation/trial.ts";
import { Distribution, ExactSum, type ValueCounts } from "./distribution.ts";

/** A tally as plain data, for the way from a worker to the caller. */
export interface TallyData {
  readonly trials: number;
  readonly outcomes: Readonly<Record<Outcome, number>>;
  readonly messages: ValueCounts;
  readonly rounds: ValueCounts;
  readonly bits: ValueCounts;
  readonly measures: readonly (readonly [string, ValueCounts])[];
  /** For each name and round the parts of an exact sum. */
  readonly series: readonly (readonly [string, readonly (readonly number[])[]])[];
}

export class TrialTally {
  trials = 0;
  readonly outcomes: Record<Outcome, number> = { none: 0, one: 0, many: 0 };
  readonly messages = new Distribution();
  readonly rounds = new Distribution();
  readonly bits = new Distribution();
  readonly measures = new Map<string, Distribution>();
  readonly series = new Map<string, ExactSum[]>();

  add(trial: Trial): void {
    this.trials++;
    this.outcomes[trial.outcome]++;
    this.messages.add(trial.messages);
    this.rounds.add(trial.rounds);
    this.bits.add(trial.bits);
    for (const name of Object.keys(trial.measures)) this.measure(name).add(trial.measures[name]);
    for (const name of Object.keys(trial.series)) {
      const values = trial.series[name];
      const sums = this.sums(name, values.length);
      for (let round = 0; round < values.length; round++) sums[round].add(values[round]);
    }
  }

  merge(data: TallyData): void {
    this.trials += data.trials;
    for (const outcome of ["none", "one", "many"] as const) this.outcomes[outcome] += data.outcomes[outcome];
    this.messages.merge(new Distribution(data.messages));
    this.rounds.merge(new Distribution(data.rounds));
    this.bits.merge(new Distribution(data.bits));
    for (const [name, run] of data.measures) this.measure(name).merge(new Distribution(run));
    for (const [name, rounds] of data.series) {
      const sums = this.sums(name, rounds.length);
      for (let round = 0; round < rounds.length; round++) sums[round].merge(new ExactSum(rounds[round]));
    }
  }

  data(): TallyData {
    return {
      trials: this.trials,
      outcomes: { ...this.outcomes },
      messages: this.messages.run(),
      rounds: this.rounds.run(),
      bits: this.bits.run(),
      measures: [...this.measures].map(([name, distribution]) => [name, distribution.run()]),
      series: [...this.series].map(([name, sums]) => [name, sums.map(({ parts }) => parts)]),
    };
  }

  private measure(name: string): Distribution {
    let distribution = this.measures.get(name);
    if (distribution === undefined) {
      distribution = new Distribution();
      this.measures.set(name, distribution);
    }
    return distribution;
  }

  /** The sums of a series, for at least this many rounds: what a trial does not reach counts as 0. */
  private sums(name: string, rounds: number): ExactSum[] {
    let sums = this.series.get(name);
    if (sums === undefined) {
      sums = [];
      this.series.set(name, sums);
    }
    while (sums.length < rounds) sums.push(new ExactSum());
    return sums;
  }
}
