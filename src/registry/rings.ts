/** Elections on rings: they have no sizes to choose. */
import * as narrators from "../protocols/narration/rings.ts";
import { changRoberts } from "../protocols/ring/chang-roberts.ts";
import { hirschbergSinclair } from "../protocols/ring/hirschberg-sinclair.ts";
import { itaiRodeh } from "../protocols/ring/itai-rodeh.ts";
import { knownHighest } from "../protocols/ring/known-highest.ts";
import { peterson } from "../protocols/ring/peterson.ts";
import { timeSlice } from "../protocols/ring/time-slice.ts";
import {
  predictChangRoberts,
  predictHirschbergSinclair,
  predictItaiRodeh,
  predictKnownHighest,
  predictPeterson,
  predictTimeSlice,
} from "../theory/predict-rings.ts";
import type { Entry } from "./entry.ts";

export const ringEntries: readonly Entry[] = [
  { protocol: changRoberts, predict: predictChangRoberts, narrate: narrators.changRoberts },
  { protocol: hirschbergSinclair, predict: predictHirschbergSinclair, narrate: narrators.hirschbergSinclair },
  { protocol: peterson, predict: predictPeterson, narrate: narrators.peterson },
  { protocol: timeSlice, predict: predictTimeSlice, narrate: narrators.timeSlice },
  { protocol: itaiRodeh, predict: predictItaiRodeh, narrate: narrators.itaiRodeh },
  {
    protocol: knownHighest,
    predict: predictKnownHighest,
    narrate: narrators.knownHighest,
    planning: {
      refuse: () =>
        "it costs no message, but everybody must know the highest id beforehand, and then there is nothing to elect",
    },
  },
];
