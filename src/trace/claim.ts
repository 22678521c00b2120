/** Whether a recorded run breaks the promise that its first line names. */

import type { Step } from "../explorer/space/configurations.ts";
import { isFault } from "../explorer/space/faults.ts";
import type { StateSpace } from "../explorer/space/state-space.ts";
import { atTime, viewOf } from "../explorer/space/state-space.ts";
import { messageBound, type Property, propertyNames, timeBound } from "../properties/properties.ts";

export interface PropertyClaim {
  readonly property: string;
  readonly what: string;
}

/** null: nobody here knows that property. `own`: properties of the user's own. */
export function breaks(
  network: StateSpace,
  steps: readonly Step[],
  { property, what }: PropertyClaim,
  own: readonly Property[] = [],
): boolean | null {
  const bound = boundIn(what);
  const known = [...own, ...Object.values(propertyNames), messageBound(bound), timeBound(bound)];
  const promise = known.find(({ name }) => name === property);
  if (promise === undefined) return null;
  const vectors = [network.blank(), ...steps.map(({ after }) => after)];
  const last = vectors[vectors.length - 1];
  const messages = steps.reduce((sum, { outcome }) => sum + (outcome?.messages ?? 0), 0);
  const time = steps.reduce((sum, { action }) => sum + (action.do === "tick" ? action.by : 0), 0);
  const says = (vector: Int32Array) => promise.violated(atTime(viewOf(network, vector, messages), time));
  const said = says(last);
  if (said === null || !what.startsWith(said)) return false;
  const ended = network.steps(last).every(({ action }) => isFault(action));
  const loop = Number(/\(its last (\d+) steps\)$/.exec(what)?.[1] ?? 0);
  const again = loop > 0 && `${vectors[vectors.length - 1 - loop]}` === `${last}`;
  if (promise.when === "always") return said === what;
  if (promise.when === "end") return said === what && ended;
  if (promise.when === "forever") return again;
  return vectors.slice(network.starters().length).every((vector) => says(vector) !== null) && (ended || again);
}

/** The bound of `--max-messages` or `--max-time` stands in the words alone. */
const boundIn = (what: string): number => Number(/more than (\d+)$/.exec(what)?.[1] ?? Infinity);
