/** The promises that `explore` checks: those of an election by their names, and the user's from `--property-file mine.ts`. */
import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { Option } from "commander";
import { didYouMean, InputError } from "../../../errors.ts";
import { messageBound, type Property, promisesOf, propertyNames, timeBound } from "../../../properties/properties.ts";
import type { AnyProtocol } from "../../../protocol.ts";

export const propertyFileOption = (): Option =>
  new Option("--property-file <file>", "custom promises to check as well: a module that exports properties");

const WHEN = ["always", "end", "forever", "eventually"];

/** Everything that the module exports, alone or in lists. */
export async function loadProperties(file: string | undefined): Promise<readonly Property[]> {
  if (file === undefined) return [];
  if (!existsSync(file)) throw new InputError(`cannot read the property file ${file}: there is no such file`);
  let exported: Readonly<Record<string, unknown>>;
  try {
    exported = await import(pathToFileURL(file).href);
  } catch (error) {
    const { name, message } = error as Error;
    throw new InputError(`${file} fails while it is loaded, ${name}: ${String(message).replace(/\s*\n\s*/g, " ")}`);
  }
  const found = [...new Set(Object.values(exported).flat())].filter(looksLikeOne);
  if (found.length === 0) {
    throw new InputError(`${file} exports no property: export an object with name, about, when and violated(view)`);
  }
  for (const [i, property] of found.entries()) {
    check(property, file);
    const { name } = property;
    if (Object.hasOwn(propertyNames, String(name)) || found.findIndex((other) => other.name === name) < i) {
      throw new InputError(`${file}: there are two properties "${name}": call one otherwise`);
    }
  }
  return found as unknown as Property[];
}

const looksLikeOne = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && "violated" in value;

function check({ name, when, violated, fairness, counts }: Record<string, unknown>, file: string): void {
  const wrong = (what: string) => new InputError(`${file}: ${what}`);
  if (typeof name !== "string" || name === "") throw wrong("a property has no name: give it one, as text");
  if (!WHEN.includes(String(when))) throw wrong(`"${name}" must say when it holds: ${WHEN.join(", ")}; not "${when}"`);
  if (typeof violated !== "function") throw wrong(`"${name}" has no function violated(view)`);
  if (fairness !== undefined && fairness !== "weak" && fairness !== "strong") {
    throw wrong(`the fairness of "${name}" must be weak or strong, not "${fairness}"`);
  }
  if (counts !== undefined && counts !== "time") throw wrong(`"${name}" can count time, and nothing else`);
}

// The promises that a command line asks for: plain data, which another thread can read again.

export interface PromiseOptions {
  readonly property?: readonly string[] | undefined;
  readonly propertyFile?: string | undefined;
  readonly maxMessages?: number | undefined;
  readonly maxTime?: number | undefined;
  /** Whether nodes may crash, which adds a promise. */
  readonly crashes?: boolean;
}

/** Those named, or all of the protocol and of the file; then bounds. */
export async function promisesFrom(
  protocol: AnyProtocol,
  { property, propertyFile, maxMessages, maxTime, crashes }: PromiseOptions,
): Promise<readonly (string | Property)[]> {
  const own = await loadProperties(propertyFile);
  const named = property?.map((name) => own.find((each) => each.name === name) ?? knownName(name, own));
  return [
    ...(named ?? [...promisesOf(protocol, crashes), ...own]),
    ...(maxMessages === undefined ? [] : [messageBound(maxMessages)]),
    ...(maxTime === undefined ? [] : [timeBound(maxTime)]),
  ];
}

function knownName(name: string, own: readonly Property[]): string {
  const known = [...own.map((property) => property.name), ...Object.keys(propertyNames)];
  if (known.includes(name)) return name;
  throw new InputError(`unknown property "${name}"${didYouMean(name, known) || `; choose from ${known.join(", ")}`}`);
}
