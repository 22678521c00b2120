/** Group elections for tests: means of many runs, and one run whose every message can be seen. */

import { runEvents } from "../../src/host/events.ts";
import { type FaultPlan, NO_FAULTS } from "../../src/host/faults/faults.ts";
import type { Result } from "../../src/host/setup.ts";
import { filterRelay } from "../../src/protocols/group/filter-relay.ts";
import type { FilterRelayMessage } from "../../src/protocols/group/filter-relay-round.ts";
import type { Params } from "../../src/protocols/parameters.ts";
import { HostStream } from "../../src/random/streams.ts";
import { type Request, resolve } from "../../src/simulation/settings.ts";
import { runTrial, type Trial } from "../../src/simulation/trial.ts";
import { remembering } from "../../src/theory/memo.ts";
import { complete } from "../../src/topology/complete.ts";

export interface Mean {
  readonly mean: number;
  /** The standard error of the mean. */
  readonly error: number;
}

export function meanOf(values: readonly number[]): Mean {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, error: Math.sqrt(squares / (values.length - 1) / values.length) };
}

/** By the protocol itself, unless a kernel is asked for. */
export function trials(request: Request, count: number): Trial[] {
  const settings = resolve({ kernel: "off", ...request });
  return Array.from({ length: count }, (_, trial) => runTrial(settings, trial));
}

/** The means of everything that was measured; several claims may be about the same runs. */
export const means = (request: Request, count: number): Record<string, Mean> => measured({ request, count });

const measured = remembering(({ request, count }: { request: Request; count: number }) => {
  const runs = trials(request, count).map(({ measures, rounds, messages }) => ({ ...measures, rounds, messages }));
  const names = Object.keys(runs[0]) as (keyof (typeof runs)[0])[];
  return Object.fromEntries(names.map((name) => [name, meanOf(runs.map((run) => run[name]))]));
});

/** How many standard errors lie between two means. */
export const zBetween = (a: Mean, b: Mean): number => Math.abs(a.mean - b.mean) / Math.hypot(a.error, b.error);

export interface Watched {
  readonly result: Result;
  readonly election: number;
  /** Every message sent, a multicast once. */
  readonly sent: readonly FilterRelayMessage[];
}

/** One run of filter-relay, ids 1..n in the order of the nodes, node 0 initiating. */
export function watch(n: number, params: Params, faults: Partial<FaultPlan> = {}, trial = 0): Watched {
  const sent: FilterRelayMessage[] = [];
  const seed = 1;
  const settings = resolve({ protocol: "filter-relay", n, params });
  const result = runEvents({
    protocol: {
      ...filterRelay,
      bits(message: FilterRelayMessage) {
        sent.push(message);
        return 0;
      },
    },
    params: settings.params,
    topology: complete(n),
    ids: Float64Array.from({ length: n }, (_, node) => node + 1),
    initiators: [0],
    crashed: [],
    faults: { ...NO_FAULTS, ...faults },
    seed,
    trial,
    delay: { kind: "fixed", value: 1 },
    fifo: true,
  });
  return { result, election: electionOf(trial, seed), sent };
}

/** The number of the election that a host draws for a run. */
export const electionOf = (trial: number, seed = 1): number => new HostStream(seed, trial, "election").choose(2 ** 53);
