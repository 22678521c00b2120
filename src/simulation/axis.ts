/** `--vary NAME=VALUES`: what a sweep varies, and over which values. */
import { didYouMean, flagOf, InputError } from "../errors.ts";
import type { AnyProtocol } from "../protocol.ts";
import type { Given, Setting } from "../setting.ts";
import { SETTINGS } from "../settings/simulation.ts";
import { isNumber, isPercentage, readAs, shareOf } from "../values.ts";

export interface SweepAxis {
  /** As on the command line. */
  readonly name: string;
  /** As they would be typed after the option or the parameter. */
  readonly values: readonly string[];
  /** The values come from a logarithmic range. */
  readonly log: boolean;
  /** The setting that is varied, by its field; null for a parameter of the protocols. */
  readonly field: keyof typeof SETTINGS | null;
  /** For the axis of a figure. */
  readonly unit: string | null;
  /** Points are compared with each other. */
  readonly comparable: boolean;
}

/** Settings that can be varied, by their names on the command line. */
const VARIABLE = new Map(
  Object.entries<Setting<unknown, unknown>>(SETTINGS)
    .filter(([, { varies }]) => varies)
    .map(([field, setting]) => [flagOf(field).slice(2), { field: field as keyof typeof SETTINGS, setting }]),
);

export const variableNames = (): string => [...VARIABLE.keys()].join(", ");

const RANGE = /^([^.,][^,]*?)\.\.([^,:]+?)(:log)?:(\d+)$/;
const MOST_VALUES = 1000;
const FORMS = "NAME=FROM..TO:COUNT, NAME=FROM..TO:log:COUNT or NAME=A,B,C";

export function axisOf(text: string, protocols: readonly AnyProtocol[]): SweepAxis {
  const equals = text.indexOf("=");
  if (equals < 1 || equals === text.length - 1) throw new InputError(`--vary must be ${FORMS}, not "${text}"`);
  const name = text.slice(0, equals);
  const known = VARIABLE.get(name) ?? null;
  const parameters = protocols.flatMap((protocol) => protocol.parameters.filter((one) => one.name === name));
  if (known === null && parameters.length === 0) throw unknown(name, protocols);
  const whole = known?.setting.isWhole ?? parameters.some(({ type }) => type === "integer");
  return {
    name,
    ...valuesOf(text.slice(equals + 1), text, whole),
    field: known?.field ?? null,
    unit: known?.setting.unit ?? null,
    comparable: known?.setting.incomparable !== true,
  };
}

function valuesOf(text: string, whole: string, integers: boolean): Pick<SweepAxis, "values" | "log"> {
  const range = RANGE.exec(text);
  const ends = range === null ? [] : [range[1], range[2]];
  const percent = ends.length > 0 && ends.every(isPercentage);
  if (range === null || !(percent || ends.every(isNumber))) {
    const values = text.split(",").map((value) => value.trim());
    if (values.some((value) => value === "" || /^[\d.]+%?\.\.[\d.]+%?$/.test(value))) {
      throw new InputError(`--vary must be ${FORMS}, not "${whole}"`);
    }
    return { values: distinct(values, whole), log: false };
  }
  const [from, to, count] = [Number.parseFloat(ends[0]), Number.parseFloat(ends[1]), Number(range[4])];
  const log = range[3] !== undefined;
  if (count < 2 || count > MOST_VALUES) {
    throw new InputError(`--vary ${whole}: the number of values must be from 2 to ${MOST_VALUES}, not ${count}`);
  }
  if (log && !(from > 0 && to > 0)) throw new InputError(`--vary ${whole}: a logarithmic range must be above 0`);
  const at = (share: number) => (log ? from * (to / from) ** share : from + (to - from) * share);
  const exact = Array.from({ length: count }, (_, i) => (i === count - 1 ? to : at(i / (count - 1))));
  const texts = exact.map((value) =>
    percent
      ? `${Number(value.toPrecision(12))}%`
      : String(integers ? Math.round(value) : Number(value.toPrecision(12))),
  );
  return { values: [...new Set(texts)], log };
}

function distinct(values: readonly string[], whole: string): readonly string[] {
  const plain = values.map((value) => (Number.isNaN(shareOf(value)) ? value : String(shareOf(value))));
  const twice = plain.find((value, i) => plain.indexOf(value) !== i);
  if (twice !== undefined) throw new InputError(`--vary ${whole}: ${twice} is given twice`);
  return values;
}

function unknown(name: string, protocols: readonly AnyProtocol[]): InputError {
  const names = [...VARIABLE.keys(), ...new Set(protocols.flatMap((one) => one.parameters.map((p) => p.name)))];
  return new InputError(`cannot vary "${name}"${didYouMean(name, names) || `; choose one of ${names.join(", ")}`}`);
}

/** Settings and parameters as the command line gives them. */
interface Varied extends Given<typeof SETTINGS> {
  readonly param?: readonly string[];
}

/** The options of `simulate` with one value of the axis put in. */
export function withValue<O extends Varied>(options: O, { name, field }: SweepAxis, value: string): O {
  if (field !== null) return { ...options, [field]: readAs<unknown>(SETTINGS[field], value, field) };
  return { ...options, param: [...(options.param ?? []), `${name}=${value}`] };
}

/** Numbers, shares such as 10%, or words: decides how a figure shows them. */
export function scaleOf({ values }: SweepAxis): "numbers" | "percentages" | "words" {
  if (values.every(isNumber)) return "numbers";
  return values.every(isPercentage) ? "percentages" : "words";
}
