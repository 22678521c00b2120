/** Mistakes in the guard, judged by what it lets in; tokens that come again are what it is the last to see. */
import { neverOld } from "../../rules/guarded.ts";
import type { StrictBug } from "./bug.ts";
import { floorForgotten } from "./floor-forgotten.ts";

export const refusesEqual: StrictBug = {
  name: "refuses-equal",
  mistake: "the guard has < for <=: the second write of a leader is refused",
  mix: "calm",
  runs: 2,
  breaks: ["the-newest-writes"],
  plant: (parts) => ({ ...parts, admits: (newest, { token }) => newest === null || newest.token < token }),
};

/** An engine without a clock in its tokens, put back to an old copy, and members that do not know the floor: tokens come again. */
export const tokensRepeat: StrictBug = {
  name: "tokens-repeat",
  mistake: "none of the guard's own: the engine gives a token twice",
  mix: "engine-rewind+crash+resign",
  runs: 40,
  breaks: [],
  rules: [neverOld],
  plant(parts, clock) {
    const forgetful = floorForgotten.plant(parts, clock);
    return { ...forgetful, carryOut: (rows, request, time) => parts.carryOut(rows, request, { ...time, stamp: 0 }) };
  },
};

export const admitsRival: StrictBug = {
  name: "admits-rival",
  mistake: "the guard compares tokens alone: an equal one of another lease is let in",
  mix: tokensRepeat.mix,
  runs: tokensRepeat.runs,
  breaks: ["never-old"],
  rules: [neverOld],
  plant: (parts, clock) => ({
    ...tokensRepeat.plant(parts, clock),
    admits: (newest, { token }) => newest === null || newest.token <= token,
  }),
};
