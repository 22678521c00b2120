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
export const MEASURED: Readonly<Record<string, MeasuredError>> = {};

const percent = (share: number): string => `${Number((100 * share).toPrecision(2))}%`;

/** What a report says of it; null where nothing was measured. */
export function measuredText(protocol: string): string | null {
  const error = MEASURED[protocol];
  if (error === undefined) return null;
  return `measured over ${DRAWN_SETTINGS} drawn settings: median ${percent(error.median)}, worst ${percent(error.worst)}`;
}
