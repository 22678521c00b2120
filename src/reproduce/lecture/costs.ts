/** S. Chakraborty's lecture T9 on costs: Chang and Roberts, then n log n with Hirschberg-Sinclair and Peterson, n with time. */
import { type Request, resolve } from "../../simulation/settings.ts";
import { runTrial } from "../../simulation/trial.ts";
import { scaled } from "../../statistics/fits.ts";
import { rateOf } from "../../statistics/intervals.ts";
import type { Report, Summary } from "../../statistics/report.ts";
import * as byHand from "../../theory/rings/arrangements.ts";
import * as rings from "../../theory/rings/rings.ts";
import type { TraceEvent } from "../../trace/events.ts";
import { play } from "../../trace/played.ts";
import { type DeclaredRun, grid, over, type Swept } from "../claim.ts";
import { always, enoughRuns, equalTo, all as every, given, verdictOr } from "../criteria.ts";
import { bound, measured, pointAt, reference, theory } from "../draw.ts";
import { lecture } from "../texts.ts";
import { numberText } from "../words.ts";

const SIZES = [4, 16, 64, 256, 1024];
const ORDERS = ["random", "increasing", "decreasing"] as const;
/** All arrangements of this many ids can be counted. */
const COUNTED = 8;

type Order = (typeof ORDERS)[number];
/** In lockstep, at each size. */
const ring = (protocol: string, ids: Order, trials: DeclaredRun[1], params = {}, most = 1024) =>
  over(
    SIZES.filter((n) => n <= most),
    (n) => [{ protocol, n, ids, host: "lockstep", params }, trials],
  );

/** Without the announcement. */
const electionOf = ({ n, messages }: Report): Summary => scaled(messages, (count) => count - n);

/** In how many of the first trials this id leads. */
function leads(id: number, request: Request, trials: number): number {
  const settings = resolve(request);
  return Array.from({ length: trials }, (_, trial) => runTrial(settings, trial).leader).filter((one) => one === id)
    .length;
}

/** Who leads rings of 100 ids: in how many of the trials the largest id does, by host and by what passive nodes do. */
function largestLeads(trials: number) {
  const largest = (request: object) => leads(100, { protocol: "chang-roberts", n: 100, ...request }, trials);
  const exponential = { host: "events", delay: { kind: "exponential", mean: 1 } } as const;
  const few = { initiators: 10, ...exponential } as const;
  return {
    lockstep: largest({ host: "lockstep" }),
    events: largest(exponential),
    relay: largest(few),
    join: largest({ ...few, params: { passive: "join" } }),
  };
}

/** The slide's chance that id i takes k steps, against the exact one of id i + shift, for n = 5. */
const isSlideChance = (shift: number): boolean =>
  [1, 2, 3, 4].every((i) =>
    [1, 2, 3, 4].every((k) => Math.abs(byHand.slideChance(5, i, k) - byHand.chanceOfSteps(5, i + shift, k)) < 1e-12),
  );

/** The slide's sum for the average, against the exact mean. */
const isSlideAverage = (): boolean =>
  [2, 3, 10, 50, 200].every((n) => Math.abs(byHand.slideAverage(n) / rings.changRobertsMean(n) - 1) < 1e-9);

/** The messages of every arrangement of this many ids, counted by hand. */
const totalsOf = (n: number): number[] =>
  byHand.arrangements(n).map((ids) => byHand.changRobertsSteps(ids).reduce((sum, steps) => sum + steps, 0));

const areExactly = (reports: readonly Report[], messages: (n: number) => number): boolean =>
  reports.every((report) => electionOf(report).mean === messages(report.n));

