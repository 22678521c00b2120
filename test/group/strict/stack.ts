/** Everything of a group in strict mode as one protocol: members with their work, the engine, and the guarded resource. */
import { type GroupMachine, group } from "../../../src/elector/group.ts";
import type { GroupParams } from "../../../src/elector/params.ts";
import type { AnyProtocol } from "../../../src/protocol.ts";
import { byRole } from "../../../src/protocols/by-role.ts";
import { type EngineModel, engineModel } from "../../../src/protocols/lease/model.ts";
import { leaseTimes } from "../../../src/protocols/lease/params.ts";
import { carryOut } from "../../../src/protocols/lease/register.ts";
import type { Scenario } from "../scenario.ts";
import { type Admits, counter } from "./counter.ts";
import { admits } from "./guard.ts";
import { counterOf, engineOf } from "./settings.ts";
import { type WorkingParams, working } from "./work.ts";

export type CarryOut = typeof carryOut;

/** What a stack is made of; a planted bug has something else in place of one of them. */
export interface Parts {
  readonly group: GroupMachine;
  readonly carryOut: CarryOut;
  engine(machine: EngineModel): EngineModel;
  readonly admits: Admits;
}

export const PARTS: Parts = { group: group(), carryOut, engine: (machine) => machine, admits };

export const stack = (parts: Parts): AnyProtocol =>
  byRole({
    member: working(parts.group),
    engine: parts.engine(engineModel({ carryOut: parts.carryOut })),
    counter: counter(parts.admits),
  });

export function rolesOf({ members }: Scenario): string[] {
  return [...new Array<string>(members).fill("member"), "engine", "counter"];
}

/** `engine`, `counter`: where they are, where that is not among the nodes. */
export function stackParams(
  group: GroupParams,
  { members, lease }: Scenario,
  engine = String(engineOf(members)),
  counter = String(counterOf(members)),
): WorkingParams {
  const { ttl, preemptible } = lease!;
  const settings = { ...leaseTimes(ttl), engine, preemptible, settles: true };
  return { group: { ...group, lease: settings }, lease: lease!, counter };
}
