/** Raz et al., section VIII: the council that lasts, restarted below L or, as the paper asks, refilled before. */

import type { Series } from "../plot/plot.ts";
import { batch } from "../protocols/council/continuous-centre.ts";
import type { Report, Summary } from "../statistics/report.ts";
import { type CouncilDesign, skipResetCost } from "../theory/raz.ts";
import { bestForRounds } from "../theory/raz-optimum.ts";
import { probability, replies } from "../theory/raz-replies.ts";
import type { Bench, Claim } from "./claim.ts";
import { computed, panelFigure, ratioOf, swept } from "./draw.ts";
import { agreement, claim, deviation, item, SIGMAS } from "./raz-claim.ts";
import { lasting } from "./raz-lasting.ts";
import { council, logSpaced, WIDE } from "./raz-setting.ts";

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
const lastingCouncil = (policy: Policy, minutes: number, more = {}) =>
  council("continuous", HOSTS, { policy, hours: 1, stay: minutes / 60, away: minutes / 600, crashes: 1, ...more });

/**
 * A renewal argument for the restart: a council falls below L after a while, which costs the exchange that shows it and
 * then an election of T exchanges, of which the last shows a council again.
 */
function restarted(minutes: number): { readonly outside: number; readonly overhead: number } {
  const present = Math.round(HOSTS / 1.1);
  const c = bestForRounds({ ...WIDE, cost: (x) => skipResetCost(HOSTS, { ...WIDE, c: x }), messagesUnbounded: false });
  const { rounds, messages } = skipResetCost(present, { ...WIDE, c });
  const seats = sizes(present, { ...WIDE, c });
  let lifetime = 0.5;
  for (const [k, share] of seats) for (let j = WIDE.L; j <= k; j++) lifetime += (share * 60 * minutes) / j;
  const cycle = lifetime + rounds;
  return { outside: rounds / cycle, overhead: (EXCHANGES / cycle) * messages };
}

/** How large the councils are that Skip-Reset elects: the sizes and their shares. */
function sizes(n: number, { L, U, c }: CouncilDesign): Map<number, number> {
  const descent = new Map<number, number[]>();
  const from = (m: number) => {
    const ends = [];
    for (let k = L; k <= U; k++) {
      let share = probability(k, m, c / m);
      for (const [i, shares] of descent) if (i < m) share += probability(i, m, c / m) * shares[k - L];
      ends.push(share / (1 - probability(m, m, c / m)));
    }
    return ends;
  };
  for (let m = U + 1; m <= Math.min(n, 60); m++) descent.set(m, from(m));
  const ends = from(n);
  const all = ends.reduce((sum, share) => sum + share, 0);
  return new Map(ends.map((share, i) => [L + i, share / all]));
}

type Watched = ReadonlyMap<Policy, ReadonlyMap<number, Report>>;

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

export const continuous = item("continuous", async (bench) => {
  const trials = bench.trials(8, 30);
  const sweeps = await bench.each(POLICIES, (policy) =>
    bench.sweep(STAYS, (minutes) => lastingCouncil(policy, minutes), trials),
  );
  const watched = new Map(POLICIES.map((policy, i) => [policy, sweeps[i]]));
  const [restart, refill] = POLICIES.map((policy) => watched.get(policy)!.get(STAY)!.measures);
  const worst = [...watched.get("restart")!].map(([minutes, { measures }]) => {
    const theory = restarted(minutes);
    const near = (measured: Summary, argued: number) => deviation(measured, argued, NEAR * argued);
    return Math.max(near(outside(measures), EXCHANGES * theory.outside), near(measures.overhead, theory.overhead));
  });
  const [before, after] = [restart, refill].map((measures) => outside(measures).mean!);
  const [overhead, hourly, seats] = (["overhead", "hourly", "seats"] as const).map((name) =>
    ratioOf(refill[name], restart[name]),
  );
  return {
    claims: [
      lasting(),
      agreement("section VIII", Math.max(...worst), "agreement-renewal"),
      claim("lasts", restart.availability, restart.availability.low! > 0.95, { HOSTS, restart, before }),
      claim(
        "refill",
        outside(refill),
        deviation(outside(refill), startUp()) < SIGMAS && outside(refill).high! < before,
        { startUp: startUp(), before },
      ),
      claim("refill-cost", overhead, overhead.interval[1] < 1, { seats, hourly }),
      await partitioned(bench, trials),
    ],
    figures: [await figureOf(watched, trials)],
    values: { before, after, cheaper: 1 - overhead.ours, steadier: 1 - seats.ours, more: hourly.ours - 1 },
  };
});

/** Section I: "network temporary partition". Half of the hosts are cut off from the centre for twenty minutes. */
async function partitioned(bench: Bench, trials: number): Promise<Claim> {
  const half = Array.from({ length: HOSTS / 2 }, (_, i) => i + 1);
  const faults = { partitions: [{ groups: [half], from: 2400, to: 4800 }] };
  const { measures, success } = await bench.simulate({ ...lastingCouncil("refill", 30), faults }, trials);
  return claim("partition", success, success.rate === 1 && measures.availability.low! > 0.99, {
    availability: 100 * measures.availability.mean!,
  });
}

function figureOf(watched: Watched, trials: number) {
  const dense = logSpaced(10, 300, 20).map((tenths) => tenths / 10);
  const panel = (theory: (minutes: number) => number, of: (report: Report) => Summary): Series[] => [
    computed("theory", "restart", dense, theory),
    ...[...watched].map(([name, reports]) => swept(name, reports, of)),
  ];
  return panelFigure("raz-continuous", { HOSTS, trials }, [
    panel(
      (minutes) => EXCHANGES * restarted(minutes).outside,
      ({ measures }) => outside(measures),
    ),
    panel(
      (minutes) => restarted(minutes).overhead,
      ({ measures }) => measures.overhead,
    ),
  ]);
}
