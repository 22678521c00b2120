/** From the text of a link to settings: what is wrong becomes a sentence at its field, and the default is used instead. */

import { flagOf, InputError } from "../../src/errors.ts";
import { SETTINGS } from "../../src/settings/simulation.ts";
import { type Request, resolve, type Settings } from "../../src/simulation/settings.ts";
import { bringsItsSize } from "../../src/topology/spec.ts";
import { FIRST_RUN } from "../lessons/first.ts";
import type { Fields, Problem } from "../run/types.ts";
import { commandLine, PARAM } from "./command.ts";
import { checkCost, checkSize, MOST_MESSAGES } from "./limits.ts";
import { choiceOf, fileOf } from "./own.ts";
import { sentence } from "./telling.ts";

const FIELD_NAMES = new Map(Object.keys(SETTINGS).map((field) => [flagOf(field).slice(2), field]));
/** More in one link would be a mistake or an attack. */
const MOST_FIELDS = 60;
/** Of a sentence about a value that may be a book. */
const MOST_LETTERS = 400;
/** Where ids are no list of them. */
const ORDERS = ["random", "increasing", "decreasing"];

interface Resolved {
  readonly settings: Settings;
  readonly problems: readonly Problem[];
  /** Those that hold. */
  readonly fields: Fields;
}

/** Never throws: in the worst case the default run comes out. */
export function resolveFields(given: Fields): Resolved {
  let fields: Record<string, string> = Object.fromEntries(Object.entries(given).slice(0, MOST_FIELDS));
  const problems: Problem[] = [];
  const drop = (field: string, text: string) => {
    delete fields[field];
    // A field can be called like something that every object has.
    problems.push({
      field: field.slice(0, MOST_LETTERS),
      text: clipped(text),
      used: Object.hasOwn(FIRST_RUN, field) ? FIRST_RUN[field] : "",
    });
  };
  for (const field of Object.keys(fields)) {
    const isKnown = field === "protocol" || FIELD_NAMES.has(field) || field.startsWith(PARAM);
    if (!isKnown) drop(field, `There is no setting "${field}".`);
  }
  for (let left = Object.keys(fields).length + 2; left > 0; left--) {
    const wrong = firstProblem(fields);
    if (wrong === null) break;
    if (wrong.field === "") {
      problems.push({ field: "", text: wrong.text, used: "" });
      fields = { protocol: fields.protocol ?? FIRST_RUN.protocol };
      if (firstProblem(fields) !== null) fields = {};
    } else drop(wrong.field, wrong.text);
  }
  const more = Object.keys(given).length - MOST_FIELDS;
  if (more > 0) problems.push({ field: "", text: `${more} more settings are left out: that is too many.`, used: "" });
  return { settings: settingsOf(fields), problems, fields };
}

const clipped = (text: string): string => (text.length <= MOST_LETTERS ? text : `${text.slice(0, MOST_LETTERS)}...`);

function firstProblem(fields: Fields): { readonly field: string; readonly text: string } | null {
  try {
    checkCost(settingsOf(fields), MOST_MESSAGES);
    return null;
  } catch (error) {
    const text = sentence(error instanceof InputError ? error.message : "This cannot be run");
    return { field: culprit(fields, error), text };
  }
}

/** Which field is to blame: one that the message names, or else one without which all is well. */
function culprit(fields: Fields, error: unknown): string {
  const given = Object.keys(fields);
  const named: string[] = [];
  if (error instanceof InputError) {
    error.wording((field) => {
      named.push(flagOf(field).slice(2));
      return field;
    });
    const param = /parameter "?([\w-]+)/.exec(error.message)?.[1];
    if (param !== undefined) named.push(`${PARAM}${param}`);
    if (/protocol/.test(error.message) && named.length === 0 && !isWell({ protocol: fields.protocol })) {
      named.push("protocol");
    }
  }
  const blamed = named.find((field) => given.includes(field));
  if (blamed !== undefined) return blamed;
  const without = given
    .filter((field) => field !== "protocol" && field !== "seed")
    .reverse()
    .find((field) => isWell(Object.fromEntries(Object.entries(fields).filter(([name]) => name !== field))));
  return without ?? "";
}

function settingsOf(fields: Fields): Settings {
  const complete = completed(fields);
  checkSize(complete);
  return resolve(requestOf(complete));
}

function isWell(fields: Fields): boolean {
  try {
    settingsOf(fields);
    return true;
  } catch {
    return false;
  }
}

/** With what every run needs; how many processes there are follows from a list of ids, and from some networks. */
export function completed(fields: Fields): Fields {
  const { n, ...rest } = FIRST_RUN;
  const isListed = fields.ids !== undefined && !ORDERS.includes(fields.ids);
  const isSized = isListed || bringsItsSize(fields.topology ?? "");
  return { ...rest, ...(isSized ? {} : { n }), ...fields };
}

/** Of complete fields. */
export function requestOf({ protocol, ...rest }: Fields): Request {
  const settings: Record<string, unknown> = {};
  const params: Record<string, string> = {};
  for (const [name, value] of Object.entries(rest)) {
    if (name.startsWith(PARAM)) params[name.slice(PARAM.length)] = value;
    else settings[FIELD_NAMES.get(name) ?? name] = value;
  }
  // Text as people type it can be read wherever a value is wanted.
  return { protocol: choiceOf(protocol), ...settings, params } as never;
}

/** The same run on the command line. */
export function commandOf(
  { settings, fields }: Pick<Resolved, "settings" | "fields">,
  trial: number,
  isStepped: boolean,
): string {
  const { protocol, kernel, ...rest } = completed(fields);
  // Who steps through a run takes no kernel, and those that draw counts instead of nodes have other draws.
  const taken = isStepped && settings.kernel !== null ? "off" : kernel;
  const flags = { ...rest, ...(taken === undefined ? {} : { kernel: taken }), trials: String(trial + 1) };
  const file = fileOf(protocol);
  // A lesson's model is known to this page alone.
  if (file === null) return "";
  return commandLine(
    `sortition simulate ${file === undefined ? protocol : `--protocol-file ${file}`}`,
    flags,
    SETTINGS,
  );
}
