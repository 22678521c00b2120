/** Kutten et al., the parts that are arithmetic: Lemma 1, and the lower bound with its equation (5). */
import type { Report } from "../campaign/report.ts";
import { disjointSuccess, lowerBounds, noCollision } from "../theory/kutten.ts";
import type { Part, Reproduction } from "./claim.ts";
import { intervalOf, lineFigure, rateAt } from "./draw.ts";

const even = (n: number) => Array<number>(n).fill(1 / n);

function tilted(n: number, tilt: number): number[] {
  const weights = Array.from({ length: n }, (_, i) => 1 + tilt * ((i * 7) % n));
  const sum = weights.reduce((a, b) => a + b);
  return weights.map((weight) => weight / sum);
}

/** Whether some distribution that we try avoids collisions more often than the uniform one. */
function beaten(n: number, balls: number): boolean {
  const uniform = noCollision(even(n), balls);
  const others = [0.01, 0.1, 0.5, 2, 10, 100].map((tilt) => tilted(n, tilt));
  for (let used = 1; used < n; used++) others.push([...even(used), ...Array<number>(n - used).fill(0)]);
  return others.some((bins) => noCollision(bins, balls) > uniform * (1 + 1e-12));
}

export const lemma1: Reproduction = {
  paper: "kutten",
  name: "lemma1",
  title: "Lemma 1: the uniform distribution is the worst",
  async run(bench): Promise<Part> {
    bench.step("Lemma 1: exact probabilities");
    const sizes = [3, 4, 5, 6, 9, 12];
    const sound = sizes.every((n) =>
      Array.from({ length: n - 1 }, (_, i) => i + 1).every((balls) => !beaten(n, balls)),
    );
    const [three, two] = [noCollision(even(3), 10), noCollision([0.5, 0.5, 0], 10)];
    const x = 0.5;
    const counts = Array.from({ length: 12 }, (_, i) => i + 1);
    const first = counts.find((balls) => noCollision([0.5, 0.5, 0], balls) > noCollision(even(3), balls))!;
    const rho = (n: number) => 2 * Math.ceil(Math.sqrt(n * Math.log(n)));
    let enough = 100;
    while (rho(enough - 1) < enough - 1) enough--;
    return {
      claims: [
        {
          section: "Lemma 1",
          statement:
            "The probability that two candidates' balls never meet is largest for the uniform distribution, for any numbers of balls and bins",
          paper: "maximal for the uniform distribution",
          ours: `three bins, ten balls each: ${three.toExponential(2)} uniform, ${two.toExponential(2)} with two of the bins`,
          interval: null,
          verdict: "does not hold",
          note: `With three bins it fails from ${first} balls on at the latest: it is better to leave one bin empty. Exact, by inclusion and exclusion.`,
        },
        {
          section: "Lemma 1, as Theorem 2 uses it",
          statement: "With fewer balls than bins the uniform distribution is the worst",
          paper: "maximal for the uniform distribution",
          ours: `no counterexample for n = ${sizes.join(", ")} and all smaller numbers of balls`,
          interval: null,
          verdict: sound ? "holds after repair" : "does not hold",
          note: `Theorem 2 has ρ = 2⌈√(n log n)⌉ balls, which is below n from n = ${enough} on (${rho(100)} at n = 100). Tilted and truncated distributions, exactly; a search and not a proof.`,
        },
        {
          section: "proof of Lemma 1",
          statement: "1 - (1 - e^(-pρ))² ≤ 1 - (pρ)²",
          paper: `at most ${1 - x * x} at pρ = ${x}`,
          ours: 1 - (1 - Math.exp(-x)) ** 2,
          interval: null,
          verdict: "does not hold",
          note: "1 - e^-x is smaller than x, so the inequality goes the other way for every x > 0.",
        },
      ],
      figures: [
        await lineFigure("kutten-lemma1", {
          title: "Two candidates, three bins: no collision",
          caption: "exact probability that no bin has balls of both, by the number of balls of each",
          x: { label: "balls of each candidate" },
          y: { label: "probability", log: true },
          series: [
            {
              name: "all three bins equally likely",
              kind: "theory",
              points: counts.map((b) => ({ x: b, y: noCollision(even(3), b) })),
            },
            {
              name: "only two of the bins",
              kind: "theory",
              points: counts.map((b) => ({ x: b, y: noCollision([0.5, 0.5, 0], b) })),
            },
          ],
        }),
      ],
      text:
        "The lemma has no condition on the number of balls, and without one it is false: with many balls in three bins, two candidates miss each other more often if they keep to two " +
        "of the bins, one each (the lines cross). Its proof goes wrong where it bounds 1 - (1 - e^-x)² from above by 1 - x². In the range in which Theorem 2 applies " +
        "it, fewer balls than bins, we have found no counterexample, and the measured success of random walks agrees.",
    };
  },
};

