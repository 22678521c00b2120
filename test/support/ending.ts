/** Simulated runs that end: members that answer each other for ever fail with their seed, instead of standing still. */
import type { Observer } from "../../src/host/observer.ts";
import type { EventsSetup } from "../../src/host/setup.ts";

/** Handlers that run for a process in a millisecond: four times what a busy group does. */
const MOST_HANDLED = 0.2;
/** A short run may begin with much to do. */
const AT_FIRST = 20_000;

export const mostHandled = (processes: number, until: number): number =>
  Math.ceil(AT_FIRST + MOST_HANDLED * processes * until);

export const endless = (seed: number, most: number, time: number): string =>
  `seed ${seed} does not end: more than ${most} handlers have run by ${time} ms`;

/** The same run, with a limit. Its clock counts milliseconds. */
export function ending<S extends EventsSetup>(setup: S): S {
  const { observer, seed, topology, until = Infinity } = setup;
  const most = mostHandled(topology.size, until);
  let handled = 0;
  const counting: Observer = {
    ...observer,
    settled(node, time, state) {
      if (++handled > most) throw new Error(endless(seed, most, time));
      observer?.settled?.(node, time, state);
    },
  };
  return { ...setup, observer: counting };
}
