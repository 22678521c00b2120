/** Raz et al., section VIII: the council that lasts, restarted below L or, as the paper asks, refilled before. */

import type { Series } from "../plot/plot.ts";
import { batch } from "../protocols/council/continuous-centre.ts";
import type { Report, Summary } from "../statistics/report.ts";
import { type CouncilDesign, skipResetCost } from "../theory/raz.ts";
import { bestForRounds } from "../theory/raz-optimum.ts";
import { probability, replies } from "../theory/raz-replies.ts";
import { grid } from "./claim.ts";
import { measured, pointAt, ratioOf, theory } from "./draw.ts";
import { agreement, deviation, item, SIGMAS } from "./raz-figure.ts";
import { lasting } from "./raz-lasting.ts";
import { council, logSpaced, WIDE } from "./raz-setting.ts";
import { afterRepair } from "./verdict.ts";

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
  council("continuous", HOSTS, { policy, hours: 1, stay: minutes / 60, away: minutes / 600, crashes: 1 });

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

export const continuous = item(
  "continuous",
  {
    watched: grid(POLICIES, STAYS, (policy, minutes) => [lastingCouncil(policy, minutes), TRIALS]),
    parted: [{ ...lastingCouncil("refill", 30), faults: PARTITION }, TRIALS],
  },
  ({ watched, parted }) => {
    const row = (policy: Policy) => watched.filter((_, i) => watched.xs[i][0] === policy);
    const [restart, refill] = POLICIES.map((policy) => row(policy)[STAYS.indexOf(STAY)].measures);
    const off = row("restart").flatMap(({ measures }, i) => {
      const argued = restarted(STAYS[i]);
      const near = (found: Summary, exact: number) => deviation(found, exact, NEAR * exact);
      return [near(outside(measures), EXCHANGES * argued.outside), near(measures.overhead, argued.overhead)];
    });
    const [before, after] = [restart, refill].map((measures) => outside(measures).mean!);
    const [overhead, hourly, seats] = (["overhead", "hourly", "seats"] as const).map((name) =>
      ratioOf(refill[name], restart[name]),
    );
    const lasted = lasting();
    const dense = logSpaced(10, 300, 20).map((tenths) => tenths / 10);
    const panel = (argued: (minutes: number) => number, of: (measures: Report["measures"]) => Summary): Series[] => [
      theory("restart", dense, argued),
      ...POLICIES.map((policy) => measured(policy, row(policy), ({ measures }, i) => pointAt(STAYS[i], of(measures)))),
    ];
    const out = outside(refill);
    return {
      values: [
        { HOSTS, RUNS: lasted.RUNS, trials: parted.trials, restart, before, after, startUp: startUp(), seats, hourly },
        { cheaper: 1 - overhead.ours, steadier: 1 - seats.ours, more: hourly.ours - 1 },
        { availability: 100 * parted.measures.availability.mean! },
      ],
      claims: {
        lasting: [
          lasted.history,
          afterRepair(lasted.history < 1 && [...lasted.others, lasted.repaired].every((one) => one === 1)),
        ],
        "agreement-renewal": agreement("section VIII", Math.max(...off)),
        lasts: [restart.availability, restart.availability.low! > 0.95],
        refill: [out, deviation(out, startUp()) < SIGMAS && out.high! < before],
        "refill-cost": [overhead, overhead.interval[1] < 1],
        partition: [parted.success, parted.success.rate === 1 && parted.measures.availability.low! > 0.99],
      },
      figures: {
        "raz-continuous": [
          panel((minutes) => EXCHANGES * restarted(minutes).outside, outside),
          panel(
            (minutes) => restarted(minutes).overhead,
            ({ overhead }) => overhead,
          ),
        ],
      },
    };
  },
);
