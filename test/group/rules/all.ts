/** Everything that must hold in a run of a group. */
import type { MakeRule } from "../watch.ts";
import { conflictsEnd, noUsurper } from "./holders.ts";
import { minoritiesGiveUp } from "./majority.ts";
import { settles } from "./settled.ts";
import { takesPartOnce, termsGrow } from "./terms.ts";
import { goneForGood, nobodyTwice, theHealthyLive } from "./views.ts";

export const RULES: readonly MakeRule[] = [
  termsGrow,
  takesPartOnce,
  conflictsEnd,
  noUsurper,
  minoritiesGiveUp,
  nobodyTwice,
  goneForGood,
  theHealthyLive,
  settles,
];
