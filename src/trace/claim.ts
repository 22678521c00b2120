/** Whether a recorded run breaks the promise that its first line names. */
import { isFault } from "../explorer/faults.ts";
import type { StateSpace, Step } from "../explorer/state-space.ts";
import { viewOf } from "../explorer/view.ts";
import { messageBound, type Property, propertyNames } from "../properties/properties.ts";

export interface Claim {
  readonly property: string;
  readonly what: string;
}

/** null: nobody here knows that property. `own`: properties of the user's own. */
export function breaks(
  network: StateSpace,
  steps: readonly Step[],
  { property, what }: Claim,
  own: readonly Property[] = [],
): boolean | null {
  const known = [...own, ...Object.values(propertyNames), messageBound(boundIn(what))];
  const promise = known.find(({ name }) => name === property);
  if (promise === undefined) return null;
  const vectors = [network.blank(), ...steps.map(({ after }) => after)];
  const last = vectors[vectors.length - 1];
  const messages = steps.reduce((sum, { outcome }) => sum + (outcome?.messages ?? 0), 0);
  const said = promise.violated(viewOf(network, last, messages));
  if (said === null) return false;
  if (promise.when === "always") return said === what;
  if (promise.when === "end") return said === what && network.steps(last).every(({ action }) => isFault(action));
  const loop = Number(/\(its last (\d+) steps\)$/.exec(what)?.[1]);
  return loop > 0 && `${vectors[vectors.length - 1 - loop]}` === `${last}`;
}

/** The bound of `--max-messages` stands in the words alone. */
const boundIn = (what: string): number => Number(/more than (\d+)$/.exec(what)?.[1] ?? Infinity);
