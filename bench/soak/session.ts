/** Runs of a soak, and what came of them. */

import type { Breach } from "../../src/properties/monitor.ts";
import { simulateLive } from "../../test/group/live.ts";
import { MIXES } from "../../test/group/mixes.ts";
import type { Ran } from "../../test/group/run.ts";
import { type Scenario, scenarioOf } from "../../test/group/scenario.ts";
import { simulate } from "../../test/group/simulate.ts";
import type { Tally } from "../../test/group/watch.ts";
import type { SoakOptions } from "./options.ts";

export interface Failure {
  readonly seed: number;
  readonly mix: string;
  readonly breach: Breach;
}

export interface Done {
  runs: number;
  events: number;
  virtualMs: number;
  readonly faults: Tally;
  readonly failures: Failure[];
}

export const nothingDone = (): Done => ({ runs: 0, events: 0, virtualMs: 0, faults: {}, failures: [] });

/** Half of all runs draw from all kinds. */
const TURNS = [...Object.keys(MIXES), ...Object.keys(MIXES).map(() => "all")];
const SIZES = [5, 5, 5, 5, 3, 5, 2, 5, 9, 5, 1, 7];

/** What a seed is, where the options leave it open. */
export function scenarioFor(seed: number, { mix, wanted }: SoakOptions): Scenario {
  return scenarioOf(seed, mix ?? TURNS[seed % TURNS.length], {
    ...wanted,
    members: wanted.members ?? SIZES[Math.floor(seed / TURNS.length) % SIZES.length],
  });
}

/** Members of the live host are all configured alike. */
export const runOn = (stack: SoakOptions["stack"], scenario: Scenario): Ran =>
  stack === "live" ? simulateLive({ ...scenario, discord: false }) : simulate(scenario);

export class Session {
  readonly done = nothingDone();
  private readonly options: SoakOptions;

  constructor(options: SoakOptions) {
    this.options = options;
  }

  run(seed: number): void {
    const scenario = scenarioFor(seed, this.options);
    const { breach, events, tally } = runOn(this.options.stack, scenario);
    const { done } = this;
    done.runs++;
    done.events += events;
    done.virtualMs += breach?.time ?? scenario.until;
    add(done.faults, tally);
    if (breach !== null) done.failures.push({ seed, mix: scenario.mix, breach });
  }
}

export function add(to: Tally, more: Tally): void {
  for (const kind in more) to[kind] = (to[kind] ?? 0) + more[kind];
}
