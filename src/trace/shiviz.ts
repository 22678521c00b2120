/**
 * A trace for ShiViz (bestchai.bitbucket.io/shiviz): each event with its vector clock. Its parser is
 * `(?<host>\S*) (?<clock>{.*})\n(?<event>.*)`, which is ShiViz's default.
 */
import { eventText } from "./describe.ts";
import type { TraceEvent } from "./events.ts";

/** A trace as a log with vector clocks, as ShiViz reads it. */
export function shiviz(events: readonly TraceEvent[]): string {
  const clocks = new Map<number, Map<string, number>>();
  const sent = new Map<number, Map<string, number>>();
  const lines: string[] = [];
  for (const [i, event] of events.entries()) {
    // Nothing happens at a node that misses a message.
    if (event.do === "lose") continue;
    const host = `node${event.node}`;
    const clock = clocks.get(event.node) ?? new Map<string, number>();
    clocks.set(event.node, clock);
    if (event.do === "deliver" && event.cause !== null) {
      for (const [other, count] of sent.get(event.cause) ?? [])
        clock.set(other, Math.max(count, clock.get(other) ?? 0));
    }
    clock.set(host, (clock.get(host) ?? 0) + 1);
    if (event.do === "send") sent.set(i, new Map(clock));
    lines.push(`${host} ${JSON.stringify(Object.fromEntries(clock))}`, eventText(event));
  }
  return `${lines.join("\n")}\n`;
}
