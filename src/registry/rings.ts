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
import { hirschbergSinclair } from "../protocols/ring/hirschberg-sinclair.ts";
import { itaiRodeh } from "../protocols/ring/itai-rodeh.ts";
import { knownHighest } from "../protocols/ring/known-highest.ts";
import { peterson } from "../protocols/ring/peterson.ts";
import { timeSlice } from "../protocols/ring/time-slice.ts";
import { itaiRodehPhases } from "../theory/rings/itai-rodeh.ts";
import {
  predictChangRoberts,
  predictHirschbergSinclair,
  predictItaiRodeh,
  predictKnownHighest,
  predictPeterson,
  predictTimeSlice,
} from "../theory/rings/predict.ts";
import type { Entry } from "./entry.ts";

export const ringEntries: readonly Entry[] = [
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
