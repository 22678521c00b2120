/**
 * The power of choice: hosts draw twice in one exchange and the centre takes the better draw.
 *
 * D. Raz, Y. Shavitt, L. Zhang, "Distributed Council Election", IEEE/ACM Transactions on Networking 12(3), 2004, section V-B.
 *
 * Model: a centre that multicasts and n anonymous hosts that answer it, synchronous exchanges, n known.
 * Cost: close to one exchange (1.09 for [4, 8], 1.001 for [1, 8]), for up to twice the replies of Skip-Reset.
 *
 * A host sends one reply if either draw leaves it active. The centre takes the first draw within the range, otherwise the
 * smaller overshoot, otherwise it restarts. Its next multicast names the draw, so this election always ends with one more.
 */
import type { Protocol } from "../../protocol.ts";
import {
  type CouncilMessage,
  type CouncilState,
  councilHandlers,
  type Draws,
  type Feedback,
  feedback,
  feedbackBits,
  isWithin,
  type Rules,
  replyChance,
} from "./council.ts";
import {
  type CouncilParams,
  commonParameters,
  councilTraits,
  cParameter,
  estimateParameter,
  rangeParameters,
  readingParameter,
} from "./parameters.ts";

export interface ChoiceParams extends CouncilParams {
  readonly base: "skip-reset" | "basic";
}

interface ChoiceMemory {
  population: number;
  draw: 1 | 2;
}

/** In which of its last two draws the host stayed active. */
interface TwoBits {
  draws: Draws | 0;
}

export const choiceRules: Rules<ChoiceParams, ChoiceMemory, Feedback, TwoBits> = {
  knowsN: true,
  open(params, n) {
    const population = n * params.estimate;
    const polled = params.estimate === 1 && isWithin(n, params);
    const memory: ChoiceMemory = { population, draw: 1 };
    return { memory, feedback: polled ? null : feedback(population, params.base === "skip-reset") };
  },
  next(memory, tally, params) {
    const draw = better(tally[0], tally[1], params);
    const count = tally[draw - 1];
    memory.draw = draw;
    memory.population = Math.max(memory.population, count);
    if (isWithin(count, params)) return null;
    if (count > params.U || params.base === "basic") return feedback(count, false, draw);
    return feedback(memory.population, true);
  },
  host: ({ base }) => ({ draws: base === "basic" ? 3 : 0 }),
  hear(host, { population, reset, draw }, params, chance) {
    const everybody = population < params.L;
    if (everybody) host.draws = 3;
    else if (reset || (host.draws & draw) !== 0) {
      const p = replyChance(population, params);
      host.draws = (Number(chance.coin(p)) + 2 * Number(chance.coin(p))) as Draws | 0;
    } else host.draws = 0;
    return host.draws;
  },
  member: (host, draw) => (host.draws & draw) !== 0,
  taken: ({ draw }) => draw,
  bits: feedbackBits(2),
};

/** Which draw counts; of two undershoots the first, as none of them does. */
function better(first: number, second: number, { L, U }: ChoiceParams): 1 | 2 {
  if (first >= L && first <= U) return 1;
  if (second >= L && second <= U) return 2;
  if (first <= U) return second > U ? 2 : 1;
  return second > U && second < first ? 2 : 1;
}

export const councilChoice: Protocol<
  ChoiceParams,
  CouncilState<ChoiceMemory, TwoBits>,
  CouncilMessage<Feedback>,
  "exchange"
> = {
  name: "council-choice",
  title: "Council of choice: two draws per exchange, the better one counts",
  citation: "Raz, Shavitt and Zhang, IEEE/ACM ToN 12(3), 2004, section V-B",
  cost: "close to one exchange, for up to twice the replies of Skip-Reset",
  ...councilTraits,
  parameters: [
    ...rangeParameters,
    {
      name: "base",
      about: "what follows two undershoots: skip-reset (a new draw) or basic (a poll of everybody)",
      type: ["skip-reset", "basic"],
      default: "skip-reset",
    },
    estimateParameter,
    readingParameter,
    ...commonParameters,
    cParameter("choice"),
  ],
  ...councilHandlers(choiceRules),
};