const BUDGETS = [1, 2, 5, 10, 20, 40, 80, 150, 300, 600];

export const theorem3: Reproduction = {
  paper: "kutten",
  name: "theorem3",
  title: "Theorem 3: how few messages are too few",
  async run(bench): Promise<Part> {
    const n = 10_000;
    const trials = bench.trials(300, 3000);
    const reports: Report[] = [];
    for (const referees of BUDGETS) {
      bench.step(`Theorem 3: ${referees} referees`);
      reports.push(await bench.simulate({ protocol: "referees", n, params: { referees } }, trials));
    }
    const lonely = await bench.simulate({ protocol: "referees", n, params: { candidates: 1, referees: 1 } }, trials);
    const { constantTime, anyTime } = lowerBounds(n);
    const starved = reports.filter(({ messages }) => messages.mean! < constantTime);
    const best = Math.max(...starved.map(({ success }) => success.rate!));
    const rich = reports[reports.length - 1];
    const largest = [2, 3, 10, 100].map((c) => disjointSuccess(c, 1 / c));
    return {
      claims: [
        {
          section: "Theorem 3",
          statement: "With o(√n) messages no algorithm succeeds with high probability in O(1) rounds",
          paper: "Ω(√n) messages are needed",
          ours: best,
          interval: null,
          verdict: best < 0.5 && rich.success.rate! > 0.99 ? "holds" : "does not hold",
          note: `The best success of Algorithm 1 with fewer than √n = ${constantTime} messages (n = 10,000); with ${Math.round(rich.messages.mean!).toLocaleString("en-GB")} it is ${rich.success.rate}. One algorithm is no proof for all; it shows the collapse where the theorem has it.`,
        },
        {
          section: "Theorem 3",
          statement: "With o(n^(1/3)) messages none does in any number of rounds",
          paper: "Ω(n^(1/3)) messages are needed",
          ours: `n^(1/3) = ${anyTime.toFixed(1)} messages; the cheapest run here has ${Math.round(reports[0].messages.mean!)}`,
          interval: null,
          verdict: "holds",
          note: "A proof, which we have read and not tested: Algorithm 1 has two rounds only. Its gap to √n is the paper's open question (2).",
        },
        {
          section: "equation (5)",
          statement: "cp(1-p)^(c-1) ≤ 1/e for every c, with its maximum at p = 1/c",
          paper: `at most ${(1 / Math.E).toFixed(4)}`,
          ours: largest[0],
          interval: null,
          verdict: "does not hold",
          note: `The maximum is (1 - 1/c)^(c-1), which is at least 1/e: ${largest.map((value) => value.toFixed(4)).join(", ")} for c = 2, 3, 10, 100 and 1 for c = 1. The proof needs only a constant below 1, and has it, because nearly all n nodes count as initiators: for c ≥ 2 the maximum is at most 1/2.`,
        },
        {
          section: "equation (5)",
          statement:
            "Candidates that do not influence each other succeed with probability 1/e at best, for many candidates",
          paper: `${(1 / Math.E).toFixed(4)}`,
          ours: lonely.success.rate,
          interval: intervalOf(lonely.success),
          verdict:
            Math.abs(lonely.success.rate! - 1 / Math.E) < 5 * Math.sqrt(0.2325 / trials) ? "holds" : "does not hold",
          note: "One candidate on average, with one referee: about two messages, and 37% succeed by luck alone.",
        },
      ],
      figures: [
        await lineFigure("kutten-theorem3", {
          title: `Algorithm 1 with a smaller budget, n = ${n.toLocaleString("en-GB")}`,
          caption: `${trials} elections a point, seed 1, 95% intervals; √n = 100 messages, n^(1/3) = 22; the last point is close to the paper's size`,
          x: { label: "messages on average", log: true },
          y: { label: "share with one leader", domain: [0, 1] },
          series: [
            {
              name: "2 ln n candidates",
              kind: "measured",
              points: reports.map(({ messages, success }) => rateAt(messages.mean!, success)),
            },
            {
              name: "one candidate on average",
              kind: "measured",
              points: [rateAt(lonely.messages.mean!, lonely.success)],
            },
            {
              name: "1/e",
              kind: "reference",
              points: [lonely.messages.mean!, rich.messages.mean!].map((x) => ({ x, y: 1 / Math.E })),
            },
          ],
        }),
      ],
      text:
        "A lower bound cannot be measured, but its neighbourhood can. The figure gives Algorithm 1 fewer referees than it asks for: below a thousand messages it never " +
        "elects one leader, and it works from about ten thousand on, log^1.5 n above √n. Below √n the best there is to do is to let one candidate " +
        "stand on average and ask nobody, which succeeds in 1/e of all elections. Equation (5) says that 1/e is an upper bound; it is the limit from above. " +
        "The proof survives with 1/2 in its place.",
    };
  },
};
