/** Kutten et al. on complete networks: Theorem 1 and Corollary 1. */
import { wilson } from "../statistics/intervals.ts";
import type { Report } from "../statistics/report.ts";
import {
  candidateBound,
  expectedMessages,
  messageBound,
  missProbability,
  nobodyStands,
  paperSizes,
} from "../theory/kutten.ts";
import type { Part, Reproduction } from "./claim.ts";
import { lineFigure, meanAt, ratioOf, scaledAt } from "./draw.ts";
import { allowedErrors, errorsOf } from "./kutten-criteria.ts";
import { exactly, measuredMean, measuredRate, verdictIf } from "./verdict.ts";

const SIZES = [100, 1000, 10_000, 100_000, 1_000_000];
/** Trials at each of them, quick and full: about as many messages everywhere. */
const TRIALS = [
  [1000, 10_000],
  [500, 4000],
  [200, 1000],
  [40, 200],
  [20, 40],
] as const;
/** Every size at which a bound is computed rather than run. */
const COMPUTED = [...Array.from({ length: 998 }, (_, i) => i + 3), ...SIZES.slice(2)];
/** 2 log n candidates ask 2√(n log n) referees each, and nearly all of these answer where few are asked twice. */
const LARGEST_CONSTANT = 8;

/** P(X > most) for X binomial with n draws of probability p, summed from below. */
function binomialTail(n: number, p: number, most: number): number {
  let log = n * Math.log1p(-p);
  let above = 0;
  for (let k = 0; k <= Math.min(n, most + 400); k++) {
    if (k > most) above += Math.exp(log);
    log += Math.log((n - k) / (k + 1)) + Math.log(p) - Math.log1p(-p);
  }
  return above;
}

/** The expected number of pairs of candidates. */
const expectedPairs = (n: number): number => (2 * Math.log(n) ** 2 * (n - 1)) / n;

/** That two candidates draw the same of n^4 ranks, at most. */
const tieBound = (n: number): number => expectedPairs(n) / n ** 4;

/** The union bound over all that can go wrong, each part of it exact: no candidate, a missed pair, a tie. */
const errorBound = (n: number): number =>
  nobodyStands(paperSizes(n)) + expectedPairs(n) * missProbability(paperSizes(n)) + tieBound(n);

const inUnitsOfBound = ({ n, messages }: Report) =>
  scaledAt(n, messages, (m) => m / (Math.sqrt(n) * Math.log(n) ** 1.5));

