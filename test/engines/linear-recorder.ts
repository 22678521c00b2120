/** Writes down when what was asked and answered, by a clock that all processes of this machine share. */
import { machineNow } from "../../src/live/real-world.ts";
import type { LeaseAnswer, LeaseRequest } from "../../src/protocols/lease/messages.ts";
import type { Caller } from "./linear-caller.ts";
import type { Doing, Step } from "./linear-checker.ts";

/** Does it, and gives the step; null as an answer where none came, `undefined` where it certainly did not happen. */
export async function record(doing: Doing, act: () => Promise<LeaseAnswer | null | undefined>): Promise<Step | null> {
  const from = machineNow();
  const answer = await act();
  if (answer === undefined) return null;
  const isOpen = answer === null && doing.kind !== "turn" && doing.kind !== "restart";
  return { doing, from, to: isOpen ? Number.POSITIVE_INFINITY : machineNow(), answer };
}

/** One member asks so many times, one after another; `ask` never rejects. `reading`: the clock by which the last was carried out. */
export async function converse(
  caller: Caller,
  times: number,
  ask: (request: LeaseRequest) => Promise<LeaseAnswer | null | undefined>,
  reading?: () => number,
): Promise<Step[]> {
  const steps: Step[] = [];
  while (steps.length < times) {
    const request = caller.next();
    const step = await record(request, () => ask(request));
    caller.heard(request, step?.answer ?? null);
    if (step !== null) steps.push(reading === undefined ? step : { ...step, now: reading() });
  }
  return steps;
}
