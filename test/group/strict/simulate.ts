/** A group in strict mode in virtual time, with its engine and a guarded resource, under a scenario's faults. */
import type { Played } from "../../../src/protocols/by-role.ts";
import type { EngineState } from "../../../src/protocols/lease/model.ts";
import type { Subject } from "../glimpse.ts";
import { STRICT_RULES } from "../rules/strict.ts";
import { type Ran, runScenario, setupOf } from "../run.ts";
import type { Scenario } from "../scenario.ts";
import { groupSubject, paramsOf } from "../simulate.ts";
import type { GroupWatch, MakeRule } from "../watch.ts";
import type { CounterState } from "./counter.ts";
import { type CarryOut, PARTS, type Parts, rolesOf, stack, stackParams } from "./stack.ts";
import type { WorkingState } from "./work.ts";

const of = <T>(played: unknown): T => (played as Played).state as T;
const memberOf = (played: unknown) => of<WorkingState>(played).group;

const subject: Subject = {
  version: (played) => groupSubject.version(memberOf(played)),
  glimpse(played) {
    const state = memberOf(played);
    return { ...groupSubject.glimpse(state), wins: [...state.asking.keys(), ...state.led] };
  },
  part: (message) => groupSubject.part(message),
  works: (played) => [...of<WorkingState>(played).works.values()],
  engine: (played, truth) => truth.isNow(of<EngineState>(played)),
  counter: (played) => of<CounterState>(played),
};

/** What the register does, told to the watch. */
function told(carryOut: CarryOut, clock: () => number, watch: GroupWatch): CarryOut {
  return (rows, request, time) => {
    const answer = carryOut(rows, request, time);
    watch.carriedOut({ request, answer }, clock());
    return answer;
  };
}

/** `plant`: what a planted bug makes of the parts. */
export function simulateStrict(
  scenario: Scenario,
  plant: (parts: Parts, clock: () => number) => Parts = (parts) => parts,
  rules: readonly MakeRule[] = STRICT_RULES,
): Ran {
  const runs = (clock: () => number, watch: GroupWatch) => {
    const planted = plant(PARTS, clock);
    const protocol = stack({ ...planted, carryOut: told(planted.carryOut, clock, watch) });
    return setupOf(scenario, protocol, stackParams(paramsOf(scenario), scenario), rolesOf(scenario));
  };
  return runScenario(runs, scenario, subject, rules);
}
