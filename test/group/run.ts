/** Runs a scenario on the events host and says what went wrong, if anything. */
import { EventsHost } from "../../src/host/events.ts";
import type { EventsSetup } from "../../src/host/setup.ts";
import type { Breach } from "../../src/properties/monitor.ts";
import type { AnyProtocol } from "../../src/protocol.ts";
import { open } from "../../src/topology/topology.ts";
import type { Subject } from "./glimpse.ts";
import { type Scenario, seedsAmong } from "./scenario.ts";
import { GroupWatch, type MakeRule, Stop, type Tally } from "./watch.ts";

export interface Ran {
  readonly breach: Breach | null;
  readonly events: number;
  readonly tally: Tally;
}

/** `roles`: of all nodes, where there are others than members, which come first. */
export function setupOf(scenario: Scenario, protocol: AnyProtocol, params: unknown, roles?: string[]): EventsSetup {
  const { seed, members, plan, until } = scenario;
  const size = roles?.length ?? members;
  return {
    protocol,
    params,
    topology: open(size),
    seed,
    trial: 0,
    faults: plan.faults,
    until,
    roles,
    ids: Float64Array.from({ length: size }, (_, node) => node + 1),
    initiators: null,
    crashed: [],
    fifo: false,
    seeds: seedsAmong(members).map(String),
    delay: { kind: "uniform", min: 0.2, max: 4 },
  };
}

/**
 * A machine, or how to make one that sees the clock of the simulation, as a planted bug may, or tells the watch what no state shows.
 */
export type Runs = (clock: () => number, watch: GroupWatch) => EventsSetup;

export function runScenario(runs: Runs, scenario: Scenario, subject: Subject, rules: readonly MakeRule[]): Ran {
  const watch = new GroupWatch(scenario, subject, rules);
  const setup = runs(() => host.time, watch);
  const host: EventsHost = new EventsHost({ ...setup, observer: watch });
  try {
    host.run();
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
  }
  return { breach: watch.breach, events: host.event, tally: watch.tally };
}
