/** Kutten et al., section 3: random walks and the mixing time of definition (1). */

import { type Chain, chainOf, step } from "../topology/chain.ts";
import { complete } from "../topology/complete.ts";
import { hypercube } from "../topology/lattices.ts";
import { mixingTime } from "../topology/mixing.ts";
import { buildNetwork } from "../topology/spec.ts";
import type { Part, Reproduction } from "./claim.ts";
import { lineFigure } from "./draw.ts";
import { levelsOff } from "./kutten-criteria.ts";
import { exactly, verdictIf } from "./verdict.ts";

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

export const mixing: Reproduction = {
  paper: "kutten",
  name: "mixing",
  title: "Section 3: random walks and mixing times",
  async run(bench): Promise<Part> {
    bench.step("Kutten, section 3: mixing times");
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
    return {
      claims: [
        {
          section: "section 3",
          statement: "Clearly, if G is complete then τ(G, n) = 1",
          paper: "1",
          ...exactly(onComplete[onComplete.length - 1]!),
          verdict: verdictIf(onComplete.every((steps) => steps === 1)),
          note: `${onComplete.join(", ")} for n = 3, 10, 100, 500. After one step a walk is certainly not where it began: the difference there is 1/n, and definition (1) asks for 1/(2n). After two it is about 1/n².`,
        },
        {
          section: "section 3",
          statement: "With a_ij = 1/d_i, the distribution after k steps is A^k π_0, and π* = A π*",
          paper: "π* = A π*",
          ...exactly(printed),
          verdict: printed < 1e-12 ? "holds" : verdictIf(transposed < 1e-12, "holds after repair"),
          note: `The largest difference between the two sides on a preferential-attachment graph of 100 nodes. The matrix has to be transposed (then it is ${transposed.toExponential(0)}); as printed the equation is true of regular graphs only.`,
        },
        {
          section: "section 1.1",
          statement: "Expanders have a mixing time of O(log n)",
          paper: "O(log n)",
          ...exactly(perLog[perLog.length - 1]),
          verdict: verdictIf(levelsOff(perLog)),
          note: `τ / ln n at n = 1024, random 8-regular; τ = ${expander.join(", ")} for n = ${SIZES.join(", ")}. Criterion: the ratio stops growing.`,
        },
        {
          section: "section 1.1",
          statement: "Hypercubes have a mixing time of O(log n log log n)",
          paper: "O(log n log log n)",
          ...exactly(perLogs[perLogs.length - 1]),
          verdict: restless.every((steps) => steps !== null)
            ? verdictIf(levelsOff(perLogs))
            : verdictIf(levelsOff(perLogs), "holds after repair"),
          note: `τ / (ln n ln ln n) at n = 1024; τ = ${cube.join(", ")}. This is the lazy walk: hypercubes are bipartite, and under definition (1) their mixing time does not exist.`,
        },
        {
          section: "section 3",
          statement:
            "The mixing time is well-defined only for non-bipartite graphs; a lazy walk mixes on the others too",
          paper: "lazy walk",
          ...exactly(
            `${restless.filter((steps) => steps === null).length} of ${SIZES.length} hypercubes mix only lazily`,
          ),
          verdict: verdictIf(
            restless.every((steps) => steps === null) &&
              [...cube, mixingTime(networkOf("torus", 100), "lazy").steps].every((steps) => steps !== null),
          ),
          note: "Computed for hypercubes, and the lazy walk also for a torus of 10 by 10.",
        },
      ],
      figures: [
        await lineFigure("kutten-mixing", {
          title: "Mixing times under definition (1)",
          caption: "exact; random 8-regular graphs of seed 1, and the lazy walk on hypercubes",
          x: { label: "n (processes)", log: true },
          y: { label: "steps" },
          series: [
            { name: "8-regular", kind: "measured", points: SIZES.map((n, i) => ({ x: n, y: expander[i] })) },
            { name: "hypercube, lazy", kind: "measured", points: SIZES.map((n, i) => ({ x: n, y: cube[i] })) },
            {
              name: "complete",
              kind: "measured",
              points: SIZES.map((n) => ({ x: n, y: mixingTime(complete(n), "simple").steps })),
            },
            { name: "2 ln n", kind: "reference", points: SIZES.map((n) => ({ x: n, y: 2 * Math.log(n) })) },
          ],
        }),
      ],
      text:
        'Mixing times are as the paper says, with two slips: on complete graphs "clearly 1" is 2, and hypercubes, its second example, are bipartite and have none until the walk is made lazy. ' +
        "The definitions take a matrix for its transpose, which matters as soon as degrees differ.",
    };
  },
};
