/** The search for parameters: attempts with one protocol, and the best of them. */

import type { AnyProtocol } from "../protocol.ts";
import type { Params } from "../protocols/parameters.ts";
import { type Attempt, fails, meets, type Setting, type Tries } from "../registry/planning.ts";
import { attempt } from "./setting.ts";

export class Search implements Tries {
  readonly setting: Setting;
  /** The cheapest that meets target and latency. */
  found: Attempt | null = null;
  /** One that meets the target but takes longer. */
  slow: Attempt | null = null;
  /** The most successful of all. */
  best: Attempt | null = null;
  private readonly protocol: AnyProtocol;

  constructor(setting: Setting, protocol: AnyProtocol) {
    this.setting = setting;
    this.protocol = protocol;
  }

  attempt(chosen: Params): Attempt | null {
    return attempt(this.setting, this.protocol, chosen);
  }

  add(tried: Attempt | null): void {
    if (tried === null) return;
    if (this.best === null || fails(tried) < fails(this.best)) this.best = tried;
    if (!meets(this.setting, tried)) return;
    if (tried.delays > this.setting.latency) {
      if (this.slow === null || tried.delays < this.slow.delays) this.slow = tried;
    } else if (this.found === null || tried.messages < this.found.messages) this.found = tried;
  }

  addSmallest(largest: number, tryWith: (size: number) => Attempt | null): void {
    const size = least(1, largest, (tried) => {
      const found = tryWith(tried);
      return found !== null && meets(this.setting, found);
    });
    this.add(tryWith(size ?? largest));
  }
}

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
