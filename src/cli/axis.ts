/** `--vary NAME=VALUES`: what a sweep varies, and over which values. */
import { didYouMean, InputError } from "../errors.ts";
import type { AnyProtocol } from "../protocol.ts";
import type { SimulateOptions } from "./request.ts";
import { isNumber } from "./values.ts";

export interface SweepAxis {
  readonly name: string;
  /** As they would be typed after the option or the parameter. */
  readonly values: readonly string[];
  /** The values come from a logarithmic range. */
  readonly log: boolean;
  /** The option that is varied, or null for a parameter of the protocols. */
  readonly option: keyof SimulateOptions | null;
}

/** Options of `simulate` that can be varied, by their names on the command line. */
const OPTIONS: Readonly<Record<string, keyof SimulateOptions>> = {
  n: "n",
  loss: "loss",
  "multicast-loss": "multicastLoss",
  crash: "crash",
  initiators: "initiators",
  delay: "delay",
  topology: "topology",
};

const RANGE = /^([^.,][^,]*?)\.\.([^,:]+?)(:log)?:(\d+)$/;
const MOST_VALUES = 1000;
const FORMS = "NAME=FROM..TO:COUNT, NAME=FROM..TO:log:COUNT or NAME=A,B,C";

export function axisOf(text: string, protocols: readonly AnyProtocol[]): SweepAxis {
  const equals = text.indexOf("=");
  if (equals < 1 || equals === text.length - 1) throw new InputError(`--vary must be ${FORMS}, not «${text}»`);
  const name = text.slice(0, equals);
  const option = OPTIONS[name] ?? null;
  const parameters = protocols.flatMap((protocol) => protocol.parameters.filter((one) => one.name === name));
  if (option === null && parameters.length === 0) throw unknown(name, protocols);
  const whole = option === "n" || option === "initiators" || parameters.some(({ type }) => type === "integer");
  const values = valuesOf(text.slice(equals + 1), text, whole);
  return { name, option, ...values };
}

function valuesOf(text: string, whole: string, integers: boolean): Pick<SweepAxis, "values" | "log"> {
  const range = RANGE.exec(text);
  if (range === null || !isNumber(range[1]) || !isNumber(range[2])) {
    const values = text.split(",").map((value) => value.trim());
    if (values.some((value) => value === "" || /^[\d.]+\.\.[\d.]+$/.test(value))) {
      throw new InputError(`--vary must be ${FORMS}, not «${whole}»`);
    }
    return { values: distinct(values, whole), log: false };
  }
  const [from, to, count] = [Number(range[1]), Number(range[2]), Number(range[4])];
  const log = range[3] !== undefined;
  if (count < 2 || count > MOST_VALUES) {
    throw new InputError(`--vary ${whole}: the number of values must be from 2 to ${MOST_VALUES}, not ${count}`);
  }
  if (log && !(from > 0 && to > 0)) throw new InputError(`--vary ${whole}: a logarithmic range must be above 0`);
  const at = (share: number) => (log ? from * (to / from) ** share : from + (to - from) * share);
  const exact = Array.from({ length: count }, (_, i) => (i === count - 1 ? to : at(i / (count - 1))));
  const texts = exact.map((value) => String(integers ? Math.round(value) : Number(value.toPrecision(12))));
  return { values: [...new Set(texts)], log };
}

function distinct(values: readonly string[], whole: string): readonly string[] {
  const twice = values.find((value, i) => values.indexOf(value) !== i);
  if (twice !== undefined) throw new InputError(`--vary ${whole}: ${twice} is given twice`);
  return values;
}

function unknown(name: string, protocols: readonly AnyProtocol[]): InputError {
  const names = [...Object.keys(OPTIONS), ...new Set(protocols.flatMap((one) => one.parameters.map((p) => p.name)))];
  return new InputError(`cannot vary «${name}»${didYouMean(name, names) || `; choose one of ${names.join(", ")}`}`);
}

/** The options of `simulate` with one value of the axis put in. */
export function withValue(options: SimulateOptions, { name, option }: SweepAxis, value: string): SimulateOptions {
  if (option !== null) return { ...options, [option]: value };
  return { ...options, param: [...(options.param ?? []), `${name}=${value}`] };
}

/** Numbers, shares such as 10%, or words: decides how a figure shows them. */
export function scaleOf({ values }: SweepAxis): "numbers" | "percentages" | "words" {
  if (values.every(isNumber)) return "numbers";
  return values.every((value) => value.endsWith("%") && isNumber(value.slice(0, -1))) ? "percentages" : "words";
}
