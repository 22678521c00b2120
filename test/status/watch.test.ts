/** `sortition status --watch` where there is no terminal: lines, and an agent that is restarted is found again. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Command } from "commander";
import { expect, test } from "vitest";
import { AgentClient } from "../../src/api/client.ts";
import { define } from "../../src/cli/commands/status/status.ts";
import { printEvents } from "../../src/cli/commands/status/watch.ts";
import { TestIo } from "../support/io.ts";

const event = (name: string, id: string, data: object) =>
  `event: ${name}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`;
const offices = [{ office: "leader", term: 3, token: "12", leader: { name: "a", state: "live" } }];
const first = { at: 0, offices, members: { members: [{}, {}] } };

/** Streams, one for each time that it is asked; each ends. */
async function watch(streams: readonly string[], isJson: boolean) {
  const asked: unknown[] = [];
  const io = new TestIo();
  const server = createServer((request, response) => {
    asked.push(request.headers["last-event-id"] ?? null);
    const text = streams[asked.length - 1];
    if (text === undefined) {
      io.emit("SIGINT");
      response.destroy();
    } else response.writeHead(200, { "content-type": "text/event-stream" }).end(text);
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  try {
    const url = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    await printEvents(io, new AgentClient({ url }), (status) => status, isJson);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
  return { asked, lines: io.stdout.text.trimEnd().split("\n") };
}

test("a line for each event; what is lost is said, and asked for again from there", async () => {
  const { asked, lines } = await watch(
    [
      event("status", "r-1", first) + event("leaderless", "r-2", { at: 1000, office: "leader", term: 3 }),
      event("leader", "r-3", { at: 2000, office: "leader", term: 4, leader: "b\u001b[2J", token: "13" }) +
        event("unheard-of", "r-4", { at: 3000, why: "later" }),
    ],
    false,
  );
  expect(asked).toEqual([null, "r-2", "r-4"]);
  expect(lines.map((line) => line.replace(/^\d\d:\d\d:\d\d\.\d{3} {2}/, ""))).toEqual([
    "2 members",
    "leader: a leads in term 3, token 12",
    "leader: nobody leads in term 3",
    "the agent has ended the stream; asking again",
    "leader: b\\u{1b}[2J leads in term 4, token 13",
    '{"event":"unheard-of","why":"later"}',
    "the agent has ended the stream; asking again",
  ]);
  expect(lines[2]).toMatch(/^00:00:01\.000/);
});

test("--json: an object for each", async () => {
  const { lines } = await watch([event("status", "r-1", first) + event("view", "r-2", { at: 5, members: 2 })], true);
  expect(lines.slice(0, 2).map((line) => JSON.parse(line))).toEqual([
    { event: "status", ...first },
    { event: "view", at: 5, members: 2 },
  ]);
  expect(JSON.parse(lines[2])).toMatchObject({ event: "lost" });
});

test.each([
  ["live", 0],
  ["unreachable", 3],
  ["stale", 3],
  [null, 3],
])("a leader that is %s: status %i", async (state, code) => {
  const leader = state && { name: "a", address: null, mine: false, state };
  const self = { name: "a", group: "g", stalls: { count: 0 }, quorate: true, engine: {}, address: "x", version: "1" };
  const data = {
    self,
    members: { members: [], recent: [] },
    offices: [{ ...offices[0], leader, council: null, asker: null, validForMs: 0, epsilon: null }],
  };
  const server = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" }).end(event("status", "r-1", data));
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const io = new TestIo();
  const command = new Command();
  define(command, io);
  try {
    const agent = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    await command.parseAsync(["--agent", agent], { from: "user" });
    expect(io.exitCode ?? 0).toBe(code);
    await expect(command.parseAsync(["--agent", agent, "--office", "x"], { from: "user" })).rejects.toThrow(
      'the agent knows no office "x": there are leader',
    );
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

test("what is wrong from the start is an error", async () => {
  const client = new AgentClient({ url: "127.0.0.1:9" });
  await expect(printEvents(new TestIo(), client, (status) => status, false)).rejects.toThrow(
    "no agent answers at http://127.0.0.1:9",
  );
});
