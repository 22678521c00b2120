/** The whole stack as it ships, in virtual time: membership, watch and elector under a scenario's faults. */
import { group } from "../../src/elector/group.ts";
import { type GroupParams, groupParams } from "../../src/elector/params.ts";
import type { GroupState } from "../../src/elector/state.ts";
import type { GroupMessage } from "../../src/elector/talk/messages.ts";
import type { Breach } from "../../src/properties/monitor.ts";
import type { AnyProtocol } from "../../src/protocol.ts";
import type { RecordedRun } from "../../src/trace/recorded-run.ts";
import type { Bug } from "./bugs/bug.ts";
import type { Subject } from "./glimpse.ts";
import { RULES } from "./rules/all.ts";
import { type Ran, runScenario, setupOf } from "./run.ts";
import type { Scenario } from "./scenario.ts";
import type { MakeRule } from "./watch.ts";

export const machine = group();

export const groupSubject: Subject = {
  // Both only grow.
  version: (state) => (state as GroupState).report.version + (state as GroupState).members.version,
  glimpse(given) {
    const state = given as GroupState;
    const { joined, refused, offices } = state.report;
    const { news, live } = state.members;
    return {
      version: this.version(state),
      life: state.life,
      joined,
      refused,
      offices,
      view: live.map(({ name, life }) => ({ name, life })),
      failed: news.flatMap((item) => (item.what === "failed" ? [item] : [])),
    };
  },
  part(given) {
    const message = given as Exclude<GroupMessage, readonly unknown[]>;
    return message.kind === "child" || message.kind === "open" ? message : null;
  },
};

/** What members that are configured differently take the loss for, in turn. */
const LOSSES = [0.01, 0.1, 0.3];

export function paramsOf({ policy, offices, profile, members, discord }: Scenario): GroupParams {
  const addresses = Array.from({ length: discord ? members : 0 }, (_, node) => String(node));
  const lossOf = Object.fromEntries(addresses.map((address, node) => [address, LOSSES[node % LOSSES.length]]));
  return groupParams({ policy, offices, profile, lossOf, expected: policy === "majority" ? members : null });
}

/** `bug`: with that one planted. */
export function simulate(scenario: Scenario, bug: Bug | null = null, rules: readonly MakeRule[] = RULES): Ran {
  const runs = (clock: () => number) => {
    const planted = bug === null ? machine : bug.plant(machine, clock);
    // Nobody asks how large messages are.
    return setupOf(scenario, { ...planted, bits: () => 0 } as AnyProtocol, paramsOf(scenario));
  };
  return runScenario(runs, scenario, groupSubject, rules);
}

/** The run up to what went wrong, for a trace. */
export function recordedRun(scenario: Scenario, { time, what }: Breach): RecordedRun {
  const { params, topology, seed, trial, seeds = [], faults, delay } = setupOf(scenario, machine, paramsOf(scenario));
  return { protocol: machine.name, params, n: topology.size, seed, trial, seeds, faults, delay, until: time, what };
}
