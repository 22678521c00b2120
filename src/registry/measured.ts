/**
 * How far predictions are from simulation, measured over settings drawn at random for each protocol (test/predictions; the long
 * tests keep this table true). Shares of the simulated value, over the chances of no leader and of several, messages and rounds.
 */
export interface MeasuredError {
  readonly median: number;
  readonly worst: number;
}

/** Drawn for each protocol. */
export const DRAWN_SETTINGS = 200;

/** By protocol. */
export const MEASURED: Readonly<Record<string, MeasuredError>> = {
  "chang-roberts": { median: 0.0028, worst: 0.06 },
  "hirschberg-sinclair": { median: 0.0017, worst: 0.038 },
  peterson: { median: 0.0042, worst: 0.058 },
  "time-slice": { median: 0.0041, worst: 0.12 },
  "itai-rodeh": { median: 0.0083, worst: 0.059 },
  "known-highest": { median: 0, worst: 0 },
  quorum: { median: 0.0031, worst: 0.13 },
  tournament: { median: 0.004, worst: 0.13 },
  "tournament-async": { median: 0.007, worst: 0.058 },
  referees: { median: 0.0029, worst: 0.12 },
  "referees-async": { median: 0.0088, worst: 0.13 },
  "random-walks": { median: 0.02, worst: 0.21 },
  "filter-relay": { median: 0.0014, worst: 0.075 },
  "epidemic-multicast": { median: 0.0016, worst: 0.014 },
  "council-naive": { median: 0.011, worst: 0.064 },
  "council-basic": { median: 0.0084, worst: 0.061 },
  "council-skip-reset": { median: 0.0121, worst: 0.068 },
  "council-choice": { median: 0.0093, worst: 0.11 },
  "council-history": { median: 0.012, worst: 0.066 },
  "council-unknown": { median: 0.0088, worst: 0.069 },
  "council-masks": { median: 0.012, worst: 0.095 },
  "le-lann": { median: 0.0023, worst: 0.23 },
  franklin: { median: 0.0041, worst: 0.053 },
  "dolev-klawe-rodeh": { median: 0.0035, worst: 0.053 },
  bully: { median: 0.0027, worst: 0.047 },
  "afek-gafni": { median: 0, worst: 0.018 },
  "afek-gafni-async": { median: 0.0035, worst: 0.06 },
};

const percent = (share: number): string => `${Number((100 * share).toPrecision(2))}%`;

/** What a report says of the error; null where nothing was measured. */
export function measuredText(protocol: string): string | null {
  const error = MEASURED[protocol];
  if (error === undefined) return null;
  return `measured over ${DRAWN_SETTINGS} drawn settings: median ${percent(error.median)}, worst ${percent(error.worst)}`;
}
