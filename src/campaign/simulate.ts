/** The simulator as a function: a request in, a report out. */

import { type Request, resolve } from "../simulation/settings.ts";
import { MOST_TRIALS_BY_DEFAULT } from "../statistics/precision.ts";
import type { Report } from "../statistics/report.ts";
import { type CampaignOptions, campaign } from "./campaign.ts";
import { loadProtocol } from "./load-protocol.ts";

const DEFAULT_TRIALS = 100;

/** The most there is to run, where nobody says. */
export const defaultTrials = (precision: number | undefined): number =>
  precision === undefined ? DEFAULT_TRIALS : MOST_TRIALS_BY_DEFAULT;

export interface Simulation extends Request {
  /** How many, or with a precision the most. */
  readonly trials?: number;
}

/** Runs trials of a protocol and reports on them; a request that cannot work throws an `InputError`. */
export async function simulate(
  { trials, ...request }: Simulation,
  options: Omit<CampaignOptions, "trials"> = {},
): Promise<Report> {
  await loadProtocol(request.protocol);
  return campaign(resolve(request), { ...options, trials: trials ?? defaultTrials(options.precision) });
}
