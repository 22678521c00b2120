import { describe, expect, test } from "vitest";
import { resolve } from "../simulation/settings.ts";
import { traceTrial } from "./replay.ts";
import { shiviz } from "./shiviz.ts";

const exponential = { kind: "exponential", mean: 1 } as const;
const RUNS = [
  resolve({ protocol: "chang-roberts", n: 5 }),
  resolve({ protocol: "hirschberg-sinclair", n: 6, host: "events", delay: exponential, faults: { loss: 0.2 } }),
  resolve({
    protocol: "chang-roberts",
    n: 6,
    host: "events",
    delay: exponential,
    faults: { crashes: [{ node: 1, at: 1 }] },
  }),
  resolve({ protocol: "time-slice", n: 4 }),
].map((settings) => ({ protocol: settings.protocol, events: traceTrial(settings, 0).events }));

describe.each(RUNS)("ShiViz: $protocol", ({ events }) => {
  // ShiViz's own default parser.
  const parsed = [...shiviz(events).matchAll(/(?<host>\S*) (?<clock>{.*})\n(?<event>.*)/g)].map(({ groups }) => ({
    host: groups!.host,
    clock: JSON.parse(groups!.clock) as Record<string, number>,
    event: groups!.event,
  }));

  test("its parser reads every event and nothing else", () => {
    expect(parsed).toHaveLength(events.filter((event) => event.do !== "lose").length);
    expect(parsed.map(({ host, clock, event }) => `${host} ${JSON.stringify(clock)}\n${event}\n`).join("")).toBe(
      shiviz(events),
    );
  });

  test("a node's own clock counts its events from 1; others' never run backwards", () => {
    const last = new Map<string, Record<string, number>>();
    for (const { host, clock } of parsed) {
      const before = last.get(host) ?? {};
      expect(clock[host]).toBe((before[host] ?? 0) + 1);
      for (const [other, count] of Object.entries(before)) expect(clock[other]).toBeGreaterThanOrEqual(count);
      last.set(host, clock);
    }
  });

  test("clocks are ordered exactly as causes are", () => {
    const kept = events.flatMap((event, i) => (event.do === "lose" ? [] : [{ event, i }]));
    const place = new Map(kept.map(({ i }, k) => [i, k]));
    const before = kept.map(() => new Set<number>());
    for (const [k, { event }] of kept.entries()) {
      const previous = kept.findLastIndex((other, at) => at < k && other.event.node === event.node);
      const causes = [previous, event.do === "deliver" ? place.get(event.cause!)! : -1].filter((at) => at >= 0);
      for (const cause of causes) for (const at of [cause, ...before[cause]]) before[k].add(at);
    }
    for (const a of parsed.keys()) {
      for (const b of parsed.keys()) {
        const ordered = a !== b && parsed[a].clock[parsed[a].host] <= (parsed[b].clock[parsed[a].host] ?? 0);
        expect(ordered).toBe(before[b].has(a));
      }
    }
  });
});