lecture("chang-roberts", {
  worst: ring("chang-roberts", "decreasing", 1),
  best: ring("chang-roberts", "increasing", 1),
  mean: ring("chang-roberts", "random", [100, 1000]),
  literal: ring("chang-roberts", "increasing", 1, { reading: "printed" }, 256),
})(({ worst, best, mean, literal }, { tell, claims, draw, ...bench }) => {
  bench.step("chang-roberts: who leads");
  const trials = bench.trials(100, 1000);
  const led = largestLeads(trials);
  const inAll = (count: number) => always(rateOf(count, trials), trials);
  bench.step("chang-roberts: all arrangements");
  const totals = totalsOf(COUNTED);
  const last = SIZES.length - 1;
  const n = SIZES[last];
  const inBest = electionOf(literal[literal.length - 1]).mean!;
  const met = every(
    ...mean.map((report) => {
      const exact = rings.changRobertsMean(report.n);
      return equalTo(electionOf(report), exact, 0.1 * exact);
    }),
  );
  const curves = [
    ["decreasing ids", worst, rings.changRobertsWorst],
    ["random ids", mean, rings.changRobertsMean],
    ["increasing ids", best, rings.changRobertsBest],
  ] as const;
  tell({ most: rings.changRobertsWorst(n), fewest: rings.changRobertsBest(n), usual: rings.changRobertsMean(n), n });
  tell({ COUNTED, leads: led, slide: byHand.slideChance(5, 3, 2), sum: 50 * rings.harmonic(50) });
  tell({ cheap: rings.changRobertsBest(256), trials });
  claims({
    "worst-case": [
      electionOf(worst[last]).mean!,
      areExactly(worst, rings.changRobertsWorst) && Math.max(...totals) === rings.changRobertsWorst(COUNTED),
    ],
    "best-case": [
      electionOf(best[last]).mean!,
      areExactly(best, rings.changRobertsBest) && Math.min(...totals) === rings.changRobertsBest(COUNTED),
    ],
    "average-case": [electionOf(mean[last]), met],
    "step-chance": [
      byHand.chanceOfSteps(5, 4, 2),
      given({ shifted: isSlideChance(1), plain: isSlideChance(0) }, ({ shifted, plain }) => verdictOr(shifted, plain)),
    ],
    "average-sum": [byHand.slideAverage(50).toFixed(6), given(isSlideAverage(), (equal) => equal)],
    "max-rule": [inBest, verdictOr(inBest === rings.changRobertsBest(256), areExactly(best, rings.changRobertsBest))],
    "largest-leads": given(led, ({ events, join }) => every(inAll(events), inAll(join))),
    "both-models": given(led, ({ lockstep, events }) => every(inAll(lockstep), inAll(events))),
  });
  draw("lecture-chang-roberts", [
    ...curves.flatMap(([name, reports, of]) => [
      measured(name, SIZES, (_, i) => electionOf(reports[i])),
      theory(name, SIZES, (n) => of(n)),
    ]),
    measured("max(own, received), literally", literal, (one) => pointAt(one.n, electionOf(one))),
  ]);
});

