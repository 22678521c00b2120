/** The lecture on what is better than Chang and Roberts: n log n with Hirschberg-Sinclair and Peterson, n with time. */

import { resolve } from "../simulation/settings.ts";
import { runTrial } from "../simulation/trial.ts";
import {
  changRobertsMean,
  changRobertsWorst,
  hirschbergSinclairBound,
  hirschbergSinclairMean,
  hirschbergSinclairPhases,
  petersonBound,
  petersonPhasesBound,
} from "../theory/rings.ts";
import type { Bench } from "./claim.ts";
import { computed, lineFigure, meanAt, plotted } from "./draw.ts";
import { arrangements, messagesById, winnersWithin } from "./lecture-by-hand.ts";
import { textsOf } from "./texts.ts";
import { verdictOr } from "./verdict.ts";

const { claim, item, worded } = textsOf("lecture");

const SIZES = [4, 16, 64, 256, 1024];
const ORDERS = ["random", "increasing", "decreasing"] as const;

async function measured(bench: Bench, protocol: string) {
  const rows = await bench.each(SIZES, async (n) => {
    const trials = (ids: (typeof ORDERS)[number]) => (ids === "random" ? bench.trials(40, 400) : 1);
    const reports = await bench.each(ORDERS, (ids) =>
      bench.simulate({ protocol, n, ids, host: "lockstep" }, trials(ids)),
    );
    return {
      n,
      random: reports[0],
      // The announcement is not part of the election.
      most: Math.max(...reports.map(({ messages }) => messages.max!)) - n,
      phases: Math.max(...reports.map(({ measures }) => measures.phases.max!)),
    };
  });
  return rows;
}

/** Ids in bit-reversed order: at most half stay active, each time as many as can. */
function bitReversed(bits: number): number[] {
  const reversed = (value: number) =>
    Array.from({ length: bits }, (_, bit) => (value >> bit) & 1).reduce((out, digit) => out * 2 + digit, 0);
  return Array.from({ length: 2 ** bits }, (_, node) => reversed(node));
}

/** In both rings id 4 has won within distance 2, which is the last phase of the first ring and not of the second. */
const INDISTINGUISHABLE = { four: [1, 4, 2, 3], eight: [3, 1, 4, 2, 0, 7, 8, 6] } as const;
const EXAMPLE = [3, 7, 1, 8, 5, 2, 6, 4];

/** The reach of the first phase with 2^i ≥ n/2. */
const lastReach = (n: number) => 2 ** Math.max(0, Math.ceil(Math.log2(n / 2)));

/** Candidates of phase i for every i: those that have won within 2^(i-1). */
const candidates = (ids: readonly number[]) =>
  Array.from({ length: Math.ceil(Math.log2(ids.length)) }, (_, i) => winnersWithin(ids, 2 ** i));

/** Whether no two winners within 2^(i-1) lie in one sequence of 2^(i-1) processes. */
const apart = (ids: readonly number[]) =>
  candidates(ids).every(
    (winners, i) =>
      winners.every((node, k) => k === 0 || node - winners[k - 1] >= 2 ** i) &&
      (winners.length < 2 || winners[0] + ids.length - winners[winners.length - 1] >= 2 ** i),
  );

