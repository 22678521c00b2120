import type { MemberOutcome } from "../../src/live/once/part.ts";

/** Of something that each member tells, over all of them. */
export const sum = (outcomes: readonly MemberOutcome[], of: (outcome: MemberOutcome) => number): number =>
  outcomes.reduce((total, outcome) => total + of(outcome), 0);
