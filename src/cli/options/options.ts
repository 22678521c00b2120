/** From tables of settings to the options of a command, and from the text of an option to its value: checked as it is read. */
import { type Command, Option } from "commander";
import { flagOf, InputError } from "../../errors.ts";
import type { Params } from "../../protocols/parameters.ts";
import type { Setting, Table } from "../../setting.ts";
import { number, numbers, readAs, probability as share, whole } from "../../values.ts";

/** An option whose values the Tab key offers. */
export class SettingOption extends Option {
  readonly offers: readonly string[];

  constructor(name: string, setting: Setting<unknown, unknown>, flag = flagOf(name)) {
    const { value, about, words = [] } = setting;
    const fallback = value === undefined ? undefined : (setting.otherwise ?? setting.default);
    const shown = [about, ...(fallback === undefined ? [] : [`(default: ${fallback})`])].join(" ");
    super(value === undefined ? flag : `${flag} <${value}>`, shown);
    this.offers = setting.offers ?? words;
    if (value !== undefined) this.argParser((typed) => readAs(setting, typed, name));
  }
}

export function addSettings(
  command: Command,
  table: Table,
  isShown: (setting: Setting) => boolean = () => true,
): Command {
  for (const [name, setting] of Object.entries(table)) {
    command.addOption(new SettingOption(name, setting).hideHelp(!isShown(setting)));
  }
  return command;
}

export const repeated = (value: string, before: readonly string[] = []): string[] => [...before, value];

export const paramOption = (): Option =>
  new Option("--param <key=value>", "a parameter of the protocol; may be repeated").argParser(repeated);

export const jsonOption = (): Option => new Option("--json", "print one JSON object instead of tables");

export const forceOption = (): Option => new Option("--force", "overwrite files that exist");

export const paramsOf = (pairs: readonly string[] = []): Params => pairsOf(pairs, "--param", "passive=join");

/** KEY=VALUE, each key once. */
export function pairsOf(pairs: readonly string[], option: string, example: string): Record<string, string> {
  const values = new Map<string, string>();
  for (const pair of pairs) {
    const equals = pair.indexOf("=");
    if (equals < 1) throw new InputError(`${option} must be KEY=VALUE, such as ${example}, not "${pair}"`);
    const key = pair.slice(0, equals);
    if (values.has(key)) throw new InputError(`${option} ${key} is given twice`);
    values.set(key, pair.slice(equals + 1));
  }
  return Object.fromEntries(values);
}

export const numberOf = (text: string, option: string): number => readAs(number(), text, option);

export const wholeNumber = (text: string, option: string, least: number, most?: number): number =>
  readAs(whole(least, most), text, option);

export const probabilityOf = (text: string, option: string): number => readAs(share, text, option);

export const listOf = (text: string, option: string): readonly number[] => readAs(numbers, text, option);
