/** From what a user gave to the parameters a protocol runs with. */
import { didYouMean, InputError } from "../errors.ts";
import type { AnyProtocol, NetworkFacts, Parameter, ParameterValue } from "../protocol.ts";
import { choice, type Kind, number, probability, whole, wrongValueIn, yesOrNo } from "../values.ts";

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
  const kind = kindOf(parameter);
  const read = kind.read(value);
  if (read !== undefined) return read;
  const wanted = [kind.wanted, ...Object.keys(parameter.words ?? {})].join(" or ");
  throw new InputError(
    `parameter ${parameter.name} must be ${wanted}, not "${value}"${wrongValueIn(kind, value).near}`,
  );
}

/** As settings are read: a number may be given as text. */
function kindOf({ type, min, max }: Parameter): Kind<ParameterValue, unknown> {
  if (typeof type !== "string") {
    const words = choice(...type);
    return { ...words, read: (given) => words.read(String(given)) };
  }
  switch (type) {
    case "boolean":
      return yesOrNo;
    case "text":
      return { wanted: "text", read: String };
    case "share":
      return shareWithin(min, max);
    case "integer":
      return whole(min, max);
    case "number":
      return number(min, false, max);
  }
}

const shareWithin = (least = 0, most = 1): Kind<number> => ({
  wanted: `a share from ${least} to ${most}`,
  read(given) {
    const share = probability.read(given);
    return share !== undefined && share >= least && share <= most ? share : undefined;
  },
});
