/** Gupta et al.: the third and the fourth factor of Theorem 1(b), Time_Out_2, and what the text says in passing (Fig. 1 too). */
import { obtainedLoss } from "../../theory/gupta/epidemic.ts";
import { allHear, delaysAlong, fourthBounds, joinChance } from "../../theory/gupta/exact.ts";
import { roundFactors } from "../../theory/gupta/gupta.ts";
import { over } from "../claim.ts";
import { all, atLeast, enoughRuns, given } from "../criteria.ts";
import { gupta } from "../texts.ts";
import { agreeingRounds } from "./round.ts";
import { alike, FIG4, guptaElection, LAST_K, lossy } from "./setting.ts";

const N = 300;
const CHOICES = ["lowest-id", "highest-id", "least-load", "highest-weight", "zone"];
const INITIATORS = [1, 3, 30];
/** The K of the first rounds of section 5. */
const KS = [7, 14, 28];
const LOSS = 0.4;
const GOSSIP = { multicastLoss: 0.5, loss: 0.1, fanout: 2, rounds: 5 };
const STACKED = { loss: GOSSIP.loss, multicastLoss: obtainedLoss({ ...GOSSIP, n: 3000 }) };

gupta("steps", {
  choices: over(CHOICES, (choice) => [guptaElection(N, lossy(0.1), { choice }), [80, 400]]),
  initiators: over(INITIATORS, (initiators) => [{ ...guptaElection(N, lossy(0.1)), initiators }, [80, 400]]),
  // Rounds of the same K until one is not repeated: what one round costs, and how it ends.
  alone: over(KS, (K) => [guptaElection(N, lossy(LOSS), { K, factor: 1, rounds: 60 }), [60, 300]]),
  stack: [guptaElection(3000, STACKED), [20, 200]],
})(({ choices, initiators, alone, stack }, { tell, claims, ...bench }) => {
  const ks = Array.from({ length: LAST_K - 2 }, (_, i) => i + 3);
  bench.step("Gupta, Theorem 1(b): E3");
  const agreeing = [7, 14].map((k) => ({
    rate: agreeingRounds(k, bench.trials(60, 600)),
    bound: roundFactors(k, FIG4).E3,
  }));
  const [success, unicasts, reached] = [[0], [0], [1]];
  for (const [i, { rounds, success: ended, measures }] of alone.entries()) {
    const again = 1 - 1 / rounds.mean!;
    success.push(success[i] + reached[i] * (1 - again) * ended.rate!);
    unicasts.push(unicasts[i] + (reached[i] * measures.unicasts.mean!) / rounds.mean!);
    reached.push(reached[i] * again);
  }
  const growing = (some: readonly number[]) => some.every((value, i) => i === 0 || value > some[i - 1]);
  const same = initiators.every(({ rounds }) => alike(rounds, initiators[0].rounds));
  tell({ exact: allHear(4, FIG4), printed: roundFactors(8, FIG4).E4, N, CHOICES, third: agreeing[1].bound });
  tell({ seven: agreeing[0], chosen: choices.map(({ success: { rate } }) => rate), success: success.slice(1) });
  tell({ unicasts: unicasts.slice(1), INITIATORS, started: initiators.map(({ success: { rate } }) => rate) });
  tell({ loss: STACKED.multicastLoss, stack, replies: 0.5 * N });
  claims({
    "fig1-stack": [stack.success, atLeast(stack.success, 0.95, 0.9)],
    "e3-bound": [
      agreeing[1].rate,
      given(
        agreeing.map(({ rate }) => rate),
        (rates) => all(...rates.map((rate, i) => atLeast(rate, agreeing[i].bound, agreeing[i].bound - 0.05))),
      ),
    ],
    "e4-bound": [
      allHear(4, FIG4),
      given(
        ks.map((k) => fourthBounds(k, FIG4)),
        (bounds) => bounds.every(Boolean),
      ),
    ],
    "time-out-2": [
      delaysAlong(12),
      given(
        [4, 8, 16, 32].map((k) => delaysAlong((3 * k) / 2) / ((3 * k) / 2)),
        (shares) => shares.every((x) => x <= 1),
      ),
    ],
    "any-choice": all(...choices.map(({ success }) => atLeast(success, 0.95, 0.9))),
    "fewer-rounds": all(growing(success), growing(unicasts), enoughRuns(alone, 60)),
    "several-initiators": all(same, ...initiators.map(({ success }) => atLeast(success, 0.95, 0.9))),
    joining: [joinChance(N, 0.5), (x) => x > 0.999],
  });
});
