/** How time, messages and memory grow with n, for every protocol, with its defaults: fitted over the upper half of the sizes that fit. */
import { catalogue } from "../src/protocols/catalogue.ts";
import { fittedExponent } from "../src/statistics/fits.ts";
import type { Measured } from "./measured.ts";
import { ours } from "./programs.ts";
import { ownNetwork } from "./settings.ts";

export interface Growth {
  readonly protocol: string;
  readonly kernel: string | null;
  readonly points: readonly {
    readonly n: number;
    readonly seconds: number;
    readonly messages: number;
    readonly bits: number;
    readonly rounds: number;
    readonly megabytes: number;
  }[];
  /** Of n, as fitted on logarithms; null where there are too few sizes, or it does not grow. */
  readonly exponents: {
    readonly seconds: number | null;
    readonly messages: number | null;
    readonly megabytes: number | null;
  };
}

const FIRST = 1024;
const LAST = 2 ** 30;
const STEP = 4;
/** Seconds of a trial up to which several are run, after one that pays for the compiler; many would leave garbage that counts as memory. */
const SHORT = 0.2;

/** `most`: about as long as one trial may take, in seconds; no larger size is tried after that. */
export function* growth(most: number): Generator<Growth> {
  for (const entry of catalogue) {
    const { name: protocol } = entry;
    const measure = (n: number, trials: number, warm: number) =>
      ours({ request: { protocol, n, seed: 1, ...ownNetwork(entry) }, trials, warm });
    const empty = measure(16, 1, 0).megabytes!;
    const points: Growth["points"][number][] = [];
    let kernel: string | null = null;
    for (let n = FIRST, last = 0; n <= LAST && last * STEP <= 2 * most; n *= STEP) {
      const trials = last < SHORT ? 3 : 1;
      let measured: Measured;
      try {
        measured = measure(n, trials, last < SHORT ? 1 : 0);
      } catch {
        break;
      }
      kernel = measured.kernel ?? null;
      last = measured.seconds / trials;
      const each = (total: number | undefined) => total! / trials;
      points.push({
        n,
        seconds: last,
        messages: each(measured.messages),
        bits: each(measured.bits),
        rounds: each(measured.rounds),
        megabytes: Math.max(0, measured.megabytes! - empty),
      });
    }
    yield { protocol, kernel, points, exponents: exponentsOf(points) };
  }
}

/** Over the upper half of the sizes, and at least three of them. */
function exponentsOf(points: Growth["points"]): Growth["exponents"] {
  const upper = points.slice(Math.max(0, Math.min(Math.floor(points.length / 2), points.length - 3)));
  const exponent = (of: "seconds" | "messages" | "megabytes") => slope(upper.map((point) => [point.n, point[of]]));
  return { seconds: exponent("seconds"), messages: exponent("messages"), megabytes: exponent("megabytes") };
}

function slope(pairs: readonly (readonly [number, number])[]): number | null {
  const positive = pairs.filter(([, y]) => y > 0);
  return positive.length < 3 ? null : fittedExponent(positive);
}
