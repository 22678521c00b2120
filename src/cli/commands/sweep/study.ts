/** The file of a sweep (YAML): its protocols, what varies, and any option of the command by its name. */
import type { Command, Option } from "commander";
import { parse } from "yaml";
import { didYouMean, InputError } from "../../../errors.ts";
import { readInput } from "../../files.ts";

/** Options as the command line gives them, with those of the file where the command line is silent. */
export function withStudy<O extends object>(
  command: Command,
  file: string,
  options: O,
): { readonly protocols: string | undefined; readonly options: O } {
  const study = readStudy(file);
  const { protocols, vary, params, ...others } = study;
  const added: Record<string, unknown> = {};
  const isGiven = (attribute: string) => command.getOptionValueSource(attribute) === "cli";
  if (vary !== undefined && !isGiven("vary")) added.vary = pairs(vary, "vary", file);
  if (params !== undefined && !isGiven("param")) added.param = pairs(params, "params", file);
  const known = command.options.filter(({ long }) => long !== undefined && !SPECIAL.includes(long));
  for (const [name, value] of Object.entries(others)) {
    const option = known.find(({ long }) => long === `--${name}`);
    if (option === undefined) throw unknownName(name, file, known);
    if (!isGiven(option.attributeName())) added[option.attributeName()] = readOption(option, value, name, file);
  }
  return { protocols: protocols === undefined ? undefined : textOf(protocols), options: { ...options, ...added } };
}

/** What stands in a file under another name, or nowhere. */
const SPECIAL: readonly string[] = ["--file", "--vary", "--param", "--help", "--svg"];

function readStudy(file: string): Readonly<Record<string, unknown>> {
  const text = readInput(file, "the file of the sweep");
  let study: unknown;
  try {
    study = parse(text);
  } catch (error) {
    throw new InputError(`${file} is not YAML: ${(error as Error).message.split("\n")[0]}`);
  }
  if (typeof study !== "object" || study === null || Array.isArray(study)) {
    throw new InputError(`${file} must have names and values, such as "trials: 200"`);
  }
  return study as Readonly<Record<string, unknown>>;
}

function unknownName(name: string, file: string, known: readonly Option[]): InputError {
  const names = ["protocols", "vary", "params", ...known.map(({ long }) => long!.slice(2))];
  return new InputError(`${file}: sweep has no option "${name}"${didYouMean(name, names)}`);
}

function pairs(given: unknown, name: string, file: string): string[] {
  if (typeof given === "object" && given !== null && !Array.isArray(given)) {
    return Object.entries(given).map(([key, values]) => `${key}=${textOf(values)}`);
  }
  throw new InputError(`${file}: ${name} must have names and values, such as "n: [10, 20]"`);
}

/** A list is what stands between commas on the command line. */
const textOf = (given: unknown): string => (Array.isArray(given) ? given.map(String).join(",") : String(given));

function readOption(option: Option, given: unknown, name: string, file: string): unknown {
  if (option.isBoolean() || (option.optional && typeof given === "boolean")) {
    if (typeof given === "boolean") return given ? true : undefined;
    throw new InputError(`${file}: ${name} must be true or false, not ${JSON.stringify(given)}`);
  }
  const text = textOf(given);
  if (option.argChoices !== undefined && !option.argChoices.includes(text)) {
    throw new InputError(`${file}: ${name} must be one of ${option.argChoices.join(", ")}, not "${text}"`);
  }
  return option.parseArg === undefined ? text : option.parseArg(text, undefined);
}
