/** The simulator as a function: a request in, a report out. */
import { type Found, isModule, type ProtocolChoice } from "../protocols/registry.ts";
import { type Request, resolve } from "../simulation/settings.ts";
import type { Report } from "../statistics/report.ts";
import { type CampaignOptions, campaign } from "./campaign.ts";

/** Loads the module of a protocol, which `simulate` does by itself; only Node can. A path is relative to the working directory. */
export const loadModule = async (choice: ProtocolChoice): Promise<Found> =>
  (await import("./load-protocol.ts")).loadProtocol(choice);

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
 * import { simulate } from "sortition/simulate";
 *
 * const { success, messages } = await simulate({ protocol: "peterson", n: 100, trials: 50 }, { threads: 2 });
 * ```
 */
export async function simulate(
  { trials, ...request }: Simulation,
  options: Omit<CampaignOptions, "trials"> = {},
): Promise<Report> {
  // Reading modules takes Node; everything else of this works in a page.
  if (isModule(request.protocol)) await loadModule(request.protocol);
  return campaign(resolve(request), { check: true, ...options, trials: trials ?? null });
}
