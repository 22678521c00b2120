/** Elections on rings: they have no sizes to choose. */
import { changRobertsKernel } from "../kernels/chang-roberts.ts";
import { hirschbergSinclairHolds, itaiRodehHolds, petersonHolds } from "../protocols/narration/holding.ts";
import {
  narrateChangRoberts,
  narrateHirschbergSinclair,
  narrateItaiRodeh,
  narrateKnownHighest,
  narratePeterson,
  narrateTimeSlice,
} from "../protocols/narration/rings.ts";
import { changRoberts } from "../protocols/ring/chang-roberts.ts";
import { dolevKlaweRodeh } from "../protocols/ring/dolev-klawe-rodeh.ts";
import { franklin } from "../protocols/ring/franklin.ts";
import { hirschbergSinclair } from "../protocols/ring/hirschberg-sinclair.ts";
import { itaiRodeh } from "../protocols/ring/itai-rodeh.ts";
import { knownHighest } from "../protocols/ring/known-highest.ts";
import { leLann } from "../protocols/ring/le-lann.ts";
import { peterson } from "../protocols/ring/peterson.ts";
import { timeSlice } from "../protocols/ring/time-slice.ts";
import { itaiRodehPhases } from "../theory/rings/itai-rodeh.ts";
import { petersonPhases } from "../theory/rings/peterson.ts";
import {
  onRing,
  predictChangRoberts,
  predictHirschbergSinclair,
  predictItaiRodeh,
  predictKnownHighest,
  predictPeterson,
  predictTimeSlice,
} from "../theory/rings/predict.ts";
import { around, petersonPhasesBound } from "../theory/rings/rings.ts";
import type { Entry } from "./entry.ts";

/**
 * Every id goes around unless it is lost on its way. Somebody leads if the largest comes home; or else the next one does and
 * has not met it, and so on. Places of larger ids are taken for independent of each other.
 */
const predictLeLann = onRing(
  (live, starters, loss, params) => {
    const relays = starters < live;
    const joins = relays && params.passive === "join";
    const meets = live === 1 || loss === 0 ? 1 : (around(live, loss) - 1) / (live - 1);
    const home = (1 - loss) ** live;
    const elects = (home * (1 - (1 - meets) ** starters)) / meets;
    return {
      elects,
      messages: joins ? null : starters * around(live, loss) + (relays ? elects * around(live, loss) : 0),
      rounds: loss > 0 || joins || params.spread !== 0 ? null : relays ? 2 * live : live,
      method: loss === 0 ? "exact" : "approximation",
    };
  },
  (n) => ({ worst: n * n, best: n * n }),
);

/** Of up to seven active nodes, the order of local maxima is again uniformly random; of more, nearly. Counted for all orders. */
const EXACT_PHASES = 7;

/** Rounds of 0, 1, 2, ... nodes with equal delays, from four on measured to a hundredth; of more within 6% of 2.7n. */
const FEW_ROUNDS = [0, 2, 5, 7, 9.65, 12.98, 15.86];

/** As many rounds as Peterson's phases, of 2n messages each. One of the two last messages of the winner is enough. */
const predictFranklin = onRing(
  (live, starters, loss, params) => {
    const joins = params.passive === "join" && starters < live;
    const rounds = petersonPhases(starters) + (joins ? 1 - starters / live : 0);
    const last = 1 - (1 - (1 - loss) ** live) ** 2;
    return {
      elects: (1 - loss) ** (2 * live * (rounds - 1)) * last,
      messages: loss === 0 && !joins ? 2 * live * rounds + live : null,
      rounds: loss === 0 && starters === live && params.spread === 0 ? (FEW_ROUNDS[live] ?? 2.7 * live) : null,
      method: loss === 0 && starters <= EXACT_PHASES && starters < live ? "exact" : "approximation",
    };
  },
  (n) => ({ worst: 2 * n * petersonPhasesBound(n) + n }),
);

export const ringEntries: readonly Entry[] = [
  {
    protocol: leLann,
    predict: predictLeLann,
    planning: { time: ({ n, initiators }) => (initiators < n ? 2 : 1) * n },
  },
  {
    protocol: changRoberts,
    predict: predictChangRoberts,
    memory: ({ n }) => 150 * n,
    kernels: [changRobertsKernel],
    narrate: narrateChangRoberts,
    planning: { time: ({ n }) => 2 * n },
  },
  {
    protocol: hirschbergSinclair,
    predict: predictHirschbergSinclair,
    memory: ({ n }) => 360 * n,
    narrate: narrateHirschbergSinclair,
    page: { holds: hirschbergSinclairHolds },
    planning: { time: (_question, _tail, { rounds }) => rounds },
  },
  {
    protocol: peterson,
    predict: predictPeterson,
    memory: ({ n }) => 250 * n,
    narrate: narratePeterson,
    page: { parts: { out: "passive: it only relays" }, holds: petersonHolds },
    // Three rounds for those who lose last, and the announcement: no run of 3 to 1,000 processes took longer.
    planning: { time: ({ n }) => 4 * n },
  },
  {
    protocol: dolevKlaweRodeh,
    predict: predictPeterson,
    memory: ({ n }) => 250 * n,
    narrate: narratePeterson,
    page: { parts: { out: "passive: it only relays" } },
    planning: { time: ({ n }) => 4 * n },
  },
  {
    protocol: franklin,
    predict: predictFranklin,
    page: { parts: { out: "passive: it only relays" } },
    // No run of 3 to 1,000 processes took longer.
    planning: { time: ({ n }) => 4 * n },
  },
  {
    protocol: timeSlice,
    predict: predictTimeSlice,
    narrate: narrateTimeSlice,
    planning: {
      refuse: ({ denseIds }) =>
        denseIds
          ? null
          : "its time grows with the lowest id, which can be any number: say that ids are 1 to n, if they are",
      // The lowest of k ids drawn from 1..n is above x with a chance of at most (1 - x/n)^k.
      time: ({ n, initiators }, tail) =>
        n * (initiators === n ? 1 : Math.min(n - initiators + 1, Math.ceil(n * (1 - tail ** (1 / initiators))))) + n,
    },
  },
  {
    protocol: itaiRodeh,
    predict: predictItaiRodeh,
    memory: ({ n }) => 330 * n,
    narrate: narrateItaiRodeh,
    page: { parts: { informed: "knows that somebody leads" }, holds: itaiRodehHolds },
    planning: {
      time: ({ n, params, initiators }, tail) => n * (itaiRodehPhases(Number(params.range), initiators, tail) + 1),
    },
  },
  {
    protocol: knownHighest,
    predict: predictKnownHighest,
    narrate: narrateKnownHighest,
    planning: {
      refuse: () =>
        "it costs no message, but everybody must know the highest id beforehand, and then there is nothing to elect",
    },
  },
];
