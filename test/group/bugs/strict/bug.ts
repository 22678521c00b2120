/** A mistake planted into a group in strict mode: into its members, the engine or the guard, from outside. */
import type { GroupMachine } from "../../../../src/elector/group.ts";
import type { OfficeReport } from "../../../../src/elector/report.ts";
import type { GroupContext, GroupState } from "../../../../src/elector/state.ts";
import type { GroupMessage } from "../../../../src/elector/talk/messages.ts";
import type { LeaseAnswer, LeaseMessage, LeaseRequest } from "../../../../src/protocols/lease/messages.ts";
import { isLeaseAnswer, isLeaseRequest } from "../../../../src/protocols/lease/shapes.ts";
import type { Parts } from "../../strict/stack.ts";
import type { MakeRule } from "../../watch.ts";
import { changed, type Mistake } from "../bug.ts";

export interface StrictBug extends Mistake {
  /** Where it is not held against all of them. */
  readonly rules?: readonly MakeRule[];
  /** `clock`: the time of the simulation, which no machine can see. */
  plant(parts: Parts, clock: () => number): Parts;
}

/** Every handler in a context that `change` makes of the host's. */
export function inContext(
  machine: GroupMachine,
  change: (ctx: GroupContext, state: GroupState | null) => GroupContext,
): GroupMachine {
  return {
    ...machine,
    init: (params, self, saved, ctx) => machine.init(params, self, saved, change(ctx, null)),
    receive: (state, port, message, ctx) => machine.receive(state, port, message, change(ctx, state)),
    expire: (state, timer, ctx) => machine.expire!(state, timer, change(ctx, state)),
    leave: (state, ctx) => machine.leave!(state, change(ctx, state)),
  };
}

/** Requests to the engine leave changed. */
export const asking = (
  machine: GroupMachine,
  change: (request: LeaseRequest, state: GroupState) => LeaseRequest,
): GroupMachine =>
  inContext(machine, (ctx, state) =>
    changed(ctx, {
      send: (port, message) =>
        ctx.send(port, isLeaseRequest(message) && state !== null ? change(message, state) : message),
    }),
  );

/** Answers of the engine are heard changed. */
export const answered = (
  machine: GroupMachine,
  change: (answer: LeaseAnswer, state: GroupState) => LeaseAnswer,
): GroupMachine => ({
  ...machine,
  receive(state, port, message, ctx) {
    machine.receive(state, port, isAnswer(message) ? change(message, state) : message, ctx);
  },
});

export const isAnswer = (message: GroupMessage | LeaseMessage): message is LeaseAnswer => isLeaseAnswer(message);

/** What this member says of an office to its user is something else. */
export function pretend(state: GroupState, office: string, change: Partial<OfficeReport>): void {
  const { report } = state;
  const offices = { ...report.offices, [office]: { ...report.offices[office], ...change } };
  state.report = { ...report, version: report.version + 1, offices };
}
