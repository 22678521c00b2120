/** Ramanathan et al., section 6: elections on an estimate of n, and mediators that random walks find. */
import { HostStream } from "../../random/streams.ts";
import { scaled } from "../../statistics/fits.ts";
import { rateOf } from "../../statistics/intervals.ts";
import { quorumMiss } from "../../theory/ramanathan/ramanathan.ts";
import { quorumSize } from "../../theory/ramanathan/sigma.ts";
import { type Chain, chainOf } from "../../topology/chain.ts";
import { mixingBySquaring } from "../../topology/mixing.ts";
import { buildNetwork } from "../../topology/spec.ts";
import type { Topology } from "../../topology/topology.ts";
import { type DeclaredRun, over } from "../claim.ts";
import { all, atLeast, atMost, near } from "../criteria.ts";
import { measured } from "../draw.ts";
import { ramanathan } from "../texts.ts";

const N = 500;
const SMALL = 250;
const CONTENDERS = 20;
const SPARSE = "ba:3";
const EXPANDER = "regular:8";
const GRAPHS = ["ba:2", "ba:3", "er:0.1", EXPANDER];
const NETWORKS = ["regular:4", "hypercube", "ba:2"];
const FACTORS = { quick: [0.25, 1, 2], full: [0.1, 0.25, 0.5, 0.75, 1, 1.5, 2, 4] };
const GAPS = [1, 2, 4, 8];

const believing = (protocol: string) =>
  over(FACTORS, (estimate) => [{ protocol, n: N, initiators: CONTENDERS, params: { estimate } }, [60, 400]]);
const sized = (topology: string, params = {}): DeclaredRun => [
  { protocol: "network-size", n: SMALL, topology, params },
  [60, 400],
];
const networkOf = (spec: string) => buildNetwork({ spec, n: SMALL, seed: 1, largestComponent: false }).topology;
/** The walk that stays where degrees are small, so that every node is equally likely in the end, without Metropolis and Hastings. */
function byLargestDegree(topology: Topology): Chain {
  const chain = chainOf(topology, "simple");
  const degrees = Array.from({ length: chain.size }, (_, node) => topology.degree(node));
  const most = Math.max(...degrees);
  return {
    ...chain,
    weights: chain.weights.map(() => 1 / most),
    rest: Float64Array.from(degrees, (degree) => 1 - degree / most),
    stationary: chain.stationary.map(() => 1 / chain.size),
  };
}

/** Steps to a uniform sample: of the walk of Metropolis and Hastings, and of the walk that goes by the largest degree. */
const toUniform = (spec: string) =>
  [chainOf(networkOf(spec), "metropolis"), byLargestDegree(networkOf(spec))].map((chain) => mixingBySquaring(chain)!);

/** In how many of so many pairs two walks of a quorum's length, from random nodes, have no node in common. */
function missedBySteps(topology: Topology, pairs: number): number {
  const walked = (source: HostStream) => {
    let node = source.choose(SMALL);
    return Array.from({ length: quorumSize(SMALL) }, () => {
      node = topology.neighbour(node, source.choose(topology.degree(node)));
      return node;
    });
  };
  return Array.from({ length: pairs }, (_, trial) => {
    const source = new HostStream(1, trial, "topology");
    const mine = new Set(walked(source));
    return walked(source).every((node) => !mine.has(node));
  }).filter(Boolean).length;
}

ramanathan("section6", {
  re: believing("tournament-async"),
  pq: believing("quorum"),
  untold: [{ protocol: "quorum-estimated", n: N, initiators: CONTENDERS, params: { estimate: 1.5 } }, [30, 400]],
  metropolis: sized(SPARSE),
  simple: sized(SPARSE, { walk: "simple" }),
  fresh: sized(EXPANDER),
  reused: over(GAPS, (gap) => sized(EXPANDER, { gap })),
  walked: over(NETWORKS, (topology) => [
    { protocol: "tournament-async", n: 256, topology, initiators: CONTENDERS },
    [15, 150],
  ]),
})(({ re, pq, untold, metropolis, simple, fresh, reused, walked }, { tell, claims, draw, ...bench }) => {
  const share = ({ measures }: typeof fresh) => scaled(measures.estimate, (n) => n / SMALL);
  const [low, exact, twice] = [0.25, 1, 2].map((factor) => re.of(factor));
  const pairs = bench.trials(2000, 40_000);
  const steps = rateOf(missedBySteps(networkOf(EXPANDER), pairs), pairs);
  const missed = quorumMiss(SMALL, quorumSize(SMALL));
  const found = rateOf(
    walked.reduce((sum, { outcomes }) => sum + outcomes.one, 0),
    walked.length * walked[0].trials,
  );
  const hops = walked.map(({ messages, measures }) => measures.hops.mean! / messages.mean!);
  tell({ N, SMALL, CONTENDERS, SPARSE, NETWORKS, GRAPHS, exact, twice, told: pq.of(1), plain: share(simple).mean });
  const uniform = GRAPHS.map(toUniform);
  const [hastened, plainly] = uniform[GRAPHS.indexOf(SPARSE)];
  tell({ steps: uniform.map((both) => both.join(" and ")).join(", "), hastened, plainly });
  tell({ gaps: reused.map((one) => share(one).mean), fresh: share(fresh).mean, missed, pairs });
  tell({ quorum: quorumSize(SMALL), hops: hops.reduce((a, b) => a + b) / hops.length });
  claims({
    "size-needed": [
      low.success,
      all(atMost(low.success, 0.9), ...[exact, twice].map(({ success }) => atLeast(success, 0.95, 0.9))),
    ],
    "size-estimated": [untold.success, atLeast(untold.success, 0.95, 0.9)],
    "metropolis-uniform": [share(metropolis), near(share(metropolis), 1, 0.05)],
    "metropolis-hastens": [hastened / plainly, (x) => x < 1 && uniform.every(([mine, other]) => mine <= other)],
    "successive-steps": [share(reused[0]), near(share(reused[0]), 1, 0.05)],
    "successive-quorums": [steps, atMost(steps, 2 * missed)],
    "mediators-found": [found, atLeast(found, 0.95, 0.9)],
  });
  draw("ramanathan-section6", [
    measured("RE (tournament-async)", re, ({ success }) => success),
    measured("PQ (quorum)", pq, ({ success }) => success),
  ]);
});
