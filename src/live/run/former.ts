/** Before a run leads anything: what a former run of the same member and office has left behind is brought to its end. */
import { Ending, type EndingMeans } from "./ending.ts";
import { isFormer, markerPrefix, type Whose } from "./marker.ts";
import type { Quarry } from "./processes.ts";

export interface FormerSetup extends EndingMeans {
  readonly whose: Whose;
  readonly grace: number;
  tell(pids: readonly number[]): void;
  lingers(pids: readonly number[]): void;
}

/** Comes true when nothing is left of it. */
export function endFormer({ whose, grace, tell, lingers, ...means }: FormerSetup): Promise<void> {
  const prefix = markerPrefix(whose);
  const quarry: Quarry = { leader: null, isMarked: (marker) => isFormer(marker, prefix), spared: [process.pid] };
  return new Promise((gone) => {
    means.find(quarry, (found) => {
      if (found === null || found.length === 0) return gone();
      tell(found.map(({ pid }) => pid));
      new Ending({ ...means, quarry, grace, deadline: () => null, gone, lingers }).begin();
    });
  });
}
