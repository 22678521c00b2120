/** Kutten et al., section 3: random walks and the mixing time of definition (1). */
import { type Chain, chainOf, step } from "../../topology/chain.ts";
import { complete } from "../../topology/complete.ts";
import { hypercube } from "../../topology/lattices.ts";
import { mixingTime } from "../../topology/mixing.ts";
import { buildNetwork } from "../../topology/spec.ts";
import { afterRepair, given, levelsOff, verdictOr } from "../criteria.ts";
import { measured, reference } from "../draw.ts";
import { kutten } from "../texts.ts";

const SIZES = [64, 128, 256, 512, 1024];
const SEED = 1;

const networkOf = (spec: string, n: number) => buildNetwork({ spec, n, seed: SEED, largestComponent: false }).topology;

/** A f, with a_ij = 1/d_i as in the text. */
function rows(chain: Chain, f: Float64Array): Float64Array {
  const out = new Float64Array(chain.size);
  step(chain, f, out);
  return out;
}

/** The transpose: where a walk with distribution f is after one step. */
function columns({ size, offsets, targets, weights }: Chain, f: Float64Array): Float64Array {
  const out = new Float64Array(size);
  for (let v = 0; v < size; v++) {
    for (let i = offsets[v]; i < offsets[v + 1]; i++) out[targets[i]] += weights[i] * f[v];
  }
  return out;
}

const largestGap = (a: Float64Array, b: Float64Array): number =>
  Math.max(...a.map((value, i) => Math.abs(value - b[i])));

kutten("mixing")((_ran, { tell, claims, draw }) => {
  const onComplete = [3, 10, 100, 500].map((n) => mixingTime(complete(n), "simple").steps);
  const expander = SIZES.map((n) => mixingTime(networkOf("regular:8", n), "simple").steps!);
  const cube = SIZES.map((n) => mixingTime(hypercube(n), "lazy").steps!);
  const restless = SIZES.map((n) => mixingTime(hypercube(n), "simple").steps);
  const irregular = chainOf(networkOf("ba:3", 100), "simple");
  const { stationary } = irregular;
  const printed = largestGap(rows(irregular, stationary), stationary);
  const transposed = largestGap(columns(irregular, stationary), stationary);
  const perLog = expander.map((steps, i) => steps / Math.log(SIZES[i]));
  const perLogs = cube.map((steps, i) => steps / (Math.log(SIZES[i]) * Math.log(Math.log(SIZES[i]))));
  const lazily = [...cube, mixingTime(networkOf("torus", 100), "lazy").steps].every((steps) => steps !== null);
  tell({ onComplete, transposed, expander, SIZES, cube, never: restless.filter((steps) => steps === null).length });
  tell({ sizes: SIZES.length });
  claims({
    "complete-mixes": [onComplete[onComplete.length - 1]!, onComplete.every((steps) => steps === 1)],
    stationary: [
      printed,
      given({ printed, transposed }, (off) => verdictOr(off.printed < 1e-12, off.transposed < 1e-12)),
    ],
    "expander-mixing": [perLog[perLog.length - 1], given(perLog, levelsOff)],
    "hypercube-mixing": [
      perLogs[perLogs.length - 1],
      given(perLogs, (ratios) => (restless.includes(null) ? afterRepair(levelsOff(ratios)) : levelsOff(ratios))),
    ],
    bipartite: given({ restless, lazily }, (found) => found.restless.every((steps) => steps === null) && found.lazily),
  });
  draw("kutten-mixing", [
    measured("8-regular", SIZES, (_, i) => expander[i]),
    measured("hypercube, lazy", SIZES, (_, i) => cube[i]),
    measured("complete", SIZES, (n) => mixingTime(complete(n), "simple").steps),
    reference("2 ln n", SIZES, (n) => 2 * Math.log(n)),
  ]);
});
