import { expect, test } from "vitest";
import { eventText, lines, messageText } from "./describe.ts";
import type { TraceEvent } from "./events.ts";

test.each<[unknown, string]>([
  ["ping", "ping"],
  [7, "7"],
  [null, "null"],
  [{ kind: "announce" }, "announce"],
  [{ kind: "elect", id: 3 }, "elect (id 3)"],
  [{ id: 3, hops: 2 }, "id 3, hops 2"],
  [{ kind: "lot", unique: true, note: undefined }, "lot (unique true)"],
  [{ kind: "view", members: [1, 2] }, "view (members [1,2])"],
])("a message in words: %j", (message, text) => {
  expect(messageText(message)).toBe(text);
});

const events: TraceEvent[] = [
  { do: "start", node: 0, at: 0, cause: null },
  { do: "send", node: 0, to: 0, message: "m", at: 0, cause: 0 },
  { do: "deliver", node: 0, from: 0, message: "m", at: 1.23456, cause: 1 },
  { do: "verdict", node: 0, status: "elected", leader: 9, term: 2, at: 1.23456, cause: 2 },
  { do: "verdict", node: 1, status: "not-elected", leader: 9, term: 0, at: 2, cause: 2 },
  { do: "verdict", node: 1, status: "undecided", leader: null, term: 0, at: 2, cause: 2 },
  { do: "lose", node: 1, why: "loss", at: 3, cause: 1 },
  { do: "lose", node: 1, why: "crash", at: 3, cause: 1 },
  { do: "timer", node: 1, timer: "t", at: 3, cause: null },
  { do: "crash", node: 1, at: 4, cause: null },
  { do: "restart", node: 1, at: 5, cause: null },
  { do: "end-round", node: 1, at: 5, cause: null },
];

test("events in words", () => {
  expect(events.map((event) => eventText(event))).toEqual([
    "starts",
    "sends m to itself",
    "receives m from itself",
    "IS ELECTED in term 2",
    "is not elected, follows id 9",
    "is undecided",
    "never gets it: lost on the way",
    "never gets it: it has crashed",
    'timer "t" expires',
    "crashes",
    "starts again",
    "ends the round",
  ]);
});

test("a line says number, time, node, what and why; numbers stay when some are left out", () => {
  expect(lines(events, ({ node, at }) => node === 0 && at > 0)).toEqual([
    " #2  t=1.235 node 0  receives m from itself  ← #1",
    " #3  t=1.235 node 0  IS ELECTED in term 2  ← #2",
  ]);
});

test("a long run has as many lines as it has events", () => {
  const long = Array.from({ length: 200_000 }, (_, at) => ({ do: "start", node: 0, at, cause: null }) as const);
  expect(lines(long)).toHaveLength(200_000);
});
