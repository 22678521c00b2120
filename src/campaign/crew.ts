/** Whoever runs the chunks of campaigns: threads of this process, or workers on any machine. */
import type { Settings } from "../simulation/settings.ts";
import type { Ledger } from "./ledger.ts";

export interface Crew {
  /** How many chunks run at a time, as far as it is known now. */
  readonly threads: number;
  /** How long a chunk should take: long enough to make the hand-over cheap, short enough for progress and an even load. */
  readonly chunkMilliseconds: number;
  /** Returns when enough trials have been counted, or soon after `signal` fires. What still runs then is not waited for. */
  run(settings: Settings, ledger: Ledger, signal: AbortSignal | undefined): Promise<void>;
  close(): Promise<void>;
}
