/** Kutten et al., steps of proofs that can be computed: equations (2) to (5), Lemma 3, unique ids, and that nothing goes in circles. */
import { HostStream } from "../../random/streams.ts";
import { type CloudOutcome, disjointOutcomes } from "../../theory/kutten/clouds.ts";
import { disjointSuccess, rho } from "../../theory/kutten/kutten.ts";
import { buildNetwork } from "../../topology/spec.ts";
import { afterRepair, given, verdictOr } from "../criteria.ts";
import { kutten } from "../texts.ts";

const SIZES = [...Array.from({ length: 998 }, (_, i) => i + 3), 10_000, 100_000, 1_000_000];
const N = 1000;
/** The nodes at which so many walks end, on average, where all are equally likely. */
const endpoints = (n: number) => n * -Math.expm1(rho(n) * Math.log1p(-1 / n));

const sum = (some: readonly CloudOutcome[], of: (outcome: CloudOutcome) => number = () => 1) =>
  some.reduce((total, outcome) => total + outcome.weight * of(outcome), 0);

/** The weight of everything that can become of a node's cloud, by what `of` makes of the sequence; one text for each node. */
function chancesOf(all: readonly CloudOutcome[], of: (sequence: string) => string): string[] {
  return [0, 1, 2, 3].map((node) => {
    const weights = new Map<string, number>();
    for (const { clouds, weight } of all) {
      const sequence = clouds.get(node);
      if (sequence !== undefined) weights.set(of(sequence), (weights.get(of(sequence)) ?? 0) + weight);
    }
    return JSON.stringify([...weights].sort());
  });
}

/** Lemma 3 and Corollary 2: how many nodes have other chances than the first, of sequences of clouds and of final clouds. */
export function unequalClouds(all: readonly CloudOutcome[]) {
  const different = (of: (sequence: string) => string) => new Set(chancesOf(all, of)).size - 1;
  return { sequences: different((sequence) => sequence), final: different((sequence) => sequence.split(" then ")[1]) };
}

/** What differs, how many sequences there are, and the success given the number of clouds. */
function clouds() {
  const all = disjointOutcomes();
  const three = all.filter((outcome) => outcome.clouds.size === 3);
  const one = sum(three.filter(({ leaders }) => leaders.length === 1)) / sum(three);
  const p = sum(three, ({ leaders }) => leaders.length) / sum(three) / 3;
  const sequences = (JSON.parse(chancesOf(all, (sequence) => sequence)[0]) as unknown[]).length;
  return { sequences, different: unequalClouds(all), one, product: disjointSuccess(3, p) };
}

const RUNS = 200;

/** Walks of one candidate, and the origins that line 7 sets: runs in which one leads in a circle, and in which the candidate gets one. */
function origins() {
  const { topology } = buildNetwork({ spec: "regular:8", n: 100, seed: 1, largestComponent: false });
  let [circles, returned] = [0, 0];
  for (let run = 0; run < RUNS; run++) {
    const source = new HostStream(1, run, "topology");
    const origin = new Map<number, number>();
    let tokens = Array<number>(rho(100)).fill(0);
    for (let step = 0; step < 20; step++) {
      tokens = tokens.map((node) => {
        const next = topology.neighbour(node, source.choose(8));
        if (!origin.has(next)) origin.set(next, node);
        return next;
      });
    }
    if (origin.has(0)) returned++;
    const home = (node: number, left: number): boolean => node === 0 || (left > 0 && home(origin.get(node)!, left - 1));
    if (![...origin.keys()].every((node) => home(node, 20))) circles++;
  }
  return { circles, returned };
}

kutten("steps")((_ran, { tell, claims }) => {
  const missed = (n: number) => (1 - Math.sqrt(Math.log(n) / n)) ** (2 * Math.sqrt(n * Math.log(n)));
  const printed = (2 * Math.sqrt(N * Math.log(N))) / (2 * N);
  const hit = endpoints(N) / (2 * N);
  const large = 10_000;
  const chain = Array.from({ length: 100 }, (_, i) => i + 1).every((f) => {
    const y = f / (large - f);
    return (1 - y) ** f >= Math.exp(-2 * f * y) && Math.exp(-2 * f * y) >= 1 - 2 * f * y;
  });
  // P[S | A] for the least P[S and A] that an error of p allows, against P[A] - p.
  const shares = Array.from({ length: 99 }, (_, i) => (i + 1) / 100);
  const conditioned = shares.every((a) => shares.every((p) => p > a || (a - p) / a >= a - p - 1e-12));
  const { sequences, different, one, product } = clouds();
  const { circles, returned } = origins();
  const unequal = (n: number) => 1 - ((n - 1) * n) / 2 / n ** 4;
  tell({ N, printed, uniform: 2 * hit, most: (1 - 100 / (large - 100)) ** 100 });
  tell({ sequences, product, RUNS, returned });
  claims({
    "equation2-bound": [
      missed(N),
      given(SIZES.map(missed), (some) => some.every((chance, i) => chance <= SIZES[i] ** -2 * (1 + 1e-9))),
    ],
    "equation2-hits": [hit, (x) => afterRepair(x < printed && 2 * x >= printed)],
    "equation3-chain": [1 - (2 * 100 ** 2) / (large - 100), given(chain, (holds) => holds)],
    "equation4-condition": given(conditioned, (holds) => holds),
    "lemma3-equal": [different.sequences, (x) => x === 0],
    "corollary2-equal": [different.final, (x) => x === 0],
    "equation5-product": [one, Math.abs(one - product) < 1e-9],
    "loop-free": [circles, (x) => verdictOr(x + returned === 0, x === 0)],
    "distinct-ids": [
      unequal(N),
      given(SIZES.map(unequal), (some) => some.every((chance, i) => chance >= 1 - 1 / SIZES[i])),
    ],
  });
});
