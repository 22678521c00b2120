/** Plain data with numbers of which only the order matters (`ordered`): found, renamed, and set apart to see whether anybody can tell. */
import { InputError } from "../../errors.ts";

export type Rename = (value: number) => number;

export const SORTED = (a: number, b: number) => a - b;

/** The numbers in the declared fields of plain data, wherever they are. */
export function orderedValues(data: unknown, fields: ReadonlySet<string>, found = new Set<number>()): Set<number> {
  const own = (value: unknown, name: string): void => {
    if (Array.isArray(value)) for (const each of value) own(each, name);
    else if (typeof value === "number") found.add(checked(value, name));
    else if (value !== null && value !== undefined) {
      throw new InputError(
        `ordered names "${name}", which holds no number: it may hold numbers, lists of them or null`,
      );
    }
  };
  const walk = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    if (Array.isArray(value) || value instanceof Set) for (const each of value) walk(each);
    else if (value instanceof Map) for (const entry of value) walk(entry);
    else for (const [name, field] of Object.entries(value)) fields.has(name) ? own(field, name) : walk(field);
  };
  walk(data);
  return found;
}

function checked(value: number, name: string): number {
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw new InputError(`"${name}" is ${value}: what ordered names must be whole numbers from 0 on`);
}

/** A copy in which the numbers of the declared fields are others. */
export function renamedData(data: unknown, fields: ReadonlySet<string>, rename: Rename): unknown {
  const own = (value: unknown): unknown =>
    Array.isArray(value) ? value.map(own) : typeof value === "number" ? rename(value) : value;
  const walk = (value: unknown): unknown => {
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return value.map(walk);
    if (value instanceof Set) return new Set([...value].map(walk));
    if (value instanceof Map) return new Map([...value].map((entry) => walk(entry) as [unknown, unknown]));
    return Object.fromEntries(
      Object.entries(value).map(([name, field]) => [name, fields.has(name) ? own(field) : walk(field)]),
    );
  };
  return walk(data);
}

/** Ascending, 0 among them; `gap` says how far apart two neighbours are to be. */
export function respaced(
  values: readonly number[],
  gap: (distance: number, below: number) => number,
): Map<number, number> {
  const images = new Map([[0, 0]]);
  let [before, image] = [0, 0];
  for (const value of values) {
    if (value === 0) continue;
    image += gap(value - before, before);
    images.set(value, image);
    before = value;
  }
  return images;
}

/** Whether a message is older than what a node knows: its largest number is below the node's. A message without any is not. */
export function isOlder(message: unknown, known: Iterable<number>, fields: ReadonlySet<string>): boolean {
  const numbers = orderedValues(message, fields);
  return numbers.size > 0 && Math.max(...numbers) < Math.max(0, ...known);
}

/** Gaps are made a little wider, much wider and as narrow as can be to see whether anybody can tell. */
export const FAR = 1_000_003;
const SPACES: readonly ((distance: number) => number)[] = [
  (distance) => distance + 1,
  (distance) => distance + FAR,
  () => 1,
];

/** One way in which numbers are nearer or further apart than they were, for what a handler is given and what it makes of it. */
interface Stretch {
  readonly given: Rename;
  readonly made: Rename;
}

/** All of them; none where every number is next to another one. */
export function stretchesOf(given: ReadonlySet<number>): Stretch[] {
  const values = [...given, 0].sort(SORTED);
  if (values.every((value, i) => i === 0 || value - values[i - 1] <= 1)) return [];
  return SPACES.map((gap) => {
    const images = respaced(values, (distance) => (distance <= 1 ? distance : gap(distance)));
    return {
      given: (value) => images.get(value)!,
      made: (value) => images.get(value) ?? images.get(value - 1)! + 1,
    };
  });
}
