/**
 * Choice functions: who is preferred for a leader. All members must use the same one. A choice ranks members, the lowest
 * rank being the best, and ties go to the lower id, so every choice is a total order.
 */
import type { Id } from "../../protocol.ts";
import { attributeValue } from "./hash.ts";

interface RankedMember {
  readonly id: Id;
  /** How busy it is, in [0, 1). */
  readonly load: number;
  /** How fit it is to lead, in [0, 1). */
  readonly weight: number;
  /** Where it is: 0 .. ZONES-1, zone 0 being nearest to those the leader serves. */
  readonly zone: number;
}

type Attributes = (id: Id) => RankedMember;

/** How filter-relay compares two members: who of them makes the better leader. */
export interface Choice {
  readonly about: string;
  /** The lower, the better; finite. */
  rank(id: Id): number;
}

export const ZONES = 4;

/** What the built-in choices know of a member in a simulation: attributes that follow from its id. */
export const simulatedAttributes: Attributes = (id) => ({
  id,
  load: attributeValue(0, id),
  weight: attributeValue(1, id),
  zone: Math.floor(ZONES * attributeValue(2, id)),
});

/** A choice over attributes of members, from wherever they come. */
export const byAttribute = (
  about: string,
  rank: (member: RankedMember) => number,
  attributes: Attributes = simulatedAttributes,
): Choice => ({ about, rank: (id) => rank(attributes(id)) });

const choices = new Map<string, Choice>([
  ["lowest-id", { about: "the lowest id", rank: (id) => id }],
  ["highest-id", { about: "the highest id", rank: (id) => -id }],
  ["least-load", byAttribute("the least busy member", (member) => member.load)],
  ["highest-weight", byAttribute("the fittest member", (member) => -member.weight)],
  ["zone", byAttribute("the nearest zone, then the lowest id", (member) => member.zone)],
]);

export const choiceNames = (): string[] => [...choices.keys()];

export function choiceNamed(name: string): Choice {
  const found = choices.get(name);
  if (found === undefined) throw new RangeError(`no choice function is called "${name}"`);
  return found;
}

/** Adds a user's own choice function under a name that `--param choice=` then knows, or replaces one. */
export function defineChoice(name: string, choice: Choice): void {
  choices.set(name, choice);
}

/** Whether `a` is strictly preferred to `b`. */
export function better(choice: Choice, a: Id, b: Id): boolean {
  const rankA = choice.rank(a);
  const rankB = choice.rank(b);
  return rankA < rankB || (rankA === rankB && a < b);
}
