/** Properties as an observer of a simulated run. */
import { type Breach, Monitor } from "../properties/monitor.ts";
import type { History, Property, RunView } from "../properties/properties.ts";
import type { Observer } from "./observer.ts";

/**
 * Watches a run at every event, and at its end; `breach` is the first thing that went wrong. Runs cut by a horizon end there.
 *
 * @example
 * const watch = new Watch([atMostOneLeader]);
 * runEvents({ ...setup, observer: watch });
 * watch.breach; // null, or { property, what, event, time }
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
