/** The simulator as a function: a request in, a report out. */
import { isModule } from "../protocols/registry.ts";
import { type Request, resolve } from "../simulation/settings.ts";
import type { Report } from "../statistics/report.ts";
import { type CampaignOptions, campaign } from "./campaign.ts";

/** A request for many trials. */
export interface Simulation extends Request {
  /** How many, or with a precision the most. */
  readonly trials?: number | null;
}

/**
 * Runs trials of a protocol and reports on them; a request that cannot work throws an `InputError`.
 *
 * @example
 * ```ts
 * import { simulate } from "sortition";
 *
 * const { success, messages } = await simulate({ protocol: "peterson", n: 100, trials: 50 }, { threads: 2 });
 * ```
 */
export async function simulate(
  { trials, ...request }: Simulation,
  options: Omit<CampaignOptions, "trials"> = {},
): Promise<Report> {
  // Reading modules takes Node; everything else of this works in a page.
  if (isModule(request.protocol)) await (await import("./load-protocol.ts")).loadProtocol(request.protocol);
  return campaign(resolve(request), { check: true, ...options, trials: trials ?? null });
}
