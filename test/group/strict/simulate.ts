/** A group in strict mode in virtual time, with its engine and a guarded resource, under a scenario's faults. */
import type { PlayedRole } from "../../../src/protocols/by-role.ts";
import type { EngineState } from "../../../src/protocols/lease/model.ts";
import { oneClock } from "../../../src/protocols/lease/register-clock.ts";
import type { Subject } from "../glimpse.ts";
import { STRICT_RULES } from "../rules/strict.ts";
import { type Ran, runScenario, setupOf } from "../run.ts";
import type { Scenario } from "../scenario.ts";
import { groupSubject, paramsOf } from "../simulate.ts";
import type { GroupWatch, MakeRule } from "../watch.ts";
import type { CounterState } from "./counter.ts";
import { type CarryOut, PARTS, type Parts, rolesOf, stack, stackParams } from "./stack.ts";
import type { WorkingState } from "./work.ts";

/** A group in strict mode as the harness sees it; `of`: what a host's state is the state of. */
export const strictSubject = (of: <T>(state: unknown) => T): Subject => ({
  version: (state) => groupSubject.version(of<WorkingState>(state).group),
  glimpse(state) {
    const { group } = of<WorkingState>(state);
    const wins = [...group.applications.keys(), ...group.led];
    return { ...groupSubject.glimpse(group), wins, heirs: new Map(group.endings) };
  },
  part: (message) => groupSubject.part(message),
  works: (state) => of<WorkingState>(state).works,
  engine(state) {
    const { rows, stamp, incarnation } = of<EngineState>(state);
    return { rows, clock: oneClock(0, stamp, incarnation) };
  },
  counter: (state) => of<CounterState>(state),
});

const subject = strictSubject(<T>(played: unknown) => (played as PlayedRole).state as T);

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
