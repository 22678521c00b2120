/** Settings that nobody thought of: every parameter and fault of a protocol drawn, within what it allows and beyond what is usual. */
import type { Parameter, ParameterValue } from "../../src/protocol.ts";
import type { Source } from "../../src/random/source.ts";
import type { Request } from "../../src/simulation/settings.ts";

const one = <T>(source: Source, values: readonly T[]): T => values[source.choose(values.length)];

/** Small groups, where every corner is met, powers of two and their neighbours, and any. */
const sizeOf = (source: Source, most: number): number =>
  Math.min(most, one(source, [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 65, 1 + source.choose(most)]));

const shareOf = (source: Source): number =>
  one(source, [0, 1, source.uniform(), source.uniform() ** 4, 1 - source.uniform() ** 4]);

function drawnValue(source: Source, { type, min = 0, max = Infinity }: Parameter, n: number): ParameterValue | null {
  if (type === "boolean") return source.coin(0.5);
  if (type === "share") return shareOf(source);
  if (type === "integer") return Math.min(max, min + one(source, [source.choose(4), source.choose(n + 1)]));
  if (type === "number")
    return Math.min(max, Math.max(min, one(source, [1, 2, 5 * source.uniform(), 2 + source.choose(9)])));
  return type === "text" ? null : one(source, type);
}

/** A request for a protocol with these parameters; Many are refused: draw again. */
export function drawnRequest(
  source: Source,
  { name, parameters }: { readonly name: string; readonly parameters: readonly Parameter[] },
  most: number,
): Request {
  const n = sizeOf(source, most);
  const given = parameters.filter(() => source.coin(0.25));
  const params = given.map((parameter) => [parameter.name, drawnValue(source, parameter, n)] as const);
  const rate = () => (source.coin(0.5) ? 0 : shareOf(source));
  const crash = () => ({
    node: source.choose(n),
    at: one(source, [0, 0, -1, source.choose(2 * n), 9 * source.uniform()]),
  });
  return {
    protocol: name,
    n,
    seed: source.choose(2 ** 52),
    ...(source.coin(0.3) ? { initiators: source.choose(n + 1) } : {}),
    ...(source.coin(0.2) ? { host: one(source, ["events", "lockstep"] as const) } : {}),
    ...(source.coin(0.2) ? { delay: `fixed:${one(source, [2, 3, 0.1, 0.7])}` } : {}),
    ...(source.coin(0.1) ? { ids: one(source, ["increasing", "decreasing"] as const) } : {}),
    params: Object.fromEntries(params.filter(([, value]) => value !== null)),
    faults: {
      loss: rate(),
      multicastLoss: rate(),
      crash: source.coin(0.7) ? 0 : shareOf(source),
      crashes: source.coin(0.3) ? Array.from({ length: 1 + source.choose(3) }, crash) : [],
    },
  };
}
