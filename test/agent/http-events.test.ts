/** Event streams: what they begin with, how they go on after a break, and whom the agent does not wait for. */
import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import * as v from "valibot";
import { expect, onTestFinished, test } from "vitest";
import type { AgentEvent } from "../../src/api/client.ts";
import { EventReader } from "../../src/api/client.ts";
import { eventSchemas } from "../../src/api/schemas.ts";
import type { MemberEvent, StreamEventName } from "../../src/events/events.ts";
import { membersOf, type Served, served, settled, TOKEN } from "../support/api.ts";

/** Milliseconds: below the limit of a test, so that a failure says what was waited for. */
const LIMIT = 45_000;

interface Reader {
  readonly events: AgentEvent[];
  until(isSo: (event: AgentEvent) => boolean): Promise<AgentEvent>;
  stop(): void;
  readonly over: Promise<void>;
}

async function read({ api }: Served, after?: string): Promise<Reader> {
  const controller = new AbortController();
  const headers = after === undefined ? {} : { "last-event-id": after };
  const answer = await fetch(`${api.url}/v1/events`, { headers, signal: controller.signal });
  expect(answer.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
  const events: AgentEvent[] = [];
  const over = (async () => {
    const reader = new EventReader();
    for await (const text of answer.body!.pipeThrough(new TextDecoderStream())) {
      for (const { event, id, data } of reader.read(text)) {
        events.push({ event: event as StreamEventName, id, data: JSON.parse(data) });
      }
    }
  })().catch(() => {});
  onTestFinished(() => controller.abort());
  return {
    events,
    over,
    stop: () => controller.abort(),
    async until(isSo) {
      for (const limit = performance.now() + LIMIT; ; await pause(5)) {
        const found = events.find(isSo);
        if (found !== undefined) return found;
        if (performance.now() > limit) throw new Error(`no such event: ${isSo}\n${JSON.stringify(events)}`);
      }
    },
  };
}

const resign = ({ api }: Served) =>
  fetch(`${api.url}/v1/resign`, { method: "POST", headers: { authorization: `Bearer ${TOKEN}` } });

test("a stream begins with all that is known, and a client that returns gets what it has missed", async () => {
  const members = await membersOf(["a", "b"], { strict: true });
  const leader = await settled(members);
  const one = await served(leader, { limits: { kept: 40 } });
  const first = await read(one);
  const status = await first.until(({ event }) => event === "status");
  expect(status.data).toMatchObject({
    gap: false,
    self: { name: leader.name, leads: [{ office: "leader", token: String(leader.leader!.token) }] },
    offices: [{ office: "leader", leader: { name: leader.name, mine: true }, validForMs: 0 }],
  });
  expect((await resign(one)).status).toBe(200);
  const resigned = await first.until(({ event }) => event === "resigned");
  expect(resigned.data).toMatchObject({
    at: expect.any(Number),
    office: "leader",
    token: expect.stringMatching(/^\d+$/),
  });
  await first.until(({ event, data }) => event === "leader" && (data as { leader: string }).leader !== leader.name);
  first.stop();
  await first.over;
  // A new reader can ask for earlier events.
  const past = await read(one, "0");
  await past.until(({ event }) => event === "status");
  const told = past.events.map(({ event }) => event);
  // On a busy machine something may happen after that.
  expect(told.slice(0, told.indexOf("status"))).toEqual(expect.arrayContaining(["resigned", "leader"]));
  expect(told.filter((event) => event === "status")).toHaveLength(1);
  // Each has the fields that are described, and no others.
  for (const { event, data } of past.events) {
    if (event !== "status") expect(v.parse(eventSchemas[event], data), event).toEqual(data);
  }
  past.stop();

  // From the first one on, it gets the rest once more, in the same words and under the same ids.
  const again = await read(one, status.id);
  const known = first.events.slice(1);
  await again.until(({ id }) => id === known.at(-1)!.id);
  expect(again.events.slice(0, known.length)).toEqual(known);
  const next = again.events.at(-1)!;
  // The latest one: nothing is missed, and nothing is said until something happens.
  const quiet = await read(one, next.id);
  await settled(members);
  // Of another run of the agent, or longer ago than is kept: all that is known, and that there is a gap.
  for (const id of ["00000000-1", `${next.id.split("-")[0]}-999999`, "x", "-", `${next.id}x`]) {
    const lost = await read(one, id);
    expect((await lost.until(() => true)).data).toMatchObject({ gap: true });
    lost.stop();
  }
  expect(quiet.events.some(({ event }) => event === "status")).toBe(false);
  expect(JSON.stringify([...first.events, ...again.events])).not.toContain("fence");
});

test("closing ends streams with a last event, and waits neither for them nor for those who only hold a connection", async () => {
  const members = await membersOf(["a"], { strict: false });
  // Longer than this test may take: had it waited for a request or an idle connection, it would not come to its end.
  const long = { headersWithin: 300_000, requestWithin: 300_000, idle: 300_000 };
  const one = await served(members[0], { limits: { streams: 3, ...long } });
  const readers = await Promise.all([read(one), read(one), read(one)]);
  expect((await fetch(`${one.api.url}/v1/events`)).status).toBe(503);
  expect((await fetch(`${one.api.url}/v1/events`, { method: "HEAD" })).status).toBe(200);
  readers[2].stop();
  const port = Number(new URL(one.api.url).port);
  const idle = connect(port, "127.0.0.1").on("error", () => {});
  const half = connect(port, "127.0.0.1").on("error", () => {});
  half.write("GET /v1/leader HTTP/1.1\r\nHost: loc");
  while (one.api.streams > 2) await pause(5);
  await one.api.close();
  await Promise.all([readers[0].over, readers[1].over]);
  for (const { events } of readers.slice(0, 2)) expect(events.at(-1)!.event).toBe("end");
  idle.destroy();
  half.destroy();
});

/** Reads nothing at all. */
function deaf(port: number): Promise<Socket> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.pause();
      socket.write("GET /v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n");
      resolve(socket);
    });
    socket.on("error", () => {});
  });
}

