/** From the text of a link to settings: what is wrong becomes a sentence at its field, and the default is used instead. */

import { InputError } from "../../src/errors.ts";
import { flagOf } from "../../src/flags.ts";
import { theoryOf } from "../../src/simulation/expected.ts";
import { type Request, resolve, type Settings } from "../../src/simulation/settings.ts";
import { SETTINGS } from "../../src/simulation/table.ts";
import type { Fields, Problem } from "../run/types.ts";
import { sentence } from "./telling.ts";

/** Those of a run that nobody has asked anything of yet. */
export const DEFAULTS: Fields = { protocol: "chang-roberts", n: "12", seed: "3" };

/** Above this nobody could wait for a run in a page. */
export const MOST_NODES = 1_000_000;
/** Networks with links of their own are built one by one. */
const MOST_IN_GRAPH = 20_000;
const MOST_LINKS = 4_000_000;

const FIELD_NAMES = new Map(Object.keys(SETTINGS).map((field) => [flagOf(field).slice(2), field]));
const PARAM = "param.";

export interface Resolved {
  readonly settings: Settings;
  readonly problems: readonly Problem[];
  /** Those that hold. */
  readonly fields: Fields;
}

/** Never throws: in the worst case the default run comes out. */
export function resolveFields(given: Fields): Resolved {
  let fields: Record<string, string> = { ...given };
  const problems: Problem[] = [];
  const drop = (field: string, text: string) => {
    delete fields[field];
    // A field can be called like something that every object has.
    problems.push({ field, text, used: Object.hasOwn(DEFAULTS, field) ? DEFAULTS[field] : "" });
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
      fields = { protocol: fields.protocol ?? DEFAULTS.protocol };
      if (firstProblem(fields) !== null) fields = {};
    } else drop(wrong.field, wrong.text);
  }
  return { settings: resolve(requestOf(fields)), problems, fields };
}

function firstProblem(fields: Fields): { readonly field: string; readonly text: string } | null {
  try {
    checkSize(fields);
    checkCost(resolve(requestOf(fields)), MOST_MESSAGES);
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

function isWell(fields: Fields): boolean {
  try {
    checkSize(fields);
    resolve(requestOf(fields));
    return true;
  } catch {
    return false;
  }
}

/** Before anything is built: what would fill the memory of a page is refused in words. */
function checkSize(fields: Fields): void {
  const n = Number(fields.n ?? DEFAULTS.n);
  if (n > MOST_NODES) {
    throw new InputError(
      (name) =>
        `${name("n")} can be at most a million here, not ${fields.n}: a page could not hold more; on the command line "sortition simulate ${fields.protocol ?? DEFAULTS.protocol} --n ${fields.n}" may`,
    );
  }
  const spec = fields.topology;
  if (spec === undefined || ["ring", "complete", "star", "open"].includes(spec)) return;
  const value = Number(/[:](?<value>[\d.e-]+)/.exec(spec)?.groups?.value ?? 8);
  const links = spec.startsWith("er:") ? (value * n * n) / 2 : spec.startsWith("power-law") ? n * 20 : value * n;
  if (n > MOST_IN_GRAPH) {
    throw new InputError(
      (name) => `${name("topology")} "${spec}" can have at most ${MOST_IN_GRAPH} processes here, not ${n}`,
    );
  }
  if (links > MOST_LINKS) {
    throw new InputError((name) => `${name("topology")} "${spec}" of ${n} processes has too many links for a page`);
  }
}

/** Messages of complete networks are all on their way at once, and each takes memory. */
const MOST_MESSAGES = 12_000_000;

/** What theory expects to fill the memory of a page is refused before it does; ids on a ring go one behind the other. */
export function checkCost(settings: Settings, most: number): void {
  const { n, protocol } = settings;
  if (n <= 2_000 || settings.kernel !== null || protocol.assumes.topology === "ring") return;
  const expected = theoryOf(settings).messages ?? 0;
  if (expected <= most) return;
  const about = Number(expected.toPrecision(2)).toLocaleString("en");
  throw new InputError(
    (name) =>
      `${name("n")} = ${n} takes about ${about} messages with ${protocol.name}, too many for a page; the command line may hold them`,
  );
}

export function requestOf(fields: Fields): Request {
  const { protocol = DEFAULTS.protocol, n, seed, ...rest } = fields;
  const settings: Record<string, unknown> = {};
  const params: Record<string, string> = {};
  for (const [name, value] of Object.entries(rest)) {
    if (name.startsWith(PARAM)) params[name.slice(PARAM.length)] = value;
    else settings[FIELD_NAMES.get(name) ?? name] = value;
  }
  const listed = /^\d+(,\d+)+$/.test(rest.ids ?? "");
  // Text as people type it can be read wherever a value is wanted.
  const size = n ?? (listed ? undefined : DEFAULTS.n);
  return {
    protocol,
    ...(size === undefined ? {} : { n: size }),
    seed: seed ?? DEFAULTS.seed,
    ...settings,
    params,
  } as never;
}

/** The same run on the command line. */
export function commandOf({ settings, fields }: Pick<Resolved, "settings" | "fields">, trial: number): string {
  const { protocol, ...rest } = { ...DEFAULTS, ...fields };
  const flags = Object.entries(rest).flatMap(([name, value]) =>
    name.startsWith(PARAM) ? ["--param", quoted(`${name.slice(PARAM.length)}=${value}`)] : [`--${name}`, quoted(value)],
  );
  // Kernels that draw counts instead of nodes have other draws than the run that is watched.
  const kernel = settings.kernel !== null && fields.kernel === undefined ? ["--kernel", "off"] : [];
  return ["sortition simulate", protocol, ...flags, ...kernel, "--trials", String(trial + 1)].join(" ");
}

export const quoted = (value: string): string =>
  /^[\w.,:%=+/-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`;
