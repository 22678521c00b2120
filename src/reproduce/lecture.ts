/** S. Chakraborty's lecture T9, slide by slide: requirements, the impossibility result, and what is left to others. */
import { impossibility } from "../explorer/anonymous-ring.ts";
import type { Bench, Part, Reproduction } from "./claim.ts";
import { csvOf, intervalOf, lineFigure, rateAt } from "./draw.ts";
import { changRoberts } from "./lecture-chang-roberts.ts";
import { logarithmic, variableTime } from "./lecture-costs.ts";

const WITH_IDS = ["chang-roberts", "hirschberg-sinclair", "peterson", "time-slice"];

const requirements: Reproduction = {
  paper: "lecture",
  name: "requirements",
  title: "Requirements: exactly one leader, and everybody knows",
  async run(bench): Promise<Part> {
    const n = 100;
    const trials = bench.trials(200, 2000);
    const reports = [];
    for (const protocol of [...WITH_IDS, "itai-rodeh"]) {
      bench.step(`requirements: ${protocol}`);
      reports.push(
        await bench.simulate({ protocol, n, delay: { kind: "exponential", mean: 1 }, ...host(protocol) }, trials),
      );
    }
    const known = await bench.simulate({ protocol: "known-highest", n }, trials);
    const failing = await bench.simulate(
      { protocol: "known-highest", n, ids: "increasing", faults: { crashes: [{ node: n - 1, at: 0 }] } },
      trials,
    );
    const survivor = await bench.simulate(
      { protocol: "chang-roberts", n, ids: "increasing", faults: { crashes: [{ node: n - 1, at: 0 }] } },
      trials,
    );
    const one = reports.reduce((sum, { outcomes }) => sum + outcomes.one, 0);
    const all = trials * reports.length;
    const random = reports[reports.length - 1];
    return {
      claims: [
        {
          section: "«Leader Election in Distributed System»",
          statement: "The protocol terminates, and exactly one process is elected",
          paper: "always",
          ours: `${one} of ${all} elections`,
          interval: null,
          verdict: one === all ? "holds" : "does not hold",
          note: `${WITH_IDS.length} algorithms with ids and one without, n = ${n}, random delays where the model allows them; every schedule of small rings is explored in docs/explore.md.`,
        },
        {
          section: "«Overview»",
          statement: "If all processes know the highest id, no election is needed",
          paper: "0 messages",
          ours: known.messages.max,
          interval: null,
          verdict: known.messages.max === 0 && known.outcomes.one === trials ? "holds" : "does not hold",
          note: "The protocol known-highest.",
        },
        {
          section: "«Overview»",
          statement: "However, the process with that id can fail; the highest id still surviving should lead",
          paper: "the election is needed after all",
          ours: `known-highest elects nobody in ${failing.outcomes.none} of ${trials}, chang-roberts the survivor in ${survivor.outcomes.one}`,
          interval: null,
          verdict: failing.outcomes.none === trials && survivor.outcomes.one === trials ? "holds" : "does not hold",
          note: "The highest of 100 has crashed before the run; the ring closes around it.",
        },
        {
          section: "«Impossibility Proof»",
          statement: "Randomized algorithms are possible on anonymous rings",
          paper: "possible",
          ours: random.success.rate,
          interval: intervalOf(random.success),
          verdict: random.outcomes.one === trials ? "holds" : "does not hold",
          note: "itai-rodeh, which knows n and needs no ids: one leader in every election.",
        },
      ],
      figures: [
        await lineFigure("lecture-requirements", {
          title: "Elections with exactly one leader",
          caption: `n = ${n}, ${trials} elections each, seed 1, 95% intervals (Wilson)`,
          x: { label: "algorithm" },
          y: { label: "share with one leader", domain: [0, 1] },
          series: [{ name: "one leader", kind: "measured", points: reports.map((r) => rateAt(r.protocol, r.success)) }],
        }),
      ],
      text:
        "The slides ask for termination, exactly one leader, and that all others know that they are not it. All five ring algorithms do so in every " +
        "election, with exponentially distributed delays for the asynchronous ones. The two remarks of the overview are as easy to confirm: who knows the " +
        "highest id needs no message, and is lost when that process is.",
    };
  },
};

