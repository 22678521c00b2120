/** From what a user gave to the parameters a protocol runs with. */
import { didYouMean, InputError } from "../errors.ts";
import type { AnyProtocol, NetworkFacts, Parameter, ParameterValue } from "../protocol.ts";
import { shareOf } from "../values.ts";

/** Parameters of a protocol by name. */
export type Params = Readonly<Record<string, ParameterValue>>;

/** A network in which a message takes one unit of time: lock-step, the explorer, and the default of the events host. */
const UNIT_DELAY: NetworkFacts = { maxDelay: 1 };

/** Every parameter of the protocol, given or by default, for n processes. Values may be given as text. */
export function resolveParameters(protocol: AnyProtocol, given: Params, n: number, network = UNIT_DELAY): Params {
  const known = protocol.parameters.map((parameter) => parameter.name);
  for (const name of Object.keys(given)) {
    if (known.includes(name)) continue;
    const choices = known.length > 0 ? `it has ${known.join(", ")}` : "it has none";
    throw new InputError(`${protocol.name} has no parameter "${name}"${didYouMean(name, known) || `; ${choices}`}`);
  }
  const resolved: Record<string, ParameterValue> = {};
  for (const parameter of protocol.parameters) {
    const { name, words } = parameter;
    const value = Object.hasOwn(given, name)
      ? given[name]
      : typeof parameter.default === "function"
        ? parameter.default(n, resolved, network)
        : parameter.default;
    if (words !== undefined && Object.hasOwn(words, String(value))) resolved[name] = words[String(value)](n, resolved);
    else resolved[name] = Object.hasOwn(given, name) ? parse(parameter, value) : value;
  }
  const refusal = protocol.refuse?.(resolved, n) ?? null;
  if (refusal !== null) throw new InputError(`${protocol.name}: ${refusal}`);
  return resolved;
}

/** Whether the protocol, with these parameters, runs in synchronous rounds. */
export const isSynchronous = (protocol: AnyProtocol, params: unknown): boolean =>
  (protocol.timing?.(params) ?? protocol.assumes.timing) === "synchronous";

function parse(parameter: Parameter, value: ParameterValue): ParameterValue {
  const { name, type, min, max } = parameter;
  const refuse = (wanted: string) => new InputError(`parameter ${name} must be ${wanted}, not "${value}"`);
  if (typeof type !== "string") {
    if (!type.includes(String(value))) throw refuse(`one of ${type.join(", ")}`);
    return String(value);
  }
  if (type === "boolean") {
    if (String(value) !== "true" && String(value) !== "false") throw refuse("true or false");
    return String(value) === "true";
  }
  if (type === "text") return String(value);
  const words = Object.keys(parameter.words ?? {});
  const number = shareOf(value);
  if (type === "share" && !(number >= 0 && number <= 1)) throw refuse(["a share from 0 to 1", ...words].join(" or "));
  if (!Number.isFinite(number) || (type !== "share" && String(value).endsWith("%"))) {
    throw refuse(["a number", ...words].join(" or "));
  }
  if (type === "integer" && !Number.isSafeInteger(number)) throw refuse("a whole number");
  if (min !== undefined && number < min) throw refuse(`at least ${min}`);
  if (max !== undefined && number > max) throw refuse(`at most ${max}`);
  return number;
}