export const theorem1: Reproduction = {
  paper: "kutten",
  name: "theorem1",
  title: "Theorem 1: referees on complete networks",
  async run(bench): Promise<Part> {
    const reports: Report[] = [];
    for (const [i, n] of SIZES.entries()) {
      bench.step(`Theorem 1: n = ${n}`);
      const [quick, full] = TRIALS[i];
      reports.push(await bench.simulate({ protocol: "referees", n }, bench.trials(quick, full)));
    }
    const explicit = await bench.simulate(
      { protocol: "referees", n: 10_000, params: { explicit: true } },
      bench.trials(20, 200),
    );
    const announced = explicit.measures.announcements;
    const few = reports[0];
    const perBound = reports.map(inUnitsOfBound);
    const constant = perBound[perBound.length - 1];
    const tails = SIZES.map((n) => binomialTail(n, (2 * Math.log(n)) / n, candidateBound(n)));
    const nobody = COMPUTED.map((n) => nobodyStands(paperSizes(n)) * n ** 2);
    const bitsPerLog = reports.map(({ n, bits, messages }) => bits.mean! / messages.mean! / Math.log2(n));
    const asLarge = reports[3];
    let crossing = 1000;
    while (expectedMessages(paperSizes(crossing)) > crossing) crossing += 1000;
    const two = 2 * Math.log(2) * (1 - Math.log(2));
    return {
      claims: [
        {
          section: "Theorem 1",
          statement: "Algorithm 1 solves leader election with probability at least 1 - 1/n",
          paper: "error at most 1/n = 0.01 at n = 100",
          ...measuredRate(wilson(errorsOf([few]), few.trials)),
          verdict: verdictIf(
            errorsOf(reports) <= allowedErrors(reports) && COMPUTED.every((n) => errorBound(n) <= 1 / n),
          ),
          note: `${errorsOf(reports)} errors in ${reports.reduce((sum, { trials }) => sum + trials, 0).toLocaleString("en-GB")} elections with n from 100 to a million, where 1/n allows ${allowedErrors(reports).toFixed(1)}. Computed, the error is at most ${errorBound(100).toExponential(1)} at n = 100, and below 1/n for every n from 3 to 1000 and up to a million. Not at n = 2, where two candidates are each other's only referee: ${two.toFixed(3)} succeed. log is natural.`,
        },
        {
          section: "Theorem 1",
          statement: "It terminates in O(1) rounds",
          paper: "2 rounds",
          ...exactly(Math.max(...reports.map(({ rounds }) => rounds.max!))),
          verdict: verdictIf(reports.every(({ rounds }) => rounds.max! <= 2)),
          note: "Requests and notifications, in every election.",
        },
        {
          section: "Theorem 1",
          statement: "It uses O(√n log^1.5 n) messages with high probability",
          paper: "a constant times √n log^1.5 n",
          ours: constant.y,
          interval: [constant.low!, constant.high!],
          verdict: verdictIf(
            perBound.every(({ low }) => low! < LARGEST_CONSTANT) &&
              reports.every(({ n, messages }) => messages.max! < messageBound(n)),
          ),
          note: `That constant at n = a million; it is ${perBound[1].y!.toFixed(1)} at n = 1000 and tends to ${LARGEST_CONSTANT}, four for the requests and four for the answers. Criterion: means below ${LARGEST_CONSTANT} at every n, and each single election below the 28 of the proof. ${Math.round(asLarge.messages.mean!).toLocaleString("en-GB")} messages on average at n = 100,000, the formula says ${Math.round(expectedMessages(paperSizes(asLarge.n))).toLocaleString("en-GB")}. Below n = ${crossing.toLocaleString("en-GB")} that is more than n: "sublinear" begins there.`,
        },
        {
          section: "Theorem 1",
          statement: "It works in the CONGEST model: messages of O(log n) bits, one for each link and round",
          paper: "O(log n) bits",
          ...exactly(bitsPerLog[bitsPerLog.length - 1]),
          verdict: verdictIf(bitsPerLog.slice(1).every((bits, i) => bits <= bitsPerLog[i])),
          note: `Bits of a message on average, in units of log2 n, at n = a million; from n = 100 on ${bitsPerLog.map((bits) => bits.toFixed(1)).join(", ")}, falling, since our encoding of a rank has a part that does not grow. Referees are drawn without replacement, so no link is used twice in a round.`,
        },
        {
          section: "proof of Theorem 1",
          statement: "At most 7 log n candidates with probability 1 - n^-2",
          paper: "n^-2 = 1e-4 at n = 100",
          ...exactly(tails[0]),
          verdict: verdictIf(tails.every((tail, i) => tail <= SIZES[i] ** -2)),
          note: "The probability of more, a binomial tail summed exactly; far below what the Chernoff bound grants.",
        },
        {
          section: "proof of Theorem 1",
          statement: "Nobody becomes a candidate with probability about n^-2, so somebody is elected with 1 - n^-2",
          paper: "1e-6 at n = 1000",
          ...exactly(nobodyStands(paperSizes(1000))),
          verdict: verdictIf(nobody.every((share) => share <= 1) && nobody[nobody.length - 1] > 0.999),
          note: `(1 - 2 ln n / n)^n, computed: never above n^-2 for n from 3 on, and ${nobody[nobody.length - 1].toFixed(4)} of it at n = a million.`,
        },
        {
          section: "proof of Theorem 1",
          statement: "The highest rank is unique with high probability",
          paper: '"with high probability"',
          ...exactly(tieBound(1000)),
          verdict: verdictIf(COMPUTED.every((n) => tieBound(n) <= n ** -2)),
          note: "That any two candidates have the same rank of n^4, at most, at n = 1000; below n^-2 for every n from 3 on.",
        },
        {
          section: "proof of Theorem 1",
          statement: "Two candidates have no common referee with probability at most n^-4",
          paper: "1e-12 at n = 1000",
          ...exactly(missProbability(paperSizes(1000))),
          verdict: verdictIf(COMPUTED.every((n) => missProbability(paperSizes(n)) <= n ** -4)),
          note: "Exact, for referees drawn without replacement among the other n - 1 nodes, all n from 3 to 1000 and up to a million.",
        },
        {
          section: "section 1.1",
          statement: "The explicit variant needs O(n) messages and O(1) time on complete networks",
          paper: "O(n), O(1)",
          ...exactly(
            `${announced.max!.toLocaleString("en-GB")} more messages and ${explicit.rounds.max} rounds at n = 10,000`,
          ),
          verdict: verdictIf(announced.max === 9999 && explicit.rounds.max === 3),
          note: `The leader tells everybody: n - 1 messages, one round. With those of the election that is ${(1 + explicit.messages.mean! / 10_000 - announced.mean! / 10_000).toFixed(1)} n at n = 10,000 and ${(1 + expectedMessages(paperSizes(1e9)) / 1e9).toFixed(2)} n at n = 10^9.`,
        },
      ],
      figures: [
        await lineFigure("kutten-theorem1", {
          title: "Algorithm 1: messages",
          caption: "referees on complete networks, seed 1; the means and their formula can hardly be told apart",
          x: { label: "n (processes)", log: true },
          y: { label: "messages", log: true },
          series: [
            { name: "messages", kind: "measured", points: reports.map(({ n, messages }) => meanAt(n, messages)) },
            {
              name: "messages",
              kind: "theory",
              points: SIZES.map((n) => ({ x: n, y: expectedMessages(paperSizes(n)) })),
            },
            { name: "messages", kind: "bound", points: SIZES.map((n) => ({ x: n, y: messageBound(n) })) },
            { name: "n", kind: "reference", points: SIZES.map((n) => ({ x: n, y: n })) },
            { name: "√n, Theorem 3", kind: "reference", points: SIZES.map((n) => ({ x: n, y: Math.sqrt(n) })) },
          ],
        }),
      ],
      text:
        "Every number of Theorem 1 and its proof holds, most of them with room to spare; only n = 2 is an exception, and whoever needs a leader of two does not need this algorithm. The figure has " +
        `the measured messages on the exact mean, a quarter of the proof's bound (dotted): fewer than n from about ${crossing.toLocaleString("en-GB")} nodes on, and a factor log^1.5 n above the lower bound √n. ` +
        'One slip in section 1.3: the definition wants "all nodes", the leader among them, to be NON-ELECTED; all others are meant.',
    };
  },
};

