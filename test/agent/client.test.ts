/** The client of the agent against servers that answer as they should, and as they should not. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { AgentClient, type AgentError } from "../../src/api/client.ts";
import { stubServer } from "../support/stub-server.ts";

const failure = (promise: Promise<unknown>): Promise<AgentError> =>
  promise.then(
    () => {
      throw new Error("it should have failed");
    },
    (error: unknown) => error as AgentError,
  );

test("asks with its token, and gives what is answered", async () => {
  const seen: unknown[] = [];
  const url = await stubServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => {
      seen.push([request.method, request.url, request.headers.authorization, body]);
      response.end('{"group":"g","keys":{"seals":"00000001","opens":["00000001"]}}');
    });
  });
  const client = new AgentClient({ url, token: "secret" });
  expect(await client.get("/v1/self")).toMatchObject({ group: "g" });
  expect(await client.rekey()).toEqual({ seals: "00000001", opens: ["00000001"] });
  expect(seen).toEqual([
    ["GET", "/v1/self", "Bearer secret", ""],
    ["POST", "/v1/rekey", "Bearer secret", "{}"],
  ]);
});

test.each([
  [409, { detail: "b leads", advice: "wait", code: "HELD" }, "HELD", /says no \(409\): b leads: wait$/],
  [404, { title: "no such office" }, "REFUSED", /\(404\): no such office$/],
  [401, { detail: "x" }, "UNAUTHORIZED", /wants a bearer token: give it with --token-file FILE$/],
  [500, "<html>", "UNREADABLE", /is no agent of sortition \(status 500\)/],
  [200, "<html>", "UNREADABLE", /is no agent of sortition: say where it is with --agent URL$/],
])("an answer of %i %j is %s", async (status, body, code, message) => {
  const url = await stubServer((_request, response) => {
    response.writeHead(status).end(typeof body === "string" ? body : JSON.stringify(body));
  });
  const error = await failure(new AgentClient({ url }).members());
  expect(error).toMatchObject({ code, message: expect.stringMatching(message) });
});

test("who does not answer is told in a sentence; a redirection is not followed", async () => {
  const closed = createServer();
  await new Promise<void>((resolve) => void closed.listen(0, "127.0.0.1", resolve));
  const { port } = closed.address() as AddressInfo;
  await new Promise((resolve) => closed.close(resolve));
  const nowhere = await failure(new AgentClient({ url: `http://127.0.0.1:${port}` }).members());
  expect(nowhere.message.replace(`:${port}`, "")).toBe(
    'no agent answers at http://127.0.0.1 (nothing listens there): start one with "sortition agent", or say where it is with --agent URL',
  );
  expect((await failure(new AgentClient({ url: "127.0.0.1:6000" }).members())).message).toContain("take another");
  const url = await stubServer((request, response) => {
    if (request.url === "/v1/members") response.writeHead(302, { location: "http://127.0.0.1:1/" }).end();
  });
  expect((await failure(new AgentClient({ url }).members())).code).toBe("UNREACHABLE");
  expect((await failure(new AgentClient({ url, patience: 50 }).get("/v1/self"))).message).toContain(
    "(it has not answered for 0.05 s)",
  );
});

test.each(["", "ftp://x", "http://", "http://user:x@host", "http://host/path", "http://host/?a"])(
  "%s is no address of an agent",
  (url) => {
    expect(() => new AgentClient({ url })).toThrow(/is not the address of an agent/);
  },
);

test("reads events: comments are skipped, pieces put together, and the end of the stream is an end", async () => {
  const asked: unknown[] = [];
  const url = await stubServer((request, response) => {
    asked.push(request.headers["last-event-id"]);
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write('id: 1\nevent: status\ndata: {"a":\ndata: 1}\n\n: beat\n\nid: 2\nevent: lea');
    setImmediate(() => {
      response.write('der\ndata: {"leader":"ü"}\n\nevent: x\ndata: {no\n\nevent: cut\ndata: {}');
      setImmediate(() => response.destroy());
    });
  });
  const events = [];
  for await (const event of new AgentClient({ url }).events(AbortSignal.timeout(5000), { after: "7" }))
    events.push(event);
  expect(asked).toEqual(["7"]);
  expect(events).toEqual([
    { event: "status", id: "1", data: { a: 1 } },
    { event: "leader", id: "2", data: { leader: "ü" } },
  ]);
});
