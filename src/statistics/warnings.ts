/**
 * What a reader should know before trusting a mean. Student's interval supposes that many trials make up the spread: where a rare
 * trial costs a thousand times as much as the others, a campaign that saw one of them has an interval that is off, and one that saw
 * none has a narrow interval around the wrong mean, which only theory can tell.
 */
import type { Expected } from "../simulation/expected.ts";
import { contradicts, FEW_TRIALS, hangsOnFew } from "./precision.ts";
import type { TrialTally } from "./tally.ts";

/** Sentences about the means that are not to be trusted. Few: of messages, since what a trial costs has no limit. */
export function warningsOf(tally: TrialTally, theory: Expected | null): string[] {
  const few = hangsOnFew(tally.messages)
    ? [
        `the mean of messages hangs on few trials: its spread comes from as many as ${tally.messages.carriers()!.toFixed(1)} would make, and below ${FEW_TRIALS} its interval is not to be trusted; run more trials`,
      ]
    : [];
  const contradicted = (["messages", "rounds"] as const).flatMap((name) => {
    const expected = theory?.[name] ?? null;
    if (expected === null || !contradicts(tally[name].summary(), expected)) return [];
    return [
      `exact theory expects ${Number(expected.toPrecision(5))} ${name}, far outside the interval of the mean: trials that are rare and costly are missing or too many in this sample; run more trials`,
    ];
  });
  return [...few, ...contradicted];
}
