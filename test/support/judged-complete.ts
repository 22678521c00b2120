/** A protocol of complete networks judged: every schedule of a few processes, and drawn larger groups, by another program's words. */
import { type ExploreRequest, explore } from "../../src/explorer/explore.ts";
import type { Delay } from "../../src/host/delays.ts";
import { runEvents } from "../../src/host/events.ts";
import { NO_FAULTS } from "../../src/host/faults/faults.ts";
import { runLockstep } from "../../src/host/lockstep.ts";
import type { Result } from "../../src/host/setup.ts";
import { leaderKnown, promisesOf } from "../../src/properties/properties.ts";
import type { AnyProtocol, Id } from "../../src/protocol.ts";
import { HostStream } from "../../src/random/streams.ts";
import { complete } from "../../src/topology/complete.ts";

export interface Group {
  readonly ids: readonly Id[];
  /** By place. */
  readonly starters: readonly number[];
}

/** One election, in rounds or with delays. */
export function electIn(protocol: AnyProtocol, { ids, starters }: Group, delay: Delay | null, trial = 0): Result {
  const setup = {
    protocol,
    params: {},
    topology: complete(ids.length),
    ids: Float64Array.from(ids),
    initiators: starters,
    crashed: [],
    faults: NO_FAULTS,
    seed: 26,
    trial,
    until: 100_000,
  };
  return delay === null ? runLockstep(setup) : runEvents({ ...setup, delay, fifo: false });
}

/** Groups of up to `most` with drawn ids; everybody starts in a third of them. */
export function* drawnGroups(trials: number, most: number): Generator<Group> {
  for (let trial = 0; trial < trials; trial++) {
    const dice = new HostStream(26, trial, "plan");
    const n = 2 + dice.choose(most - 1);
    const ids = new Set<Id>();
    while (ids.size < n) ids.add(dice.choose(10_000));
    const places = [...ids].map((_, node) => node);
    const starters = places.filter((node) => trial % 3 === 0 || node === 1 || dice.choose(3) === 0);
    yield { ids: [...ids], starters };
  }
}

/** What breaks a promise within these requests, in words; null: nothing does. */
export function exploredComplaint(protocol: AnyProtocol, requests: readonly ExploreRequest[]): string | null {
  const properties = [...promisesOf(protocol), leaderKnown];
  for (const request of requests) {
    const { violation, complete: isComplete } = explore(protocol, { properties, maxStates: 50_000, ...request });
    if (violation !== null) return violation.what;
    if (!isComplete) return "too many states";
  }
  return null;
}
