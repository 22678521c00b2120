/** S. Chakraborty's lecture T9, slide by slide: requirements, the impossibility result, and what is left to others. */
import { IMPOSSIBILITY_COLUMNS, impossibility } from "../../explorer/anonymous-ring.ts";
import { csvOf } from "../../plot/csv.ts";
import type { Request } from "../../simulation/settings.ts";
import { rateOf } from "../../statistics/intervals.ts";
import { type DeclaredRun, over } from "../claim.ts";
import { always, all as every, given, pooled, verdictOr } from "../criteria.ts";
import { measured, pointAt } from "../draw.ts";
import { lecture } from "../texts.ts";

const WITH_IDS = ["chang-roberts", "hirschberg-sinclair", "peterson", "time-slice"];
const TRIALS = [200, 2000] as const;
/** Asynchronous runs where the model allows them. */
const spoken = (protocol: string): Request => ({
  protocol,
  n: 100,
  delay: { kind: "exponential", mean: 1 },
  ...(protocol === "time-slice" ? {} : { host: "events" }),
});
const orphaned = (protocol: string): DeclaredRun => [
  { protocol, n: 100, ids: "increasing", faults: { crashes: [{ node: 99, at: 0 }] } },
  TRIALS,
];

lecture("requirements", {
  reports: over([...WITH_IDS, "itai-rodeh"], (protocol) => [spoken(protocol), TRIALS]),
  known: [{ protocol: "known-highest", n: 100 }, TRIALS],
  failing: orphaned("known-highest"),
  survivor: orphaned("chang-roberts"),
})(({ reports, known, failing, survivor }, { tell, claims, draw }) => {
  const { trials } = known;
  const one = reports.reduce((sum, { outcomes }) => sum + outcomes.one, 0);
  const elections = trials * reports.length;
  const random = reports[reports.length - 1];
  tell({ algorithms: WITH_IDS.length, n: 100, one, all: elections, trials });
  claims({
    "one-leader": every(
      always(pooled(reports), elections),
      reports.every(({ measures }) => measures.undecided.max === 0),
    ),
    "known-highest": [known.messages.max!, every(known.messages.max === 0, always(known.success, trials))],
    "highest-fails": every(
      always(rateOf(failing.outcomes.none, trials), trials),
      always(survivor.success, survivor.trials),
    ),
    randomized: [random.success, always(random.success, random.trials)],
  });
  draw("lecture-requirements", [measured("one leader", reports, ({ success }) => success)]);
});

const TIMINGS = ["synchronous", "asynchronous"] as const;

lecture("impossibility")((_ran, { tell, claims, draw, ...bench }) => {
  const rows = TIMINGS.flatMap((timing) =>
    [2, 3, 4].map((n) => {
      bench.step(`impossibility: ${timing}, n = ${n}`);
      return impossibility(timing, n);
    }),
  );
  const reached = (row: (typeof rows)[number]) => row.allSchedules ?? row.configurations;
  const [inStep, free] = TIMINGS.map((timing) => {
    const sum = (of: (row: (typeof rows)[number]) => number) =>
      rows.filter((row) => row.timing === timing).reduce((total, row) => total + of(row), 0);
    return {
      machines: sum(({ machines }) => machines),
      configurations: sum(reached),
      broken: sum((row) => row.asymmetric + row.oneLeader + (row.oneLeaderEnds ?? 0)),
    };
  });
  // A deterministic rule without ids and without messages: who has two neighbours leads.
  const leaders = (degrees: readonly number[]) => degrees.filter((degree) => degree === 2).length;
  const [onPath, onRing] = [leaders([1, 2, 1]), leaders([2, 2, 2])];
  tell({ inStep, free, onPath, onRing });
  claims({
    impossible: given(inStep.broken, (broken) => broken === 0),
    "impossible-weaker": given(free.broken, (broken) => broken === 0),
    "ring-to-any": given({ onPath, onRing }, (leaders) => verdictOr(leaders.onPath !== 1, leaders.onRing !== 1)),
  });
  draw("lecture-impossibility", {
    curves: TIMINGS.map((timing) =>
      measured(
        timing,
        rows.filter((row) => row.timing === timing),
        (row) => pointAt(row.n, reached(row)),
      ),
    ),
    csv: csvOf(
      IMPOSSIBILITY_COLUMNS.map(([title]) => title),
      rows.map((row) => IMPOSSIBILITY_COLUMNS.map(([, field]) => row[field])),
    ),
  });
});
