/** Kutten et al. on other networks: Theorem 2, and Algorithm 2 as printed. */

import { resolve } from "../simulation/settings.ts";
import { rateOf } from "../statistics/intervals.ts";
import type { Report } from "../statistics/report.ts";
import { walkMessageBound } from "../theory/kutten.ts";
import { diameterOf } from "../topology/diameter.ts";
import { buildNetwork } from "../topology/spec.ts";
import type { Claim } from "./claim.ts";
import { computed, exponentOf, lineFigure, meanAt, panelFigure, plotted, rateAt, scaledAt } from "./draw.ts";
import { allowedErrors, errorsOf, levelsOff } from "./kutten-criteria.ts";
import { textsOf } from "./texts.ts";
import { afterRepair, verdictOr } from "./verdict.ts";

const { claim, item, worded } = textsOf("kutten");

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
  {
    topology: "regular:8",
    family: "expanders",
    time: (n: number) => Math.log(n),
    timeText: "O(log n)",
    messages: (n: number) => Math.log(n) ** 2.5,
    messagesText: "O(√n log^2.5 n)",
    note: "Random 8-regular graphs of 64 to 1024 nodes.",
  },
  {
    topology: "hypercube",
    family: "hypercubes",
    time: (n: number) => Math.log(n) * Math.log(Math.log(n)),
    timeText: "O(log n log log n)",
    messages: (n: number) => Math.log(n) ** 2.5 * Math.log(Math.log(n)),
    messagesText: "O(√n log^2.5 n log log n)",
    note: "Hypercubes of 64 to 1024 nodes. They are bipartite, so that Theorem 2 does not apply to them as section 1.1 has it; this is the lazy walk that section 3 proposes for such graphs.",
  },
] as const;