/** How many messages with each id a run sends, the announcement left out. */
function messagesById(protocol: string, ids: readonly number[], params = {}): Map<number, number> {
  const { events } = play(protocol, { n: ids.length, ids, params }, ["start", "run"]);
  const counts = new Map<number, number>();
  for (const event of events) {
    const id = electionId(event);
    if (id !== null) counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return counts;
}

function electionId(event: TraceEvent): number | null {
  if (event.do !== "send") return null;
  const { kind, id } = event.message as { kind: string; id?: number };
  return kind === "announce" || id === undefined ? null : id;
}

/** In both rings id 4 has won within distance 2, which is the last phase of the first ring and not of the second. */
const INDISTINGUISHABLE = { four: [1, 4, 2, 3], eight: [3, 1, 4, 2, 0, 7, 8, 6] } as const;
const EXAMPLE = [3, 7, 1, 8, 5, 2, 6, 4];

/** Every order at every size; only random ids differ from trial to trial. */
const ordered = (protocol: string) =>
  grid(SIZES, ORDERS, (n, ids) => [{ protocol, n, ids, host: "lockstep" }, ids === "random" ? [40, 400] : 1]);

type Ordered = Swept<readonly [number, Order]>;

/** The most messages of an election, and the most phases, at each size. */
const mostOf = (reports: readonly Report[]) =>
  SIZES.map((n) => {
    const some = reports.filter((one) => one.n === n);
    return {
      n,
      messages: Math.max(...some.map(({ messages }) => messages.max!)) - n,
      phases: Math.max(...some.map(({ measures }) => measures.phases.max!)),
    };
  });
const known = (params = {}): DeclaredRun => [
  { protocol: "hirschberg-sinclair", n: 1024, host: "lockstep", params },
  20,
];

/** Whether id 4, which must lead the ring of four but not that of eight, gets the same answers in both. */
function isMisled(): boolean {
  const { four, eight } = INDISTINGUISHABLE;
  const leadsFour = byHand.winnersWithin(four, byHand.lastReach(4)).includes(1);
  const seemsToLeadEight = byHand.winnersWithin(eight, byHand.lastReach(4)).includes(2);
  return leadsFour && seemsToLeadEight && !byHand.winnersWithin(eight, byHand.lastReach(8)).includes(2);
}

/** Of Hirschberg-Sinclair in every arrangement of 2 to 8 ids. */
function inAllArrangements() {
  const all = [2, 3, 4, 5, 6, 7, 8].flatMap(byHand.arrangements);
  return {
    count: all.length,
    /** In how many of them one id wins the last phase. */
    single: all.filter((ids) => byHand.winnersWithin(ids, byHand.lastReach(ids.length)).length === 1).length,
    /** The most messages of a phase, for each node. */
    perPhase: Math.max(
      ...all.flatMap((ids) =>
        byHand.candidates(ids).map((winners, i) => (winners.length * 4 * 2 ** (i + 1)) / ids.length),
      ),
    ),
    apart: all.every(byHand.apart),
  };
}

/** Messages as a multiple of n log n. */
const perLog = (messages: number, n: number): number => messages / (n * Math.log2(n));

/** The reports with random ids, of all orders. */
const shuffled = (reports: Ordered) => reports.filter((_, i) => reports.xs[i][1] === "random");

const perNode = (reports: Ordered) => (n: number) =>
  scaled(shuffled(reports).find((one) => one.n === n)!.messages, (messages) => messages / n);

lecture("n-log-n", {
  sinclair: ordered("hirschberg-sinclair"),
  peterson: ordered("peterson"),
  reversed: [{ protocol: "peterson", n: 1024, ids: byHand.bitReversed(10), host: "lockstep" }, 1],
  home: known(),
  known: known({ stop: "known-n" }),
})(({ sinclair, peterson, reversed, home, known }, { tell, claims, draw, ...bench }) => {
  const n = 1024;
  const [hs, pet] = [mostOf(sinclair), mostOf(peterson)];
  const below = (rows: typeof hs, bound: (n: number) => number) => rows.every((row) => row.messages <= bound(row.n));
  const saved = Math.round(home.messages.mean! - known.messages.mean!);
  bench.step("hirschberg-sinclair: all arrangements");
  const { count, single, perPhase, apart } = inAllArrangements();
  const misled = isMisled();
  // Phases 0, 1 and 2 on a ring of eight, where the largest id wins each.
  const sent = messagesById("hirschberg-sinclair", EXAMPLE, { stop: "known-n" });
  const [largest, smallest] = [sent.get(8)!, sent.get(1)!];
  const winners = 1 + 2 + 4;
  const forwards = messagesById("chang-roberts", EXAMPLE);
  const petersonWorst = Math.max(pet[4].messages, reversed.messages.max! - n);
  const least = Math.min(
    ...SIZES.map((size, i) => perLog(Math.min(rings.changRobertsWorst(size), hs[i].messages, pet[i].messages), size)),
  );
  const inPhases = hs.every((row) => row.phases === rings.hirschbergSinclairPhases(row.n));
  const { four, eight } = INDISTINGUISHABLE;
  const indistinguishable = `id 4 must lead ${four.join("-")} but not ${eight.join("-")}, with the same answers`;
  tell({ n, all: count, single, perPhase, largest, smallest, slide: 2 * winners });
  tell({ hsBound: rings.hirschbergSinclairBound(n), largestBefore: forwards.get(8), smallestBefore: forwards.get(1) });
  tell({ petersonBound: rings.petersonBound(n), least, average: perLog(rings.changRobertsMean(n), n) });
  claims({
    "hs-cost": [
      hs[4].messages,
      every(below(hs, rings.hirschbergSinclairBound), inPhases, enoughRuns(shuffled(sinclair), 40)),
    ],
    "hs-idea": largest < smallest,
    "hs-phase": given({ apart, perPhase }, (found) => found.apart && found.perPhase <= 8),
    "hs-candidate": [largest, (x) => verdictOr(x === 2 * winners, x === 4 * winners)],
    "hs-last-phase": [
      single === count ? `one in ${numberText(single)} of ${numberText(count)} arrangements` : `one in ${single}`,
      every(single === count, always(known.success, known.trials, 20)),
    ],
    "hs-unknown-n": [misled ? indistinguishable : "no ring that contradicts it", verdictOr(!misled, saved === 2 * n)],
    peterson: [
      petersonWorst,
      every(
        below(pet, rings.petersonBound),
        petersonWorst <= rings.petersonBound(n),
        reversed.measures.phases.max === rings.petersonPhasesBound(n),
        enoughRuns(shuffled(peterson), 40),
      ),
    ],
    "lower-bound": every(
      least >= 0.5,
      petersonWorst <= 3 * n * Math.log2(n),
      enoughRuns([...shuffled(sinclair), ...shuffled(peterson)], 40),
    ),
  });
  draw("lecture-n-log-n", [
    measured("hirschberg-sinclair", SIZES, perNode(sinclair)),
    theory("hirschberg-sinclair", SIZES, (n) => (rings.hirschbergSinclairMean(n) + n) / n),
    measured("peterson", SIZES, perNode(peterson)),
    bound("peterson", SIZES, (n) => (rings.petersonBound(n) + n) / n),
    reference("ln n", SIZES, (n) => Math.log(n)),
  ]);
});

const SMALLEST = [0, 1, 10, 100, 1000, 12_643];
const SLOW = 64;

lecture("variable-time", {
  slow: over(SMALLEST, (smallest) => [
    {
      protocol: "time-slice",
      n: SLOW,
      ids: Array.from({ length: SLOW }, (_, node) => smallest + ((node * 7) % SLOW) * 1000),
    },
    1,
  ]),
  linear: over(SIZES, (size) => [{ protocol: "time-slice", n: size }, 20]),
})(({ slow, linear }, { tell, claims, draw }) => {
  const n = SLOW;
  const exact =
    linear.every((report) => report.messages.min === report.n && report.messages.max === report.n) &&
    slow.every(({ rounds, messages }, i) => rounds.mean === n * SMALLEST[i] + n && messages.mean === n);
  // Peterson's slide does not say whether the last active process leads or the owner of the id that it carries.
  const leaders = ["chang-roberts", "hirschberg-sinclair", "peterson", "time-slice"].map((protocol) => {
    const request = { protocol, n, params: protocol === "peterson" ? { winner: "owner" } : {} };
    return { protocol, highest: leads(n, request, 20), smallest: leads(1, request, 20) };
  });
  tell({ n, last: slow[5], id: SMALLEST[5], messages: linear[4].messages.max, leaders });
  claims({
    "time-cost": every(exact, enoughRuns(linear, 20)),
    "highest-id": [
      leaders.map(({ protocol, highest }) => `${protocol} ${highest}/20`).join(", "),
      leaders.every(({ highest }) => highest === 20),
    ],
  });
  draw("lecture-variable-time", [
    measured("rounds", SMALLEST, (id, i) => ({ x: id + 1, y: slow[i].rounds.mean })),
    theory("rounds", SMALLEST, (id) => ({ x: id + 1, y: n * id + n })),
  ]);
});
