/** Runs a scenario on the events host and says what went wrong, if anything. */
import { EventsHost } from "../../src/host/events.ts";
import type { EventsSetup } from "../../src/host/setup.ts";
import type { Breach } from "../../src/properties/monitor.ts";
import type { AnyProtocol } from "../../src/protocol.ts";
import { open } from "../../src/topology/open.ts";
import type { Subject } from "./glimpse.ts";
import type { Scenario } from "./scenario.ts";
import { GroupWatch, type MakeRule, Stop, type Tally } from "./watch.ts";

export interface Ran {
  readonly breach: Breach | null;
  readonly events: number;
  readonly tally: Tally;
}

/** Addresses that everybody knows: those of the first three. */
const SEEDS = 3;

export function setupOf(scenario: Scenario, protocol: AnyProtocol, params: unknown): EventsSetup {
  const { seed, members, plan, until } = scenario;
  return {
    ...{ protocol, params, topology: open(members), seed, trial: 0, faults: plan.faults, until },
    ids: Float64Array.from({ length: members }, (_, node) => node + 1),
    ...{ initiators: null, crashed: [], fifo: false },
    seeds: Array.from({ length: Math.min(SEEDS, members) }, (_, node) => String(node)),
    delay: { kind: "uniform", min: 0.2, max: 4 },
  };
}

export function runScenario(setup: EventsSetup, scenario: Scenario, subject: Subject, rules: readonly MakeRule[]): Ran {
  const watch = new GroupWatch(scenario, subject, rules);
  const host = new EventsHost({ ...setup, observer: watch });
  try {
    host.run();
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
  }
  return { breach: watch.breach, events: host.event, tally: watch.tally };
}
