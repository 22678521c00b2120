/** Raz et al., section VIII: the council that lasts, restarted below L or, as the paper asks, refilled before. */
import type { Series } from "../../plot/plot.ts";
import { batch } from "../../protocols/council/continuous-centre.ts";
import { ratioOf } from "../../statistics/fits.ts";
import type { Report, Summary } from "../../statistics/report.ts";
import { restarted } from "../../theory/raz/renewal.ts";
import { replies } from "../../theory/raz/replies.ts";
import { grid } from "../claim.ts";
import { above, afterRepair, all, always, atLeast, atMost, enoughRuns, given } from "../criteria.ts";
import { measured, pointAt, theory } from "../draw.ts";
import { raz } from "../texts.ts";
import { deviation, SIGMAS, theoryIsMet } from "./figure.ts";
import { lasting } from "./lasting.ts";
import { councilRequest, logSpaced, WIDE } from "./setting.ts";

const HOSTS = 50;
/** An exchange a second, for an hour. */
const EXCHANGES = 3600;
/** Minutes that a host stays on average: what the figure varies, and what claims are about. */
const STAYS = [1, 2, 5, 10, 30] as const;
const STAY = 5;
/** The renewal argument takes hosts as they are when an election begins: an error of its own for each standard error. */
const NEAR = 0.02;
const POLICIES = ["restart", "refill"] as const;
type Policy = (typeof POLICIES)[number];

/** Departures come without notice, since the paper has none; another host comes after a tenth of a stay. */
const lastingCouncil = (policy: Policy, minutes: number) =>
  councilRequest("continuous", HOSTS, { policy, hours: 1, stay: minutes / 60, away: minutes / 600, crashes: 1 });

/** What theory says of an hour where hosts stay for this many minutes. */
const argued = (minutes: number) => restarted(HOSTS, WIDE, 60 * minutes);

/** Exchanges of an hour outside the range, as a summary. */
function outside({ availability }: Report["measures"]): Summary {
  const of = (share: number | null) => (share === null ? null : EXCHANGES * (1 - share));
  return { ...availability, mean: of(availability.mean), low: of(availability.high), high: of(availability.low) };
}

/** Of these, those before the first council of a refill stands: a batch that fits takes an exchange more to be seated. */
function startUp(): number {
  const mean = batch(WIDE.L, WIDE.U);
  return 1 / replies(HOSTS, mean / HOSTS, WIDE.L, WIDE.U).within;
}

/** Section I: "network temporary partition". Half of the hosts are cut off from the centre for twenty minutes. */
const HALF = Array.from({ length: HOSTS / 2 }, (_, i) => i + 1);
const PARTITION = { partitions: [{ groups: [HALF], from: 2400, to: 4800 }] };
const TRIALS = [8, 30] as const;

raz("continuous", {
  watched: grid(POLICIES, STAYS, (policy, minutes) => [lastingCouncil(policy, minutes), TRIALS]),
  partitioned: [{ ...lastingCouncil("refill", 30), faults: PARTITION }, TRIALS],
})(({ watched, partitioned }, { tell, claims, draw }) => {
  const row = (policy: Policy) => watched.filter((_, i) => watched.xs[i][0] === policy);
  const [restart, refill] = POLICIES.map((policy) => row(policy)[STAYS.indexOf(STAY)].measures);
  const off = row("restart").flatMap(({ measures }, i) => {
    const { outside: away, replies } = argued(STAYS[i]);
    const near = (found: Summary, exact: number) => deviation(found, exact, NEAR * exact);
    return [near(outside(measures), EXCHANGES * away), near(measures.overhead, EXCHANGES * replies)];
  });
  const [before, after] = [restart, refill].map((measures) => outside(measures).mean!);
  const [overhead, hourly, seats] = (["overhead", "hourly", "seats"] as const).map((name) =>
    ratioOf(refill[name], restart[name]),
  );
  const lasted = lasting();
  const dense = logSpaced(10, 300, 20).map((tenths) => tenths / 10);
  const panel = (of: "outside" | "replies", found: (measures: Report["measures"]) => Summary): Series[] => [
    theory("restart", dense, (minutes) => EXCHANGES * argued(minutes)[of]),
    ...POLICIES.map((policy) => measured(policy, row(policy), ({ measures }, i) => pointAt(STAYS[i], found(measures)))),
  ];
  const out = outside(refill);
  tell({
    HOSTS,
    RUNS: lasted.RUNS,
    trials: partitioned.trials,
    restart,
    before,
    after,
    startUp: startUp(),
    seats,
    hourly,
  });
  tell({ cheaper: 1 - overhead.ours, steadier: 1 - seats.ours, more: hourly.ours - 1 });
  tell({ availability: 100 * partitioned.measures.availability.mean! });
  claims({
    lasting: [
      lasted.history,
      given(lasted, ({ history, others, repaired }) =>
        afterRepair(history < 1 && [...others, repaired].every((one) => one === 1)),
      ),
    ],
    "agreement-renewal": theoryIsMet("section VIII", Math.max(...off), enoughRuns(watched, TRIALS[0])),
    lasts: [restart.availability, atLeast(restart.availability, 0.95)],
    refill: [out, all(above(outside(restart), out), deviation(out, startUp()) < SIGMAS)],
    "refill-cost": [overhead, atMost(overhead, 1)],
    partition: [
      partitioned.success,
      all(always(partitioned.success, partitioned.trials, TRIALS[0]), atLeast(partitioned.measures.availability, 0.99)),
    ],
  });
  draw("raz-continuous", [panel("outside", outside), panel("replies", ({ overhead }) => overhead)]);
});
