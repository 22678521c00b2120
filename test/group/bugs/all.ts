import type { Bug } from "./bug.ts";
import { countedTwice } from "./counted-twice.ts";
import { forgetsItsPart } from "./forgets-its-part.ts";
import { frozenView } from "./frozen-view.ts";
import { occupied } from "./occupied.ts";
import { pauseForDeath } from "./pause-for-death.ts";
import { refutationIgnored } from "./refutation-ignored.ts";
import { resignationLost } from "./resignation-lost.ts";
import { resurrected } from "./resurrected.ts";
import { staleTerm } from "./stale-term.ts";
import { termNotSaved } from "./term-not-saved.ts";
import { twoOpeners } from "./two-openers.ts";
import { twoWinners } from "./two-winners.ts";

export const BUGS: readonly Bug[] = [
  staleTerm,
  termNotSaved,
  resignationLost,
  refutationIgnored,
  pauseForDeath,
  forgetsItsPart,
  countedTwice,
  resurrected,
  twoWinners,
  twoOpeners,
  frozenView,
  occupied,
];
