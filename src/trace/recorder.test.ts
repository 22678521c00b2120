import { describe, expect, test } from "vitest";
import { type Request, resolve, written } from "../simulation/settings.ts";
import { runTrial } from "../simulation/trial.ts";
import type { TraceEvent } from "./events.ts";
import { traceText } from "./file.ts";
import { traceTrial } from "./replay.ts";

const exponential = { kind: "exponential", mean: 1 } as const;
const REQUESTS: Record<string, Request> = {
  "lock-step": { protocol: "chang-roberts", n: 6, host: "lockstep" },
  "in events": { protocol: "peterson", n: 6, host: "events", delay: exponential },
  "both ways, out of order": { protocol: "hirschberg-sinclair", n: 5, host: "events", delay: exponential, fifo: false },
  "without ids": { protocol: "itai-rodeh", n: 5, host: "events", delay: exponential, params: { range: 2 } },
  "with timers": { protocol: "time-slice", n: 5 },
  "late starts": { protocol: "chang-roberts", n: 6, host: "events", delay: exponential, params: { spread: 5 } },
  losses: { protocol: "hirschberg-sinclair", n: 6, host: "events", delay: exponential, faults: { loss: 0.2 } },
  crashes: {
    protocol: "chang-roberts",
    n: 6,
    host: "events",
    delay: exponential,
    faults: { crash: 0.2, crashes: [{ node: 2, at: 1.5 }] },
  },
};

test("crashes that come by round are recorded too", () => {
  const settings = resolve({ protocol: "filter-relay", n: 30, seed: 3, faults: { crash: 0.3 } });
  const { events } = traceTrial(settings, 0);
  const when = new Map(events.filter((event) => event.do === "crash").map(({ node, at }) => [node, at]));
  expect(when.size).toBeGreaterThan(0);
  const missed = events.filter((event) => event.do === "lose" && event.why === "crash");
  expect(missed.length).toBeGreaterThan(0);
  for (const { node, at } of missed) expect(when.get(node)).toBeLessThanOrEqual(at);
});

const runs = Object.entries(REQUESTS).flatMap(([what, request]) =>
  [0, 1, 2].map((trial) => {
    const settings = resolve({ seed: 7, ...request });
    return { what: `${what}, trial ${trial}`, settings, trial, ...traceTrial(settings, trial) };
  }),
);

describe.each(runs)("$what", ({ settings, trial, events, result }) => {
  const of = <D extends TraceEvent["do"]>(what: D) =>
    events.filter((event): event is TraceEvent & { do: D } => event.do === what);

  test("watching changes nothing, and the same run gives the same bytes", () => {
    expect(result).toEqual(runTrial(settings, trial));
    const header = { trace: "simulation", settings: written(settings), trial } as const;
    expect(traceText(header, traceTrial(settings, trial).events)).toBe(traceText(header, events));
  });

  test("what is counted is what is recorded", () => {
    expect(of("send")).toHaveLength(result.messages);
    const crashed = new Set(of("crash").map(({ node }) => node));
    const verdicts = new Map(of("verdict").map(({ node, status }) => [node, status]));
    const elected = [...verdicts].filter(([node, status]) => status === "elected" && !crashed.has(node));
    expect(elected.length === 0 ? "none" : elected.length === 1 ? "one" : "many").toBe(result.outcome);
  });

  test("time never runs backwards, and causes come before what they cause", () => {
    for (const [i, event] of events.entries()) {
      if (i > 0) expect(event.at).toBeGreaterThanOrEqual(events[i - 1].at);
      if (event.cause !== null) expect(event.cause).toBeLessThan(i);
    }
  });

  test("each message that arrives or is lost was sent, once; all others are nowhere", () => {
    const fates = [...of("deliver"), ...of("lose")].map(({ cause }) => cause!);
    expect(new Set(fates).size).toBe(fates.length);
    expect(fates.length).toBe(of("send").length);
    for (const fate of [...of("deliver"), ...of("lose")]) {
      const sent = events[fate.cause!];
      expect(sent).toMatchObject({ do: "send", to: fate.node });
      if (fate.do === "deliver") expect(fate).toMatchObject({ from: sent.node, message: (sent as Plain).message });
    }
  });

  test("what a node sends and believes follows from what it was handling", () => {
    for (const event of [...of("send"), ...of("verdict")]) {
      const cause = events[event.cause!];
      expect(["start", "deliver", "timer", "end-round"]).toContain(cause.do);
      expect([cause.node, cause.at]).toEqual([event.node, event.at]);
    }
    for (const event of [...of("start"), ...of("timer"), ...of("crash")]) expect(event.cause).toBeNull();
  });

  test("a node that has crashed does nothing any more", () => {
    for (const { node, at } of of("crash")) {
      const later = events.filter((event) => event.node === node && event.at > at);
      expect(later.filter((event) => event.do !== "lose")).toEqual([]);
    }
  });
});

test("the runs above contain what they are to show", () => {
  const all = new Set(
    runs.flatMap(({ events }) => events.map((event) => (event.do === "lose" ? event.why : event.do))),
  );
  for (const what of ["start", "send", "deliver", "loss", "crash", "timer", "verdict"]) expect(all).toContain(what);
});

type Plain = Record<string, unknown>;