export const theorem2 = item("theorem2", async (bench) => {
  const trials = bench.trials(30, 200);
  const walks = (n: number, topology: string, params = {}, count = trials) =>
    bench.simulate({ protocol: "random-walks", n, topology, params }, count);
  const reports = await bench.each(NETWORKS, ([topology, n]) => walks(n, topology));
  const grown = new Map<string, Report[]>();
  for (const { topology } of FAMILIES) {
    grown.set(topology, []);
    for (const n of SIZES) {
      grown.get(topology)!.push(await walks(n, topology, {}, bench.trials(40, 120)));
    }
  }
  const expanders = grown.get("regular:8")!;
  const all = [...reports, ...[...grown.values()].flat()];
  const tau = resolve({ protocol: "random-walks", n: 500, topology: "regular:8" }).params.tau as number;
  const [single, half, twice] = [
    await walks(500, "regular:8", { tau: 1 }),
    await walks(500, "regular:8", { tau: Math.ceil(tau / 2) }),
    await walks(500, "regular:8", { tau: 2 * tau }),
  ];
  const told = await bench.each(DENSE, (n) => walks(n, "er:0.2", { explicit: true }, bench.trials(5, 20)));
  const perNode = told.map(({ n, measures }) => scaledAt(n, measures.announcements, (count) => count / n));
  const density = exponentOf(perNode);
  const beyondDiameter = told.map(({ n, rounds, measures, seed }) => {
    const { topology } = buildNetwork({ spec: "er:0.2", n, seed, largestComponent: false });
    return rounds.max! - 2 * measures.tau.max! - diameterOf(topology).most;
  });
  const slope = exponentOf(
    expanders.map(({ n, messages, measures }) =>
      scaledAt(n, messages, (m) => m / (measures.tau.mean! * Math.log(n) ** 1.5)),
    ),
  );
  const bits = expanders.map(({ n, bits, messages }) => bits.mean! / messages.mean! / Math.log2(n));
  const claims: Claim[] = [
    worded("walks-whp", afterRepair(errorsOf(all) <= allowedErrors(all)), {
      allowed: allowedErrors(all),
      errors: errorsOf(all),
    }),
    claim(
      "walks-rounds",
      Math.max(...all.map(({ rounds, measures }) => rounds.max! / measures.tau.max!)),
      afterRepair(all.every(({ rounds, measures }) => rounds.max! <= 2 * measures.tau.max!)),
    ),
    claim(
      "walks-messages",
      slope,
      afterRepair(
        slope.interval[1] < 0.5 &&
          all.every(({ n, messages, measures }) => messages.max! < walkMessageBound(n, measures.tau.max!)),
      ),
    ),
    claim("walks-congest", bits[bits.length - 1], afterRepair(bits.slice(1).every((share, i) => share <= bits[i]))),
    ...FAMILIES.flatMap(({ topology, family, time, timeText, messages, messagesText, note }): Claim[] => {
      const members = grown.get(topology)!;
      const times = members.map(({ n, rounds }) => rounds.max! / time(n));
      const growth = exponentOf(
        members.map((report) => scaledAt(report.n, report.messages, (m) => m / messages(report.n))),
      );
      return [
        claim("family-time", times[times.length - 1], afterRepair(levelsOff(times)), { family, timeText, times, note }),
        claim("family-messages", growth, afterRepair(growth.interval[1] < 0.5), {
          family,
          messagesText,
          most: members[members.length - 1].messages.mean,
        }),
      ];
    }),
    worded("tau-estimate", afterRepair(errorsOf([half, twice]) <= allowedErrors([half, twice])), {
      tau,
      single,
      trials,
      half,
      twice,
    }),
    claim("broadcast-messages", density, density.interval[0] < 0.1, { perNode: perNode.map(({ y }) => y), DENSE }),
    worded("broadcast-time", Math.max(...beyondDiameter) <= 1, { beyond: Math.max(...beyondDiameter) }),
  ];
  return {
    claims,
    figures: [
      await panelFigure("kutten-theorem2", { expanders }, [
        [
          ...FAMILIES.flatMap(({ topology, family }) => [
            plotted("measured", family, grown.get(topology)!, ({ n, messages }) => meanAt(n, messages)),
            plotted("bound", family, grown.get(topology)!, ({ n, measures }) => ({
              x: n,
              y: walkMessageBound(n, measures.tau.mean!),
            })),
          ]),
          computed("reference", "n", SIZES, (n) => n),
        ],
        FAMILIES.flatMap(({ topology, family }) => [
          plotted("measured", family, grown.get(topology)!, ({ n, rounds }) => meanAt(n, rounds)),
          plotted("bound", family, grown.get(topology)!, ({ n, measures }) => ({ x: n, y: 2 * measures.tau.max! })),
        ]),
      ]),
    ],
  };
});

const READINGS = [
  ["repaired", "one per walk that ends there"],
  ["printed", "one per node where walks end"],
  ["printed-visited", "one per visited node"],
] as const;

export const algorithm2 = item("algorithm2", async (bench) => {
  const trials = bench.trials(20, 200);
  const rows = await bench.each(READINGS, async ([reading, what]) => {
    const n = reading === "printed-visited" ? 4000 : 500;
    return {
      what,
      report: await bench.simulate(
        { protocol: "random-walks", n, params: { reading } },
        reading === "printed-visited" ? Math.ceil(trials / 4) : trials,
      ),
    };
  });
  const [repaired, endpoints, visited] = rows.map(({ report }) => report);
  const works = (report: Report) => errorsOf([report]) <= allowedErrors([report]);
  const claims: Claim[] = [
    worded("count-printed", verdictOr(works(endpoints), works(repaired)), { repaired, endpoints }),
    worded("count-visited", works(visited), { visited }),
  ];
  return {
    claims,
    figures: [
      await lineFigure(
        "kutten-algorithm2",
        {},
        (["none", "one", "many"] as const).map((outcome) =>
          plotted(
            "measured",
            { none: "no leader", one: "one leader", many: "several" }[outcome],
            rows,
            ({ what, report }) => rateAt(what, rateOf(report.outcomes[outcome], report.trials)),
          ),
        ),
      ),
    ],
  };
});
