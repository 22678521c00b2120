/** The simulated engine by itself, with a clock that the test turns. */

import { type Context, SELF, type Self } from "../../src/protocol.ts";
import type { LeaseAnswer, LeaseRequest } from "../../src/protocols/lease/messages.ts";
import {
  type EngineCommand,
  type EngineModelSettings,
  type EngineState,
  engineModel,
} from "../../src/protocols/lease/model.ts";

export function loneEngine(settings: EngineModelSettings = {}) {
  const machine = engineModel(settings);
  const answers: LeaseAnswer[] = [];
  const timers = new Map<string, number>();
  let now = 0;
  const ctx = {
    linked: () => true,
    send: (_port: number, answer: LeaseAnswer) => void answers.push(answer),
    arm: (timer: string, after: number) => void timers.set(timer, now + after),
    measure: () => {},
  } as unknown as Context<never, never>;
  const start = (life: number, saved: ReturnType<NonNullable<typeof machine.saved>> | null): EngineState => {
    timers.clear();
    return machine.init({}, { life, role: "engine" } as Self, saved, ctx);
  };
  let life = 1;
  let state = start(life, null);
  const engine = {
    answers,
    timers,
    get state() {
      return state;
    },
    report: () => machine.report!(state),
    /** The answer, where it comes at once. */
    ask(request: LeaseRequest): LeaseAnswer | undefined {
      const before = answers.length;
      machine.receive(state, 0, request, ctx);
      return answers[before];
    },
    obey: (command: EngineCommand) => machine.receive(state, SELF, command, ctx),
    pass(time: number): void {
      const end = now + time;
      for (;;) {
        const [next] = [...timers].filter(([, due]) => due <= end).sort(([, a], [, b]) => a - b);
        if (next === undefined) break;
        timers.delete(next[0]);
        now = next[1];
        machine.expire!(state, next[0] as "tick", ctx);
      }
      now = end;
    },
    restart(): void {
      state = start(++life, structuredClone(machine.saved!(state)));
    },
  };
  return engine;
}