/** Asynchronous runs where the model allows them. */
const host = (protocol: string) => (protocol === "time-slice" ? {} : { host: "events" as const });

const anonymous: Reproduction = {
  paper: "lecture",
  name: "impossibility",
  title: "Impossibility: no deterministic election on an anonymous ring",
  async run(bench: Bench): Promise<Part> {
    const rows = (["synchronous", "asynchronous"] as const).flatMap((timing) =>
      [2, 3, 4].map((n) => {
        bench.step(`impossibility: ${timing}, n = ${n}`);
        return impossibility(timing, n);
      }),
    );
    const claim = (timing: "synchronous" | "asynchronous") => {
      const some = rows.filter((row) => row.timing === timing);
      const sum = (of: (row: (typeof rows)[number]) => number) => some.reduce((total, row) => total + of(row), 0);
      const broken = sum((row) => row.asymmetric + row.oneLeader + (row.oneLeaderEnds ?? 0));
      return {
        machines: sum(({ machines }) => machines),
        configurations: sum((r) => r.allSchedules ?? r.configurations),
        broken,
      };
    };
    const [inStep, free] = [claim("synchronous"), claim("asynchronous")];
    return {
      claims: [
        {
          section: "«Impossibility result»",
          statement:
            "No deterministic protocol elects a leader on an anonymous ring, even synchronous and with n known",
          paper: "impossible",
          ours: `0 of ${inStep.machines.toLocaleString("en-GB")} machines`,
          interval: null,
          verdict: inStep.broken === 0 ? "holds" : "does not hold",
          note: `Every machine with three states and one kind of message, n = 2 to 4, each free to know n: all ${inStep.configurations.toLocaleString("en-GB")} reachable configurations look the same from every node. The slides' argument covers all machines; this shows it at work.`,
        },
        {
          section: "«Impossibility Proof»",
          statement: "The same holds for weaker models: asynchronous, uniform",
          paper: "impossible",
          ours: `0 of ${free.machines.toLocaleString("en-GB")} machines`,
          interval: null,
          verdict: free.broken === 0 ? "holds" : "does not hold",
          note: `Every schedule of each machine, ${free.configurations.toLocaleString("en-GB")} configurations: none that ends has exactly one leader.`,
        },
      ],
      figures: [
        {
          ...(await lineFigure("lecture-impossibility", {
            title: "Configurations reached by all small machines on anonymous rings",
            caption:
              "Every machine with three states and one kind of message; none of the configurations breaks the symmetry",
            x: { label: "n (processes)", domain: [2, 4] },
            y: { label: "configurations", log: true },
            series: (["synchronous", "asynchronous"] as const).map((timing) => ({
              name: timing,
              kind: "measured" as const,
              points: rows
                .filter((row) => row.timing === timing)
                .map((row) => ({ x: row.n, y: row.allSchedules ?? row.configurations })),
            })),
          })),
          csv: csvOf(
            [
              "timing",
              "n",
              "machines",
              "configurations",
              "asymmetric",
              "one leader",
              "all schedules",
              "ends with one leader",
            ],
            rows.map((r) => [
              r.timing,
              r.n,
              r.machines,
              r.configurations,
              r.asymmetric,
              r.oneLeader,
              r.allSchedules,
              r.oneLeaderEnds,
            ]),
          ),
        },
      ],
      text:
        "The proof on the slides is that identical machines which start alike and hear alike stay alike. We let every machine of a small kind run on rings of two " +
        "to four nodes, under the synchronous schedule and under every asynchronous one. No configuration ever has exactly one leader while the others are not: " +
        "symmetry is never broken, and the figure shows over how many configurations.",
    };
  },
};

export const lecture: readonly Reproduction[] = [requirements, anonymous, changRoberts, logarithmic, variableTime];
