/** The search for parameters: attempts with one protocol, and the best of them. */

import type { AnyProtocol } from "../protocol.ts";
import type { Params } from "../protocols/parameters.ts";
import { type Attempt, fails, meets, type PlanSetting, type Tries } from "../registry/planning.ts";
import { attempt } from "./attempt.ts";
import { splits } from "./candidate.ts";
import type { Carriage } from "./carriage.ts";

export class PlanSearch implements Tries {
  readonly setting: PlanSetting;
  /** The cheapest that meets target and time. */
  found: Attempt | null = null;
  /** One that meets the target but takes longer. */
  slow: Attempt | null = null;
  /** The one that is nearest to what is wanted. */
  best: Attempt | null = null;
  readonly protocol: AnyProtocol;
  private readonly carriage: Carriage;
  /** Two halves of the group must not both elect a leader. */
  private readonly whole: boolean;

  constructor(carriage: Carriage, protocol: AnyProtocol, whole = false) {
    this.setting = carriage.setting;
    this.carriage = carriage;
    this.protocol = protocol;
    this.whole = whole;
  }

  private meets(tried: Attempt): boolean {
    return meets(this.setting, tried) && !(this.whole && splits(tried));
  }

  /** How many times what is allowed goes wrong. */
  private misses(tried: Attempt): number {
    const { success, none, several } = this.setting;
    return Math.max(fails(tried) / (1 - success), tried.pNone / none, tried.pMany / several);
  }

  attempt(chosen: Params): Attempt | null {
    return attempt(this.carriage, this.protocol, chosen);
  }

  add(tried: Attempt | null): void {
    if (tried === null) return;
    if (this.best === null || this.misses(tried) < this.misses(this.best)) this.best = tried;
    if (!this.meets(tried)) return;
    if (isSlow(this.setting, tried)) {
      if (this.slow === null || tried.delays < this.slow.delays) this.slow = tried;
    } else if (this.found === null || tried.datagrams < this.found.datagrams) this.found = tried;
  }

  addSmallest(largest: number, tryWith: (size: number) => Attempt | null): void {
    const size = least(1, largest, (tried) => {
      const found = tryWith(tried);
      return found !== null && this.meets(found);
    });
    this.add(tryWith(size ?? largest));
  }
}

export const isSlow = ({ latency, within }: PlanSetting, { delays, time }: Pick<Attempt, "delays" | "time">): boolean =>
  delays > latency || (time !== null && time > within);

/** The smallest whole number in [low, high] for which it holds, as if it held from there on; null if not even for high. */
function least(low: number, high: number, holds: (value: number) => boolean): number | null {
  if (!holds(high)) return null;
  let [from, to] = [low, high];
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    if (holds(middle)) to = middle;
    else from = middle + 1;
  }
  return to;
}
