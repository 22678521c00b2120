/** S. Chakraborty's lecture T9, slide by slide: requirements, the impossibility result, and what is left to others. */
import { impossibility } from "../explorer/anonymous-ring.ts";
import type { Bench, Part, Reproduction } from "./claim.ts";
import { csvOf, lineFigure, rateAt } from "./draw.ts";
import { changRoberts } from "./lecture-chang-roberts.ts";
import { logarithmic, variableTime } from "./lecture-costs.ts";
import { exactly, measuredRate, verdictIf, verdictOr } from "./verdict.ts";
import { numberText } from "./words.ts";

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
          section: '"Leader Election in Distributed System"',
          statement: "The protocol terminates, exactly one process is elected, and all others know that they are not",
          paper: "always",
          ...exactly(`${one} of ${all} elections`),
          verdict: verdictIf(one === all && reports.every(({ measures }) => measures.undecided.max === 0)),
          note: `${WITH_IDS.length} algorithms with ids and one without, n = ${n}, random delays where the model allows them; every schedule of small rings is explored in docs/explore.md.`,
        },
        {
          section: '"Overview"',
          statement: "If all processes know the highest id, no election is needed",
          paper: "0 messages",
          ...exactly(known.messages.max!),
          verdict: verdictIf(known.messages.max === 0 && known.outcomes.one === trials),
          note: "The protocol known-highest.",
        },
        {
          section: '"Overview"',
          statement: "However, the process with that id can fail; the highest id still surviving should lead",
          paper: "the election is needed after all",
          ...exactly(
            `known-highest elects nobody in ${failing.outcomes.none} of ${trials}, chang-roberts the survivor in ${survivor.outcomes.one}`,
          ),
          verdict: verdictIf(failing.outcomes.none === trials && survivor.outcomes.one === trials),
          note: "The highest of 100 has crashed before the run; the ring closes around it.",
        },
        {
          section: '"Impossibility Proof"',
          statement: "Randomized algorithms are possible on anonymous rings",
          paper: "possible",
          ...measuredRate(random.success),
          verdict: verdictIf(random.outcomes.one === trials),
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
    // A deterministic rule without ids and without messages: who has two neighbours leads.
    const leaders = (degrees: readonly number[]) => degrees.filter((degree) => degree === 2).length;
    const [onPath, onRing] = [leaders([1, 2, 1]), leaders([2, 2, 2])];
    return {
      claims: [
        {
          section: '"Impossibility result"',
          statement:
            "No deterministic protocol elects a leader on an anonymous ring, even synchronous and with n known",
          paper: "impossible",
          ...exactly(`${inStep.broken} of ${numberText(inStep.machines)} machines`),
          verdict: verdictIf(inStep.broken === 0),
          note: `Every machine with three states and one kind of message, n = 2 to 4, each free to know n: all ${numberText(inStep.configurations)} reachable configurations look the same from every node. The slides' argument covers all machines; this shows it at work.`,
        },
        {
          section: '"Impossibility Proof"',
          statement: "The same holds for weaker models: asynchronous, uniform",
          paper: "impossible",
          ...exactly(`${free.broken} of ${numberText(free.machines)} machines`),
          verdict: verdictIf(free.broken === 0),
          note: `Every schedule of each machine, ${numberText(free.configurations)} configurations: none that ends has exactly one leader.`,
        },
        {
          section: '"Why Do We Study Rings"',
          statement: "If you cannot do it over a ring, you cannot do it over an arbitrary topology",
          paper: "impossibility and lower bounds carry over",
          ...exactly(
            `"who has two neighbours leads": ${onPath} leader on a path of three, ${onRing} on a ring of three`,
          ),
          verdict: verdictOr(onPath !== 1, onRing !== 1),
          note: "True of algorithms that are to work on every topology, because a ring is one. Not true of each single topology: a path of three processes without ids has a leader by a rule that sends no message at all, where a ring of three can have none.",
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
        'symmetry is never broken, and the figure shows over how many configurations. (The slide on system models has a slip: non-anonymous means with unique ids, not "no unique IDs".)',
    };
  },
};

export const lecture: readonly Reproduction[] = [requirements, anonymous, changRoberts, logarithmic, variableTime];
