import { describe, expect, test } from "vitest";
import { type Ctx, toy } from "../../test/explorer/toy.ts";
import { InputError } from "../errors.ts";
import { type ExploreRequest, explore } from "../explorer/explore.ts";
import { pathOrdinals } from "../explorer/ordinals.ts";
import { SELF } from "../protocol.ts";
import { protocolNamed } from "../protocols/catalogue.ts";
import { resolve, written } from "../simulation/settings.ts";
import { lines } from "./describe.ts";
import { diagram } from "./diagram/diagram.ts";
import type { TraceEvent } from "./events.ts";
import { tracePath } from "./exploration.ts";
import { parseTrace, traceText } from "./file.ts";
import { breaks, firstDifference, playAgain, traceTrial } from "./replay.ts";
import { shiviz } from "./shiviz.ts";

const settings = resolve({ protocol: "itai-rodeh", n: 5, host: "events", delay: { kind: "exponential", mean: 1 } });
const simulated = traceText(
  { trace: "simulation", settings: written(settings), trial: 3 },
  traceTrial(settings, 3).events,
);

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

  test("breaks the promise that its first line names, and no other", () => {
    const { header } = file;
    if (header.trace !== "exploration") return;
    expect(playAgain(file).breaks).toBe(true);
    const lies = [
      { property: "at-most-one-leader" },
      { what: `${header.what}, and more` },
      { property: "termination" },
      { property: "message-bound", what: "99 messages were sent, more than 98" },
      { path: header.path.slice(0, -1) },
    ];
    for (const lie of lies) expect(playAgain({ ...file, header: { ...header, ...lie } }).breaks).toBe(false);
    expect(playAgain({ ...file, header: { ...header, property: "mine" } }).breaks).toBeNull();
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

test("a run without end is one that comes again to where it was", () => {
  const endless = toy({ init: () => ({}), receive: (_state, message, ctx) => ctx.send(SELF, message) });
  const protocol = { ...endless, init: (_params: unknown, _self: unknown, _saved: unknown, ctx: Ctx) => again(ctx) };
  const { network, steps, property, what } = explore(protocol, { n: 1, properties: ["termination"] }).violation!;
  expect(breaks(network, steps, { property, what })).toBe(true);
  expect(breaks(network, steps.slice(0, -1), { property, what })).toBe(false);
});

function again(ctx: Ctx) {
  ctx.send(SELF, "again");
  return {};
}

test("another trial is another run", () => {
  const file = parseTrace(simulated, "trace.jsonl");
  const header = { ...file.header, trial: 4 } as typeof file.header;
  expect(firstDifference({ ...file, header })).not.toBeNull();
});

test.each([
  ["", "trace.jsonl is not a trace: its first line should say which run it records"],
  ['{"hello":1}\n', "trace.jsonl is not a trace"],
  [`${simulated.split("\n")[0]}\n{"do":"send"}\n`, "trace.jsonl: line 2 is not an event of a trace"],
  [`${simulated.split("\n")[0]}\nnull\n`, "trace.jsonl: line 2 is not an event of a trace"],
  [
    `${simulated.split("\n")[0]}\n{"do":"deliver","node":0,"at":0,"from":1,"cause":7}\n`,
    "trace.jsonl: line 2 is not an event of a trace",
  ],
  ['{"trace":"simulation"}\n', "its first line does not say how to run it again"],
  ['{"trace":"simulation","trial":0,"settings":{"protocol":"peterson"}}\n', "does not say how to run it again"],
  ['{"trace":"exploration","protocol":"peterson"}\n', "does not say how to run it again"],
  [`${simulated.slice(0, -20)}`, "is not JSON: the file is damaged or was not written by sortition"],
])("a file that is none is refused: %#", (text, complaint) => {
  expect(() => parseTrace(text, "trace.jsonl")).toThrow(complaint);
});

const ODD = [null, -1, 2.5, 1e12, 2 ** 53, "x", "", true, [], {}, [[1]], "all"];

/** The file with one value of its first line, or of its last, replaced by an odd one, or without it. */
function* damaged(text: string): Generator<string> {
  const lines = text.trimEnd().split("\n");
  for (const at of [0, lines.length - 1]) {
    const fields: [Record<string, unknown>, string][] = [];
    const line = JSON.parse(lines[at]);
    const visit = (value: Record<string, unknown>) => {
      for (const [name, part] of Object.entries(value ?? {})) {
        fields.push([value, name]);
        if (typeof part === "object") visit(part as Record<string, unknown>);
      }
    };
    visit(line);
    for (const [owner, name] of fields) {
      const before = owner[name];
      for (const odd of [...ODD, undefined]) {
        owner[name] = odd;
        yield [...lines.slice(0, at), JSON.stringify(line), ...lines.slice(at + 1)].join("\n");
      }
      owner[name] = before;
    }
  }
  // JSON has no infinite numbers, but too large a one becomes one.
  yield text.replace(/"n":\d+/g, '"n":1e999');
  for (let length = 0; length < text.length; length += 97) yield text.slice(0, length);
}

test.each(Object.entries(FILES))("%s, damaged anywhere: shown as it is, or refused in words", (_what, text) => {
  let refused = 0;
  for (const file of damaged(text)) {
    try {
      const trace = parseTrace(file, "run.jsonl");
      diagram(playAgain(trace).story, { title: "damaged" });
      shiviz(trace.events);
      lines(trace.events);
    } catch (error) {
      if (!(error instanceof InputError)) throw new Error(`not refused: ${file}`, { cause: error });
      refused++;
    }
  }
  expect(refused).toBeGreaterThan(100);
});
