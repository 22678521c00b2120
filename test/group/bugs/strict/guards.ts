/** Mistakes in the guard, judged by what it lets in; tokens that come again are what it is the last to see. */
import { neverOld } from "../../rules/guarded.ts";
import type { Wanted } from "../../scenario.ts";
import type { StrictBug } from "./bug.ts";

export const refusesEqual: StrictBug = {
  name: "refuses-equal",
  mistake: "the guard has < for <=: the second write of a leader is refused",
  mix: "calm",
  runs: 2,
  breaks: ["the-newest-writes"],
  plant: (parts) => ({ ...parts, admits: (newest, { token }) => newest === null || newest.token < token }),
};

/**
 * An engine that has no clock in its tokens, put back to an old copy, and its only member, which has lost what it had saved:
 * a token comes again.
 */
const TWICE: Wanted = {
  members: 1,
  policy: "available",
  offices: ["leader"],
  // Long enough that the former holder does not notice the restore before it ends.
  lease: { ttl: 2000 },
  faults: {
    commands: [
      { node: 1, at: 10_000, message: { kind: "snapshot" } },
      { node: 1, at: 18_900, message: { kind: "restore", noticed: false } },
    ],
    restarts: [
      { node: 0, at: 11_000, saved: true },
      { node: 0, at: 19_000, saved: false },
    ],
  },
};

export const tokensRepeat: StrictBug = {
  name: "tokens-repeat",
  mistake: "none of the guard's own: the engine gives a token twice",
  mix: "calm",
  wanted: TWICE,
  runs: 3,
  breaks: [],
  rules: [neverOld],
  plant: (parts) => ({
    ...parts,
    carryOut: (rows, request, time) => parts.carryOut(rows, request, { ...time, stamp: 0 }),
  }),
};

export const admitsRival: StrictBug = {
  ...tokensRepeat,
  name: "admits-rival",
  mistake: "the guard compares tokens alone: an equal one of another lease is let in",
  breaks: ["never-old"],
  plant: (parts, clock) => ({
    ...tokensRepeat.plant(parts, clock),
    admits: (newest, { token }) => newest === null || newest.token <= token,
  }),
};
