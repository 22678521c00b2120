/** The simulator as a function: a request in, a report out. */
import { type CampaignOptions, campaign } from "./campaign.ts";
import type { Report } from "./report.ts";
import { type Request, resolve } from "./settings.ts";

export const DEFAULT_TRIALS = 100;

export interface Simulation extends Request {
  readonly trials?: number;
}

/** Runs trials of a protocol and reports on them; a request that cannot work throws an `InputError`. */
export async function simulate(
  { trials = DEFAULT_TRIALS, ...request }: Simulation,
  options: Omit<CampaignOptions, "trials"> = {},
): Promise<Report> {
  return campaign(resolve(request), { ...options, trials });
}
