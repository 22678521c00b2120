/** S. Chakraborty's lecture T9, slide by slide: requirements, the impossibility result, and what is left to others. */
import { IMPOSSIBILITY_COLUMNS, impossibility } from "../explorer/anonymous-ring.ts";
import type { Reproduction } from "./claim.ts";
import { csvOf, lineFigure, plotted, rateAt } from "./draw.ts";
import { changRoberts } from "./lecture-chang-roberts.ts";
import { logarithmic, variableTime } from "./lecture-costs.ts";
import { textsOf } from "./texts.ts";
import { verdictOr } from "./verdict.ts";

const { claim, item, worded } = textsOf("lecture");

const WITH_IDS = ["chang-roberts", "hirschberg-sinclair", "peterson", "time-slice"];

const requirements = item("requirements", async (bench) => {
  const n = 100;
  const trials = bench.trials(200, 2000);
  const reports = await bench.each([...WITH_IDS, "itai-rodeh"], (protocol) =>
    bench.simulate({ protocol, n, delay: { kind: "exponential", mean: 1 }, ...host(protocol) }, trials),
  );
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
      worded("one-leader", one === all && reports.every(({ measures }) => measures.undecided.max === 0), {
        algorithms: WITH_IDS.length,
        n,
        one,
        all,
      }),
      claim("known-highest", known.messages.max!, known.messages.max === 0 && known.outcomes.one === trials),
      worded("highest-fails", failing.outcomes.none === trials && survivor.outcomes.one === trials, {
        failing,
        trials,
        survivor,
      }),
      claim("randomized", random.success, random.outcomes.one === trials),
    ],
    figures: [
      await lineFigure("lecture-requirements", { n, trials }, [
        plotted("measured", "one leader", reports, (r) => rateAt(r.protocol, r.success)),
      ]),
    ],
  };
});

/** Asynchronous runs where the model allows them. */
const host = (protocol: string) => (protocol === "time-slice" ? {} : { host: "events" as const });

const anonymous = item("impossibility", async (bench) => {
  const rows = (["synchronous", "asynchronous"] as const).flatMap((timing) =>
    [2, 3, 4].map((n) => {
      bench.step(`impossibility: ${timing}, n = ${n}`);
      return impossibility(timing, n);
    }),
  );
  const countsOf = (timing: "synchronous" | "asynchronous") => {
    const some = rows.filter((row) => row.timing === timing);
    const sum = (of: (row: (typeof rows)[number]) => number) => some.reduce((total, row) => total + of(row), 0);
    const broken = sum((row) => row.asymmetric + row.oneLeader + (row.oneLeaderEnds ?? 0));
    return {
      machines: sum(({ machines }) => machines),
      configurations: sum((r) => r.allSchedules ?? r.configurations),
      broken,
    };
  };
  const [inStep, free] = [countsOf("synchronous"), countsOf("asynchronous")];
  // A deterministic rule without ids and without messages: who has two neighbours leads.
  const leaders = (degrees: readonly number[]) => degrees.filter((degree) => degree === 2).length;
  const [onPath, onRing] = [leaders([1, 2, 1]), leaders([2, 2, 2])];
  return {
    claims: [
      worded("impossible", inStep.broken === 0, { inStep }),
      worded("impossible-weaker", free.broken === 0, { free }),
      worded("ring-to-any", verdictOr(onPath !== 1, onRing !== 1), { onPath, onRing }),
    ],
    figures: [
      {
        ...(await lineFigure(
          "lecture-impossibility",
          {},
          (["synchronous", "asynchronous"] as const).map((timing) =>
            plotted(
              "measured",
              timing,
              rows.filter((row) => row.timing === timing),
              (row) => ({ x: row.n, y: row.allSchedules ?? row.configurations }),
            ),
          ),
        )),
        csv: csvOf(
          IMPOSSIBILITY_COLUMNS.map(([title]) => title),
          rows.map((row) => IMPOSSIBILITY_COLUMNS.map(([, field]) => row[field])),
        ),
      },
    ],
  };
});

export const lecture: readonly Reproduction[] = [requirements, anonymous, changRoberts, logarithmic, variableTime];
