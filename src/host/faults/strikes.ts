/** Crashes and pauses that fall inside a handler, between what it saves and what it sends. */

import { keep, type Restore } from "../stepping/frames.ts";
import type { FaultPlan } from "./faults.ts";

export interface Strike {
  /** How many messages of the handler still leave. */
  readonly sends: number;
  /** When the pause ends; null for a crash. */
  readonly to: number | null;
}

export class Strikes {
  /** The strikes to come by node, the next one last. */
  private waiting = new Map<number, (Strike & { readonly at: number })[]>();

  constructor({ crashes, pauses }: FaultPlan) {
    const strikes = [
      ...crashes.map(({ node, at, sends }) => ({ node, at, sends, to: null })),
      ...pauses.map(({ node, from, to, sends }) => ({ node, at: from, sends, to })),
    ];
    for (const { node, at, sends, to } of strikes.sort((a, b) => b.at - a.at)) {
      if (sends !== undefined) this.waiting.set(node, [...(this.waiting.get(node) ?? []), { at, sends, to }]);
    }
  }

  get any(): boolean {
    return this.waiting.size > 0;
  }

  /** The strike in the handler that runs now, if any; each happens once. */
  take(node: number, now: number): Strike | null {
    const mine = this.waiting.get(node);
    while (mine !== undefined && mine.length > 0 && mine[mine.length - 1].at <= now) {
      const strike = mine.pop()!;
      if (strike.to === null || strike.to > now) return strike;
    }
    return null;
  }

  save(): Restore {
    return keep(this, ["waiting"]);
  }
}
