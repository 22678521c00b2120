/** What an agent writes: for people and for programs, without secrets, and not without end. */
import { expect, test } from "vitest";
import { createLog, type LogLevel, limited, logEvent } from "../../src/live/agent/log.ts";

function scene(form: "text" | "json", level: LogLevel = "info") {
  const lines: string[] = [];
  const write = (line: string) => void lines.push(line);
  return { lines, log: createLog({ form, level, about: { group: "g", member: "a" }, write, time: () => "T" }) };
}

const leads = {
  event: "leads",
  office: "x",
  term: 3,
  token: 2n ** 60n,
  leader: "a",
  leaseMs: 700,
  fence: "s1~secret",
} as const;

test("JSON has time, level, message and who writes; an event its fields, tokens as text, and never the fence", () => {
  const { lines, log } = scene("json");
  logEvent(log, log, leads);
  logEvent(log, log, { event: "joined", member: "b", members: 2 });
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    {
      time: "T",
      level: "info",
      msg: `x: THIS MEMBER LEADS in term 3, token ${2n ** 60n}`,
      group: "g",
      member: "a",
      event: "leads",
      office: "x",
      term: 3,
      token: String(2n ** 60n),
      leader: "a",
      leaseMs: 700,
    },
    {
      time: "T",
      level: "info",
      msg: "b has joined; 2 members",
      group: "g",
      member: "a",
      event: "joined",
      peer: "b",
      members: 2,
    },
  ]);
  expect(lines.join()).not.toContain("secret");
});

test("text says an event in words alone, other fields behind it, each in one line whatever names hold", () => {
  const { lines, log } = scene("text");
  logEvent(log, log, { event: "joined", member: "b\u001b[31m\nT error forged", members: 2 });
  log.warn("HTTP is served", { url: "http://127.0.0.1:1", why: "a b\n" });
  expect(lines).toEqual([
    "T info  b [31m T error forged has joined; 2 members",
    'T warn  HTTP is served url=http://127.0.0.1:1 why="a b\\n"',
  ]);
});

test("levels: suspicions only at debug, an engine that is silent is a warning", () => {
  const seen = (level: LogLevel) => {
    const { lines, log } = scene("text", level);
    logEvent(log, log, { event: "suspected", member: "b" });
    logEvent(log, log, { event: "engine", engine: "answers" });
    logEvent(log, log, { event: "engine", engine: "silent", why: "it is locked" });
    logEvent(log, log, { event: "threw", office: "x", why: "oops" });
    return lines.map((line) => line.split(" ")[1]);
  };
  expect([seen("debug"), seen("info"), seen("warn"), seen("error")]).toEqual([
    ...[["debug", "info", "warn", "error"], ["info", "warn", "error"], ["warn", "error"], ["error"]],
  ]);
});

test("what strangers can cause is written ten times a minute, a hundred lines in all, and then how many were not", () => {
  const { lines, log } = scene("json");
  let now = 0;
  const few = limited(log, { now: () => now });
  for (let ms = 0; ms < 30; ms++) logEvent(log, few, { event: "stalled", ms, why: `paused for ${ms} ms` });
  expect(lines.length).toBe(10);
  lines.length = 0;
  now = 60_001;
  for (let i = 0; i < 1000; i++) few.warn("refused", { i });
  expect(lines.length).toBe(10);
  for (let i = 0; i < 1000; i++) few.warn(`refused ${i}`);
  expect(lines.length).toBe(100);
  now = 122_000;
  few.warn("again");
  few.warn("again");
  for (let i = 0; i < 1000; i++) few.debug(`asked ${i}`);
  expect(lines.slice(-2).map((line) => JSON.parse(line).leftOut)).toEqual([910, undefined]);
});
