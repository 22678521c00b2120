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

/** Name, median, worst: by protocol. */
const TABLE = `
  chang-roberts 0.003 0.043
  hirschberg-sinclair 0.0017 0.038
  peterson 0.0043 0.058
  time-slice 0.0016 0.04
  itai-rodeh 0.0088 0.076
  known-highest 0 0
  quorum 0.0032 0.55
  tournament 0.004 0.13
  tournament-async 0.0094 0.35
  referees 0.0029 0.12
  referees-async 0.011 0.32
  random-walks 0.02 0.21
  filter-relay 0.0014 0.075
  epidemic-multicast 0.0016 0.014
  council-naive 0.011 0.064
  council-basic 0.0084 0.061
  council-skip-reset 0.012 0.068
  council-choice 0.0095 0.14
  council-history 0.012 0.074
  council-unknown 0.0088 0.069
  council-masks 0.012 0.095
`;

/** By protocol. */
export const MEASURED: Readonly<Record<string, MeasuredError>> = Object.fromEntries(
  TABLE.trim()
    .split("\n")
    .map((line) => line.trim().split(" "))
    .map(([name, median, worst]) => [name, { median: Number(median), worst: Number(worst) }]),
);

const percent = (share: number): string => `${Number((100 * share).toPrecision(2))}%`;

/** What a report says of the error; null where nothing was measured. */
export function measuredText(protocol: string): string | null {
  const error = MEASURED[protocol];
  if (error === undefined) return null;
  return `measured over ${DRAWN_SETTINGS} drawn settings: median ${percent(error.median)}, worst ${percent(error.worst)}`;
}
