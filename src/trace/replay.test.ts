import { describe, expect, test } from "vitest";
import { resolve } from "../campaign/settings.ts";
import { type ExploreRequest, explore } from "../explorer/explore.ts";
import { protocolNamed } from "../protocols/catalogue.ts";
import type { TraceEvent } from "./events.ts";
import { tracePath } from "./exploration.ts";
import { parseTrace, traceText } from "./file.ts";
import { firstDifference, pathOrdinals, traceTrial } from "./replay.ts";

const settings = resolve({ protocol: "itai-rodeh", n: 5, host: "events", delay: { kind: "exponential", mean: 1 } });
const simulated = traceText({ trace: "simulation", settings, trial: 3 }, traceTrial(settings, 3).events);

function explored(protocol: string, request: ExploreRequest): string {
  const violation = explore(protocolNamed(protocol), request).violation!;
  const { properties: _, ...kept } = request;
  const { ids, initiators } = violation.problem;
  return traceText(
    {
      trace: "exploration",
      protocol,
      request: { ...kept, ...(ids === null ? {} : { ids }), initiators },
      path: pathOrdinals(violation),
      property: violation.property,
      what: violation.what,
    },
    tracePath(violation.network, violation.steps),
  );
}

const FILES = {
  "a simulation": simulated,
  "a crash": explored("chang-roberts", { n: 3, crashes: 1, properties: ["some-leader"] }),
  "a loss on channels out of order": explored("hirschberg-sinclair", { n: 3, drops: 1, fifo: false }),
  "a crash and a new start": explored("peterson", { n: 3, crashes: 1, restarts: 1 }),
  "draws and symmetry": explored("itai-rodeh", { n: 3, drops: 1, limits: { phases: 2 } }),
  rounds: explored("time-slice", { n: 3, drops: 1 }),
  "delays up to 2": explored("chang-roberts", { n: 3, timed: 2, drops: 1 }),
};

describe.each(Object.entries(FILES))("%s", (_what, text) => {
  const file = parseTrace(text, "trace.jsonl");

  test("is the same when it is run again", () => {
    expect(file.events.length).toBeGreaterThan(3);
    expect(firstDifference(file)).toBeNull();
  });

  test("is not, from the very event on that somebody has changed", () => {
    for (const i of [0, file.events.length >> 1, file.events.length - 1]) {
      const events = file.events.map((event, k) =>
        k === i ? ({ ...event, node: event.node + 1 } as TraceEvent) : event,
      );
      expect(firstDifference({ ...file, events })).toBe(i);
    }
    expect(firstDifference({ ...file, events: file.events.slice(0, -1) })).toBe(file.events.length - 1);
    expect(firstDifference({ ...file, events: [...file.events, file.events[0]] })).toBe(file.events.length);
  });

  test("each message of it that arrives was sent there", () => {
    for (const event of file.events) {
      if (event.do !== "deliver") continue;
      const { from, node, message } = event;
      expect(file.events[event.cause!]).toMatchObject({ do: "send", node: from, to: node, message });
    }
  });
});

test("another trial is another run", () => {
  const file = parseTrace(simulated, "trace.jsonl");
  const header = { ...file.header, trial: 4 } as typeof file.header;
  expect(firstDifference({ ...file, header })).not.toBeNull();
});

test.each([
  ["", "trace.jsonl is no trace: its first line should say which run it records"],
  ['{"hello":1}\n', "trace.jsonl is no trace"],
  [`${simulated.split("\n")[0]}\n{"do":"send"}\n`, "trace.jsonl: line 2 is no event of a trace"],
  [`${simulated.split("\n")[0]}\nnull\n`, "trace.jsonl: line 2 is no event of a trace"],
  [
    `${simulated.split("\n")[0]}\n{"do":"deliver","node":0,"at":0,"from":1,"cause":7}\n`,
    "trace.jsonl: line 2 is no event of a trace",
  ],
  ['{"trace":"simulation"}\n', "its first line does not say how to run it again"],
  ['{"trace":"simulation","trial":0,"settings":{"protocol":"peterson"}}\n', "does not say how to run it again"],
  ['{"trace":"exploration","protocol":"peterson"}\n', "does not say how to run it again"],
  [`${simulated.slice(0, -20)}`, "is not JSON: the file is damaged or was not written by sortition"],
])("a file that is none is refused: %#", (text, complaint) => {
  expect(() => parseTrace(text, "trace.jsonl")).toThrow(complaint);
});
