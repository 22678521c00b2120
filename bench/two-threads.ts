/** What a second thread gains, against what a second process of C gains on this machine: cores share their caches and their clock. */
import { catalogue } from "../src/protocols/catalogue.ts";
import { type Measured, quickest } from "./measured.ts";
import { ours, type Programs } from "./programs.ts";

export interface Gain {
  readonly protocol: string;
  readonly trials: number;
  readonly one: number;
  readonly two: number;
  readonly gain: number;
}

/** Seconds of a run on one thread, at least: threads must pay in campaigns of more than two seconds on each of two. */
const LENGTH = 3;

/** Trials of a first run, which says how many take so long. */
const FEW = 20;

const slowest = (all: readonly Measured[]): number => Math.max(...all.map(({ seconds }) => seconds));

/** Trials a second of two processes of C over those of one; null where there is no compiler. */
export async function gainOfProcesses(programs: Programs, runs: number): Promise<number | null> {
  const referees = programs.c("referees");
  if ("missing" in referees) return null;
  const times = [];
  for (const processes of [1, 2]) {
    const each = [];
    for (let run = 0; run < runs; run++) each.push(slowest(await referees.together(processes, 1000, 100_000, 1, 0)));
    times.push(Math.min(...each));
  }
  return (2 * times[0]) / times[1];
}

export function* gains(runs: number): Generator<Gain> {
  for (const { name } of catalogue) {
    const request = { protocol: name, n: 200, seed: 1 };
    let [trials, one] = [FEW, 0];
    for (; ; trials = Math.ceil(trials * Math.min(50, (1.1 * LENGTH) / one))) {
      one = ours({ request, trials, threads: 1 }).seconds;
      if (one >= LENGTH) break;
    }
    const two = quickest(runs, () => ours({ request, trials, threads: 2 })).seconds;
    if (runs > 1) one = Math.min(one, quickest(runs - 1, () => ours({ request, trials, threads: 1 })).seconds);
    yield { protocol: name, trials, one, two, gain: one / two };
  }
}
