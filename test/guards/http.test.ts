/** The guard before HTTP services: by itself, and in Express and Fastify as they are. */
import { mkdtempSync, rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import express from "express";
import fastify from "fastify";
import { afterAll, describe, expect, test } from "vitest";
import { fenceOf } from "../../src/live/guards/fence.ts";
import { expressGuard, fastifyGuard, type HttpGuard, httpGuard, refusedBy } from "../../src/live/guards/http.ts";
import { sqliteStore } from "../../src/live/guards/sql-stores.ts";
import { FORGED, NEW, OLD, RIVAL } from "./leaders.ts";
import { fence, guarding, keys } from "./lease-fences.ts";

const folder = mkdtempSync(join(tmpdir(), "sortition-http-guard-"));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;
const newFile = () => join(folder, `${files++}.db`);
const guardAt = (file: string) => httpGuard({ ...guarding, store: sqliteStore(file) });

type Send = (fence: string | null) => Promise<Response>;
const headersOf = (text: string | null): Record<string, string> => (text === null ? {} : { "Sortition-Fence": text });

interface Service {
  readonly send: Send;
  close(): Promise<void>;
}

/** Each answers an admitted request with its token. */
const services: Readonly<Record<string, (guard: HttpGuard) => Promise<Service>>> = {
  fetch: async (guard) => ({
    send: async (text) => {
      const request = new Request("http://localhost/jobs", { method: "POST", headers: headersOf(text) });
      return (await guard(request)) ?? new Response(String(guard.admitted(request)!.token));
    },
    close: async () => {},
  }),
  Express: async (guard) => {
    const app = express();
    app.use("/jobs", expressGuard(guard), (request, response) => {
      response.send(String(guard.admitted(request)!.token));
    });
    const server = app.listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    return {
      send: sendTo((server.address() as AddressInfo).port),
      close: () => new Promise((resolve) => server.close(() => resolve())),
    };
  },
  Fastify: async (guard) => {
    const app = fastify();
    app.addHook("onRequest", fastifyGuard(guard));
    app.post("/jobs", async (request) => String(guard.admitted(request)!.token));
    await app.listen({ port: 0, host: "127.0.0.1" });
    return { send: sendTo((app.server.address() as AddressInfo).port), close: () => app.close() };
  },
};

const sendTo =
  (port: number): Send =>
  (text) =>
    fetch(`http://127.0.0.1:${port}/jobs`, { method: "POST", headers: headersOf(text) });

async function saidBy(response: Response) {
  const refused = await refusedBy(response);
  if (refused === null) return [response.status, await response.text()];
  expect(await response.json()).toMatchObject({ type: `urn:sortition:fence:${refused.code}`, status: response.status });
  return [response.status, refused.code, refused.newest];
}

describe.each(Object.entries(services))("%s", (_, serve) => {
  test("admits the newest leader alone, and remembers it when started anew", async () => {
    const file = newFile();
    let service = await serve(guardAt(file));
    const say = async (text: string | null) => saidBy(await service.send(text));
    expect(await say(null)).toEqual([428, "missing", null]);
    expect(await say("nonsense")).toEqual([400, "malformed", null]);
    expect(await say(FORGED)).toEqual([403, "forged", null]);
    expect(await say(fenceOf(keys, { ...OLD, seat: "janitor" }))).toEqual([403, "foreign", null]);
    expect(await say(fence(OLD))).toEqual([200, "5"]);
    expect(await say(fence(NEW))).toEqual([200, "6"]);
    expect(await say(fence(OLD))).toEqual([412, "old", 6n]);
    await service.close();
    service = await serve(guardAt(file));
    expect(await say(fence(OLD))).toEqual([412, "old", 6n]);
    expect(await say(fence(RIVAL))).toEqual([412, "rival", 6n]);
    expect(await say(fence(NEW))).toEqual([200, "6"]);
    await service.close();
  });

  test("lets nobody in while its store fails, and says why to its owner alone", async () => {
    const failures: unknown[] = [];
    const broken = new Error("the disk /dev/sdz is full");
    const store = { read: () => Promise.reject(broken), replace: () => Promise.reject(broken) };
    const service = await serve(httpGuard({ ...guarding, store, failed: (error) => failures.push(error) }));
    const response = await service.send(fence(OLD));
    expect([response.status, response.headers.get("retry-after")]).toEqual([503, "1"]);
    expect(await response.text()).not.toContain("sdz");
    expect(failures).toEqual([broken]);
    await service.close();
  });
});

test("a seat for each shard: what one may do the other may not", async () => {
  const guard = httpGuard({
    keys,
    seat: (request) => `shards#${new URL(request.url).pathname.split("/")[2]}`,
    store: sqliteStore(newFile()),
  });
  const ask = async (shard: number, seat: number) => {
    const headers = { "sortition-fence": fenceOf(keys, { ...OLD, seat: `shards#${seat}` }) };
    return (await guard(new Request(`http://localhost/shards/${shard}/rows`, { headers })))?.status ?? 200;
  };
  expect([await ask(1, 1), await ask(1, 2), await ask(2, 2)]).toEqual([200, 403, 200]);
});

test("a header that comes twice is no fence", async () => {
  const guard = guardAt(newFile());
  const headers = new Headers(headersOf(fence(OLD)));
  headers.append("sortition-fence", fence(OLD));
  expect((await guard(new Request("http://localhost/", { headers })))?.status).toBe(400);
});

test("responses of others are no refusals", async () => {
  expect(await refusedBy(new Response("no"))).toBeNull();
  const problem = (body: string) =>
    refusedBy(new Response(body, { headers: { "content-type": "application/problem+json" } }));
  for (const body of ["", "null", "[]", "{}", '{"type":"about:blank"}', '{"type":"urn:sortition:fence:toString"}'])
    expect(await problem(body)).toBeNull();
  expect((await problem('{"type":"urn:sortition:fence:old","newest":"1e9"}'))!.newest).toBeNull();
});
