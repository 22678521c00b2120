/** Kutten et al. on other networks: Theorem 2, and Algorithm 2 as printed. */
import { resolve } from "../../simulation/settings.ts";
import { exponentOf, scaled } from "../../statistics/fits.ts";
import { rateOf } from "../../statistics/intervals.ts";
import type { Report } from "../../statistics/report.ts";
import { walkMessageBound } from "../../theory/kutten/kutten.ts";
import { diameterOf } from "../../topology/diameter.ts";
import { buildNetwork } from "../../topology/spec.ts";
import { type DeclaredRun, type Judged, over, type Trials } from "../claim.ts";
import {
  afterRepair,
  all,
  allowedErrors,
  atMost,
  enoughRuns,
  failedElections,
  levelsOff,
  verdictOr,
  withHighProbability,
} from "../criteria.ts";
import { bound, growthOf, measured, pointAt, reference } from "../draw.ts";
import { kutten } from "../texts.ts";

const NETWORKS = [
  ["complete", 500],
  ["regular:8", 500],
  ["hypercube", 512],
  ["ba:3", 500],
  ["torus", 225],
] as const;
const SIZES = [64, 128, 256, 512, 1024];
/** Dense random graphs, on which to tell everybody. */
const DENSE = [125, 250, 500];

/** The families of section 1.1: what the paper says of their time, and the bound on their messages without √n. */
const FAMILIES = [
  ["expanders", (n: number) => Math.log(n), (n: number) => Math.log(n) ** 2.5],
  [
    "hypercubes",
    (n: number) => Math.log(n) * Math.log(Math.log(n)),
    (n: number) => Math.log(n) ** 2.5 * Math.log(Math.log(n)),
  ],
] as const;

const walks = (n: number, topology: string, params = {}, trials: Trials = [30, 200]): DeclaredRun => [
  { protocol: "random-walks", n, topology, params },
  trials,
];
const family = (topology: string) => over(SIZES, (n) => walks(n, topology, {}, [40, 120]));
const TAU = resolve({ protocol: "random-walks", n: 500, topology: "regular:8" }).params.tau as number;

kutten("theorem2", {
  reports: over(NETWORKS, ([topology, n]) => walks(n, topology)),
  expanders: family("regular:8"),
  hypercubes: family("hypercube"),
  single: walks(500, "regular:8", { tau: 1 }),
  half: walks(500, "regular:8", { tau: Math.ceil(TAU / 2) }, [30, 800]),
  twice: walks(500, "regular:8", { tau: 2 * TAU }, [30, 800]),
  told: over(DENSE, (n) => walks(n, "er:0.2", { explicit: true }, [5, 20])),
})(({ reports, expanders, hypercubes, half, twice, told }, { tell, claims, draw }) => {
  const grown = { expanders, hypercubes };
  const walked = [...reports, ...expanders, ...hypercubes];
  const exponent = (some: readonly Report[], unit: (report: Report) => number) =>
    exponentOf(
      some.map((one) =>
        pointAt(
          one.n,
          scaled(one.messages, (m) => m / unit(one)),
        ),
      ),
    );
  const perNode = told.map(({ n, measures }) => measures.announcements.mean! / n);
  const density = growthOf(told, ({ n, measures }) => scaled(measures.announcements, (count) => count / n));
  const beyond = Math.max(
    ...told.map(({ n, rounds, measures, seed }) => {
      const { topology } = buildNetwork({ spec: "er:0.2", n, seed, largestComponent: false });
      return rounds.max! - 2 * measures.tau.max! - diameterOf(topology).most;
    }),
  );
  const slope = exponent(expanders, ({ n, measures }) => measures.tau.mean! * Math.log(n) ** 1.5);
  const bits = expanders.map(({ n, bits, messages }) => bits.mean! / messages.mean! / Math.log2(n));
  const [errors, allowed] = [failedElections(walked), allowedErrors(walked)];
  const below = walked.every(({ n, messages, measures }) => messages.max! < walkMessageBound(n, measures.tau.max!));
  const families = FAMILIES.flatMap(([name, time, messages]): [string, Judged][] => {
    const members = grown[name];
    const times = members.map(({ n, rounds }) => rounds.max! / time(n));
    const growth = exponent(members, ({ n }) => messages(n));
    const most = members[members.length - 1].messages.mean;
    return [
      [
        `${name}-time`,
        [times[times.length - 1], afterRepair(all(levelsOff(times), enoughRuns(members, 40))), { times }],
      ],
      [`${name}-messages`, [growth, afterRepair(atMost(growth, 0.5)), { most }]],
    ];
  });
  tell({ errors, allowed, tau: TAU, trials: half.trials, perNode, DENSE, beyond });
  claims({
    "walks-whp": afterRepair(withHighProbability(walked)),
    "walks-rounds": [
      Math.max(...walked.map(({ rounds, measures }) => rounds.max! / measures.tau.max!)),
      afterRepair(
        all(
          walked.every(({ rounds, measures }) => rounds.max! <= 2 * measures.tau.max!),
          enoughRuns(walked, 30),
        ),
      ),
    ],
    "walks-messages": [slope, afterRepair(all(atMost(slope, 0.5), below))],
    "walks-congest": [
      bits[bits.length - 1],
      afterRepair(
        all(
          bits.slice(1).every((share, i) => share <= bits[i]),
          enoughRuns(expanders, 40),
        ),
      ),
    ],
    ...Object.fromEntries(families),
    "tau-estimate": afterRepair(withHighProbability([half, twice])),
    "broadcast-messages": [density, atMost(density, 0.1)],
    "broadcast-time": all(beyond <= 1, enoughRuns(told, 5)),
  });
  draw("kutten-theorem2", [
    [
      ...Object.entries(grown).flatMap(([name, some]) => [
        measured(name, some, ({ n, messages }) => pointAt(n, messages)),
        bound(name, some, ({ n, measures }) => ({ x: n, y: walkMessageBound(n, measures.tau.mean!) })),
      ]),
      reference("n", SIZES, (n) => n),
    ],
    Object.entries(grown).flatMap(([name, some]) => [
      measured(name, some, ({ n, rounds }) => pointAt(n, rounds)),
      bound(name, some, ({ n, measures }) => ({ x: n, y: 2 * measures.tau.max! })),
    ]),
  ]);
});

const READINGS = [
  ["repaired", "one per walk that ends there"],
  ["printed", "one per node where walks end"],
  ["printed-visited", "one per visited node"],
] as const;
const OUTCOMES = { none: "no leader", one: "one leader", many: "several" } as const;

kutten("algorithm2", {
  rows: over(READINGS, ([reading]) => {
    const request = { protocol: "random-walks", params: { reading } };
    return reading === "printed-visited" ? [{ ...request, n: 4000 }, [5, 50]] : [{ ...request, n: 100 }, [40, 400]];
  }),
})(({ rows }, { tell, claims, draw }) => {
  const [repaired, endpoints, visited] = rows;
  const works = (report: Report) => withHighProbability([report]);
  tell({ repaired, endpoints, visited });
  claims({ "count-printed": verdictOr(works(endpoints), works(repaired)), "count-visited": works(visited) });
  draw(
    "kutten-algorithm2",
    (["none", "one", "many"] as const).map((outcome) =>
      measured(OUTCOMES[outcome], READINGS, ([, what], i) =>
        pointAt(what, rateOf(rows[i].outcomes[outcome], rows[i].trials)),
      ),
    ),
  );
});
