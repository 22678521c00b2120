/** The promises that a command line asks for: plain data, which another thread can read again. */
import { didYouMean, InputError } from "../../../errors.ts";
import { messageBound, type Property, promisesOf, propertyNames, timeBound } from "../../../properties/properties.ts";
import type { AnyProtocol } from "../../../protocol.ts";
import { loadProperties } from "./property-file.ts";

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
