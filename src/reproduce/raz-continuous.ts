/** Raz et al., section VIII: the council that lasts, restarted below L or, as the paper asks, refilled before. */

import type { PlotPoint, Series } from "../plot/plot.ts";
import { batch } from "../protocols/council/continuous-centre.ts";
import type { Report, Summary } from "../statistics/report.ts";
import { type CouncilDesign, skipResetCost } from "../theory/raz.ts";
import { bestForRounds } from "../theory/raz-optimum.ts";
import { probability, replies } from "../theory/raz-replies.ts";
import type { Bench, Claim, Part } from "./claim.ts";
import { meanAt, panelFigure, ratioOf } from "./draw.ts";
import { agreement, deviation, item, percent, SIGMAS } from "./raz-claim.ts";
import { lasting } from "./raz-lasting.ts";
import { council, logSpaced, WIDE } from "./raz-setting.ts";
import { measuredMean, measuredRate, verdictIf } from "./verdict.ts";

const HOSTS = 50;
/** An exchange a second, for an hour. */
const EXCHANGES = 3600;
/** Minutes that a host stays on average: what the figure varies, and what claims are about. */
const STAYS = [1, 2, 5, 10, 30] as const;
const STAY = 5;
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

async function watch(bench: Bench, trials: number): Promise<Watched> {
  const watched = new Map<Policy, Map<number, Report>>();
  for (const policy of POLICIES) {
    const reports = new Map<number, Report>();
    for (const minutes of STAYS) {
      bench.step(`Raz, section VIII: ${policy}, stays of ${minutes} min`);
      reports.set(minutes, await bench.simulate(lastingCouncil(policy, minutes), trials));
    }
    watched.set(policy, reports);
  }
  return watched;
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

async function continuous(bench: Bench): Promise<Part> {
  const trials = bench.trials(8, 30);
  const watched = await watch(bench, trials);
  const [restart, refill] = POLICIES.map((policy) => watched.get(policy)!.get(STAY)!.measures);
  const worst = [...watched.get("restart")!].map(([minutes, { measures }]) => {
    const theory = restarted(minutes);
    return Math.max(
      deviation(outside(measures), EXCHANGES * theory.outside),
      deviation(measures.overhead, theory.overhead),
    );
  });
  const [before, after] = [restart, refill].map((measures) => outside(measures).mean!);
  const [overhead, hourly, seats] = (["overhead", "hourly", "seats"] as const).map((name) =>
    ratioOf(refill[name], restart[name]),
  );
  return {
    claims: [
      lasting(),
      agreement(
        "section VIII",
        Math.max(...worst),
        "A renewal argument for the restart against runs of the protocol, for exchanges outside the range and replies for electing: when a council of Skip-Reset has fallen below L, an exchange shows it, and T more elect another.",
      ),
      {
        section: "section VIII",
        statement:
          'With "while (true)" a council is kept, since a new election restarts below L: share of the time within [4, 8], Skip-Reset, stays of 5 minutes',
        paper: "works",
        ...measuredMean(restart.availability),
        verdict: verdictIf(restart.availability.low! > 0.95),
        note: `${HOSTS} hosts, an exchange a second, an hour: ${restart.elections.mean!.toFixed(0)} elections, ${before.toFixed(0)} exchanges outside the range. The least that we call kept is 95%.`,
      },
      {
        section: "section VIII",
        statement:
          "Open question: to enlarge the group when it is close to L avoids the reactivation of the election: exchanges of an hour outside [4, 8], stays of 5 minutes",
        paper: "open",
        ...measuredMean(outside(refill)),
        verdict: verdictIf(deviation(outside(refill), startUp()) < SIGMAS && outside(refill).high! < before),
        note: `Our answer, \`policy=refill\`: while five or fewer members are left, others are invited to offer themselves, and the next feedback seats the batch if it fits below U. What is left is the time before the first council stands (${startUp().toFixed(2)} exchanges in theory); with restarts it is ${before.toFixed(1)}.`,
      },
      {
        section: "section VIII",
        statement: "Open question: it is efficient: replies for electing, refill over restart, stays of 5 minutes",
        paper: "below 1 wanted",
        ...overhead,
        verdict: verdictIf(overhead.interval[1] < 1),
        note: `Seats change hands ${seats.ours.toFixed(2)} times as often. All replies together are ${hourly.ours.toFixed(2)} times as many, since the council is larger on average.`,
      },
      await partitioned(bench, trials),
    ],
    figures: [await figureOf(watched, trials)],
    text: `The closing section says that every algorithm of the paper can run on and restarts below L, and asks for one that refills the council before. The first is true of all but Skip-Reset with history, which remembers only its last members and never finds others. As for the second, inviting a few more hosts while members are still enough answers it: where hosts stay for five minutes, a council that restarts is outside [4, 8] for ${before.toFixed(0)} seconds of an hour, a refilled one for ${after.toFixed(1)}, which is the time before its first council stands; with fewer replies for electing (${percent(1 - overhead.ours, 0)} less), and ${percent(1 - seats.ours, 0)} fewer changes of members. The price is that a council which does not run low is larger, and so replies more (${percent(hourly.ours - 1, 0)}). Only where hosts stay for a minute or two does it, too, fall below L now and then. (Our protocol can also be told of departures; here nobody is, as in the paper.)`,
  };
}

/** Section I: "network temporary partition". Half of the hosts are cut off from the centre for twenty minutes. */
async function partitioned(bench: Bench, trials: number): Promise<Claim> {
  const half = Array.from({ length: HOSTS / 2 }, (_, i) => i + 1);
  const faults = { partitions: [{ groups: [half], from: 2400, to: 4800 }] };
  bench.step("Raz, section I: a partition");
  const { measures, success } = await bench.simulate({ ...lastingCouncil("refill", 30), faults }, trials);
  return {
    section: "section I",
    statement:
      "The group is maintained through a temporary partition: share of runs that end with one council within [4, 8], refill",
    paper: "needed",
    ...measuredRate(success),
    verdict: verdictIf(success.rate === 1 && measures.availability.low! > 0.99),
    note: `Half of the hosts are cut off for 20 minutes of the hour; the council is within the range for ${(100 * measures.availability.mean!).toFixed(2)}% of the time. Members that hear nothing for five exchanges resign (\`lease\`), so none comes back on top of the others.`,
  };
}

function figureOf(watched: Watched, trials: number) {
  const dense = logSpaced(10, 300, 20).map((tenths) => tenths / 10);
  const series = (
    theory: (minutes: number) => number,
    measured: (minutes: number, report: Report) => PlotPoint,
  ): Series[] => [
    { name: "restart", kind: "theory", points: dense.map((x) => ({ x, y: theory(x) })) },
    ...[...watched].map(([name, reports]) => ({
      name,
      kind: "measured" as const,
      points: [...reports].map(([x, report]) => measured(x, report)),
    })),
  ];
  const x = { label: "mean stay of a host (minutes)", log: true };
  return panelFigure("raz-continuous", {
    title: "Raz et al., section VIII: a council that lasts",
    caption: `[4, 8], ${HOSTS} hosts; dashed: renewal argument; points: ${trials} runs of an hour each, 95% bands`,
    columns: 2,
    width: 330,
    height: 230,
    panels: [
      {
        title: "outside [4, 8]",
        x,
        y: { label: "exchanges per hour", log: true },
        series: series(
          (minutes) => EXCHANGES * restarted(minutes).outside,
          (minutes, { measures }) => meanAt(minutes, outside(measures)),
        ),
      },
      {
        title: "cost of electing",
        x,
        y: { label: "replies per hour", log: true },
        series: series(
          (minutes) => restarted(minutes).overhead,
          (minutes, { measures }) => meanAt(minutes, measures.overhead),
        ),
      },
    ],
  });
}

export const razContinuous = [item("continuous", "Section VIII: a council that lasts", continuous)];