export const logarithmic = item("n-log-n", async (bench) => {
  const hs = await measured(bench, "hirschberg-sinclair");
  const peterson = await measured(bench, "peterson");
  const n = 1024;
  const reversed = await bench.simulate({ protocol: "peterson", n, ids: bitReversed(10), host: "lockstep" }, 1);
  const home = await bench.simulate({ protocol: "hirschberg-sinclair", n, host: "lockstep" }, 20);
  const known = await bench.simulate(
    { protocol: "hirschberg-sinclair", n, host: "lockstep", params: { stop: "known-n" } },
    20,
  );
  const below = (rows: typeof hs, bound: (n: number) => number) => rows.every((row) => row.most <= bound(row.n));
  const saved = Math.round(home.messages.mean! - known.messages.mean!);
  bench.step("hirschberg-sinclair: all arrangements");
  const all = [2, 3, 4, 5, 6, 7, 8].flatMap(arrangements);
  const single = all.filter((ids) => winnersWithin(ids, lastReach(ids.length)).length === 1).length;
  const { four, eight } = INDISTINGUISHABLE;
  const misled =
    winnersWithin(four, lastReach(4)).includes(1) &&
    winnersWithin(eight, lastReach(4)).includes(2) &&
    !winnersWithin(eight, lastReach(8)).includes(2);
  const crowded = all.filter((ids) => !apart(ids)).length;
  const perPhase = Math.max(
    ...all.flatMap((ids) => candidates(ids).map((winners, i) => (winners.length * 4 * 2 ** (i + 1)) / ids.length)),
  );
  // Phases 0, 1 and 2 on a ring of eight, where the largest id wins each.
  const sent = messagesById("hirschberg-sinclair", EXAMPLE, { stop: "known-n" });
  const winners = [0, 1, 2].reduce((sum, i) => sum + 2 ** i, 0);
  const forwards = messagesById("chang-roberts", EXAMPLE);
  const largest = Math.max(...EXAMPLE);
  const petersonWorst = Math.max(peterson[peterson.length - 1].most, reversed.messages.max! - n);
  const perLog = (messages: number, size: number) => messages / (size * Math.log2(size));
  const least = SIZES.map((size, i) => perLog(Math.min(changRobertsWorst(size), hs[i].most, peterson[i].most), size));
  return {
    claims: [
      claim(
        "hs-cost",
        hs[hs.length - 1].most,
        below(hs, hirschbergSinclairBound) && hs.every((row) => row.phases === hirschbergSinclairPhases(row.n)),
        { bound: hirschbergSinclairBound(n), n },
      ),
      worded("hs-idea", sent.get(largest)! < sent.get(1)!, {
        largest: sent.get(largest),
        smallest: sent.get(1),
        largestBefore: forwards.get(largest),
        smallestBefore: forwards.get(1),
      }),
      worded("hs-phase", crowded === 0 && perPhase <= 8, { all: all.length, perPhase }),
      claim(
        "hs-candidate",
        sent.get(largest)!,
        verdictOr(sent.get(largest) === 2 * winners, sent.get(largest) === 4 * winners),
        { slide: 2 * winners },
      ),
      worded("hs-last-phase", single === all.length && known.outcomes.one === known.trials, {
        known,
        n,
        single,
        all: all.length,
      }),
      claim(
        "hs-unknown-n",
        misled
          ? `id 4 must lead the ring ${four.join(" ")}; in the ring ${eight.join(" ")} it gets the same answers and must not`
          : "no ring that contradicts it",
        verdictOr(!misled, saved === 2 * n),
      ),
      claim(
        "peterson",
        petersonWorst,
        below(peterson, petersonBound) &&
          petersonWorst <= petersonBound(n) &&
          reversed.measures.phases.max === petersonPhasesBound(n),
        { bound: petersonBound(n), n },
      ),
      worded("lower-bound", least.every((ratio) => ratio >= 0.5) && petersonWorst <= 3 * n * Math.log2(n), {
        n,
        average: perLog(changRobertsMean(n), n),
        least: Math.min(...least),
      }),
    ],
    figures: [
      await lineFigure("lecture-n-log-n", { hs }, [
        plotted("measured", "hirschberg-sinclair", hs, perNode),
        computed("theory", "hirschberg-sinclair", SIZES, (n) => (hirschbergSinclairMean(n) + n) / n),
        plotted("measured", "peterson", peterson, perNode),
        computed("bound", "peterson", SIZES, (n) => (petersonBound(n) + n) / n),
        computed("reference", "ln n", SIZES, (n) => Math.log(n)),
      ]),
    ],
  };
});

function perNode({ n, random }: Awaited<ReturnType<typeof measured>>[number]) {
  const { y, low, high } = meanAt(n, random.messages);
  return { x: n, y: y! / n, low: low! / n, high: high! / n };
}

export const variableTime = item("variable-time", async (bench) => {
  const n = 64;
  const reports = await bench.each([0, 1, 10, 100, 1000, 12_643], async (smallest) => {
    const ids = Array.from({ length: n }, (_, node) => smallest + ((node * 7) % n) * 1000);
    return { smallest, report: await bench.simulate({ protocol: "time-slice", n, ids }, 1) };
  });
  const linear = await bench.each(SIZES, (size) => bench.simulate({ protocol: "time-slice", n: size }, 20));
  const exact =
    linear.every((report) => report.messages.min === report.n && report.messages.max === report.n) &&
    reports.every(({ smallest, report }) => report.rounds.mean === n * smallest + n && report.messages.mean === n);
  const last = reports[reports.length - 1];
  const leaders = ["chang-roberts", "hirschberg-sinclair", "peterson", "time-slice"].map((protocol) => {
    const settings = resolve({ protocol, n });
    const ids = Array.from({ length: 20 }, (_, trial) => runTrial(settings, trial).leader);
    return { protocol, highest: ids.filter((id) => id === n).length, smallest: ids.filter((id) => id === 1).length };
  });
  return {
    claims: [
      worded("time-cost", exact, { last, n, messages: linear[linear.length - 1].messages.max }),
      claim(
        "highest-id",
        leaders.map(({ protocol, highest }) => `${protocol} ${highest} of 20`).join(", "),
        () => leaders.every(({ highest }) => highest === 20),
        { n, leaders },
      ),
    ],
    figures: [
      await lineFigure("lecture-variable-time", { n }, [
        plotted("measured", "rounds", reports, ({ smallest, report }) => ({
          x: smallest + 1,
          y: report.rounds.mean,
        })),
        plotted("theory", "rounds", reports, ({ smallest }) => ({ x: smallest + 1, y: n * smallest + n })),
      ]),
    ],
  };
});