test("a reader that takes nothing is cut off, and what waits for it stays small", async () => {
  const [member] = await membersOf(["a"], { strict: false });
  const one = await served(member, { limits: { backlog: 512 * 1024, beat: 1000 } });
  const good = await read(one);
  const slow = await deaf(Number(new URL(one.api.url).port));
  while (one.api.streams < 2) await pause(5);
  // More than the system keeps for a socket, in events of a kind that comes by itself only now and then.
  const why = "x".repeat(16 * 1024);
  let told = 0;
  const closed = new Promise<void>((resolve) => slow.once("close", resolve));
  while (one.api.streams === 2 && told < 4000) {
    (member as unknown as { told(event: MemberEvent): void }).told({ event: "dropped", why });
    told++;
    // The reader has read it before more is sent.
    while (good.events.length < told) await pause(1);
  }
  expect(told).toBeLessThan(4000);
  expect(one.api.streams).toBe(1);
  slow.resume();
  await closed;
});

test("a reader that says much besides is cut off, at once or later, and takes no other's place", async () => {
  const [member] = await membersOf(["a"], { strict: false });
  const one = await served(member, { limits: { streams: 1 } });
  for (const isLater of [false, true, false, true]) {
    const much = "x".repeat(60_000);
    const socket = connect(Number(new URL(one.api.url).port), "127.0.0.1");
    socket.on("error", () => {}).resume();
    const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
    socket.write(`GET /v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n${isLater ? "" : much}`);
    if (isLater) socket.once("data", () => socket.write(much));
    await closed;
    while (one.api.streams > 0) await pause(5);
  }
  const good = await read(one);
  await good.until(({ event }) => event === "status");
});
