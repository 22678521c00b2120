/** Properties as an observer of a simulated run. */
import { type Breach, Monitor } from "../properties/monitor.ts";
import type { History, Property, RunView } from "../properties/properties.ts";
import type { Observer } from "./observer.ts";

/**
 * Watches a run at every event, and at its end; `breach` is the first thing that went wrong. Runs cut by a horizon end there.
 *
 * @example
 * ```ts
 * import { atMostOneLeader, resolve, runSetup, setUp, Watch } from "sortition/simulate";
 *
 * const settings = resolve({ protocol: "peterson", n: 5 });
 * const watch = new Watch([atMostOneLeader]);
 * runSetup(settings, { ...setUp(settings, 0), observer: watch });
 * const { breach } = watch; // null, or { property, what, event, time }
 * ```
 */
export class Watch implements Observer {
  private readonly properties: readonly (Property | History)[];
  private monitor: Monitor | null = null;

  constructor(properties: readonly (Property | History)[]) {
    this.properties = properties;
  }

  get breach(): Breach | null {
    return this.monitor?.breach ?? null;
  }

  opened(run: RunView): void {
    this.monitor = new Monitor(this.properties, run);
    this.monitor.opened();
  }

  settled(node: number): void {
    this.monitor?.settled(node);
  }

  crashed(node: number): void {
    this.monitor?.settled(node);
  }

  ended(): void {
    this.monitor?.ended();
  }
}