const GROWTH = [1000, 10_000, 100_000];
const GROWTH_TRIALS = [
  [100, 1000],
  [40, 300],
  [20, 60],
] as const;
const WAKES = ["simultaneous", "uniform:10", "uniform:100", "one-then-rest:50", "one-then-rest:1000"];

export const corollary1: Reproduction = {
  paper: "kutten",
  name: "corollary1",
  title: "Corollary 1: an adversary wakes the nodes",
  async run(bench): Promise<Part> {
    const n = 300;
    const reports: Report[] = [];
    for (const wake of WAKES) {
      bench.step(`Corollary 1: ${wake}`);
      const params = wake === "simultaneous" ? {} : { wakeup: "adversarial", wake };
      reports.push(await bench.simulate({ protocol: "referees", n, params }, bench.trials(300, 1500)));
    }
    const grown: Report[] = [];
    for (const [i, size] of GROWTH.entries()) {
      bench.step(`Corollary 1: n = ${size}`);
      const params = { wakeup: "adversarial", wake: "uniform:10" };
      const [quick, full] = GROWTH_TRIALS[i];
      grown.push(await bench.simulate({ protocol: "referees", n: size, params }, bench.trials(quick, full)));
    }
    const adversarial = reports.slice(1);
    const woken = [...adversarial, ...grown];
    const { trials } = reports[0];
    const elections = adversarial.length * trials;
    const late = reports[reports.length - 1];
    const ratios = adversarial.map(({ messages }) => ratioOf(messages, reports[0].messages));
    const ratio = ratios.reduce((most, one) => (one.ours > most.ours ? one : most));
    const perBound = grown.map(inUnitsOfBound);
    const constant = perBound[perBound.length - 1];
    return {
      claims: [
        {
          section: "Corollary 1",
          statement: "A unique leader with high probability, whenever nodes are woken",
          paper: `at least 1 - 1/n = ${(1 - 1 / n).toFixed(4)}`,
          ...measuredRate(wilson(elections - errorsOf(adversarial), elections)),
          verdict: verdictIf(errorsOf(woken) <= allowedErrors(woken)),
          note: `Four schedules at n = ${n}: uniform over 10 and 100 rounds, one node and then the rest after 50 and 1000; and n = ${GROWTH.map((size) => size.toLocaleString("en-GB")).join("; ")}: ${errorsOf(woken)} errors in all, and 1/n allows ${allowedErrors(woken).toFixed(1)}. All nodes must be woken some day: one that wakes alone for ever is a candidate with probability 2 ln n / n only.`,
        },
        {
          section: "Corollary 1",
          statement: "O(√(n log³ n)) messages with high probability",
          paper: "a constant times √(n log³ n)",
          ours: constant.y,
          interval: [constant.low!, constant.high!],
          verdict: verdictIf(
            perBound.every(({ low }) => low! < LARGEST_CONSTANT) &&
              woken.every((report) => report.messages.max! < messageBound(report.n)),
          ),
          note: `That constant at n = 100,000, nodes waking in 10 rounds; ${perBound
            .slice(0, -1)
            .map(({ y }) => y!.toFixed(1))
            .join(" and ")} at n = 1000 and 10,000. Criterion as for Theorem 1.`,
        },
        {
          section: "section 2.1",
          statement: "The extension preserves the message complexity of Algorithm 1",
          paper: '"preserves"',
          ...ratio,
          verdict: verdictIf(ratio.interval[1] < 1.1),
          note: `The largest ratio of mean messages to those of a simultaneous start, n = ${n}.`,
        },
        {
          section: "section 2.1",
          statement: "Termination in O(1) rounds can no longer be guaranteed",
          paper: "no bound",
          ...measuredMean(late.rounds),
          verdict: verdictIf(late.rounds.p50! >= 1000),
          note: "Mean rounds where one node wakes first and the rest in round 1000: the one is a candidate with probability 2 ln n / n = 4% only.",
        },
      ],
      figures: [
        await lineFigure("kutten-corollary1", {
          title: `Messages by wake-up schedule, n = ${n}`,
          caption: `${trials} elections each, seed 1, 95% intervals; ticks: exact mean of a simultaneous start`,
          x: { label: "schedule" },
          y: { label: "messages" },
          series: [
            {
              name: "messages",
              kind: "measured",
              points: reports.map(({ messages }, i) => meanAt(WAKES[i], messages)),
            },
            { name: "messages", kind: "theory", points: WAKES.map((x) => ({ x, y: expectedMessages(paperSizes(n)) })) },
          ],
        }),
      ],
      text:
        "A referee that answers only in the first round in which it hears anybody makes the algorithm indifferent to the wake-up schedule: as many messages, one leader. What is " +
        "lost is the time, as the paper says: an adversary that wakes one node and lets the others sleep waits as long as it likes.",
    };
  },
};
