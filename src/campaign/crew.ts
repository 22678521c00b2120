/** The workers that run the chunks of a campaign: threads of this process, or processes on any machine. */
import type { Settings } from "../simulation/settings.ts";
import type { ChunkPace, Ledger } from "./ledger.ts";

/** What runs the chunks of a campaign. */
export interface CampaignCrew extends ChunkPace {
  /** Returns when enough trials have been counted, or soon after `signal` fires. What still runs then is not waited for. */
  run(settings: Settings, ledger: Ledger, signal: AbortSignal | undefined): Promise<void>;
  close(): Promise<void>;
}
