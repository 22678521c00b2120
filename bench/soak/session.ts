/** Runs of a soak, and what came of them. */

import type { Breach } from "../../src/properties/monitor.ts";
import { simulateLive } from "../../test/group/live.ts";
import { mixesOf } from "../../test/group/mixes.ts";
import { STRICT_RULES } from "../../test/group/rules/strict.ts";
import type { Ran } from "../../test/group/run.ts";
import { type Scenario, scenarioOf } from "../../test/group/scenario.ts";
import { simulate } from "../../test/group/simulate.ts";
import { chronicle, type Line } from "../../test/group/strict/chronicle.ts";
import { simulateStrict } from "../../test/group/strict/simulate.ts";
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
const turnsOf = (strict: boolean): string[] => {
  const mixes = Object.keys(mixesOf(strict));
  return [...mixes, ...mixes.map(() => "all")];
};
const TURNS = { strict: turnsOf(true), probabilistic: turnsOf(false) };
const SIZES = [5, 5, 5, 5, 3, 5, 2, 5, 9, 5, 1, 7];

/** What a seed is, where the options leave it open. */
export function scenarioFor(seed: number, { mix, wanted }: SoakOptions): Scenario {
  const turns = wanted.lease === undefined ? TURNS.probabilistic : TURNS.strict;
  return scenarioOf(seed, mix ?? turns[seed % turns.length], {
    ...wanted,
    members: wanted.members ?? SIZES[Math.floor(seed / turns.length) % SIZES.length],
  });
}

/** Members of the live host are all configured alike. `lines`: what happens in strict mode is written there. */
export function runOn(stack: SoakOptions["stack"], scenario: Scenario, lines?: Line[]): Ran {
  const isStrict = scenario.lease !== null;
  const rules = isStrict ? [...(lines === undefined ? [] : [chronicle(lines)]), ...STRICT_RULES] : undefined;
  if (stack === "live") return simulateLive({ ...scenario, discord: false }, rules);
  return isStrict ? simulateStrict(scenario, undefined, rules) : simulate(scenario);
}

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
