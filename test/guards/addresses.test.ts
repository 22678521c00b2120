/** What Express and Fastify hand over that is no plain request: nothing of it may be taken for something else, or end the process. */
import { connect } from "node:http2";
import type { AddressInfo } from "node:net";
import fastify from "fastify";
import { expect, test } from "vitest";
import { fenceOf } from "../../src/live/guards/fence.ts";
import { expressGuard, fastifyGuard, httpGuard } from "../../src/live/guards/http.ts";
import type { GuardStore } from "../../src/live/guards/store.ts";
import { NEW } from "./leaders.ts";
import { fence, guarding, keys } from "./lease-fences.ts";

const blank: GuardStore = { read: async () => null, replace: async () => true };

test("HTTP/2, whose requests have headers with a colon", async () => {
  const guard = httpGuard({ ...guarding, store: blank });
  const app = fastify({ http2: true });
  app.addHook("onRequest", fastifyGuard(guard));
  app.post("/jobs", async (request) => String(guard.admitted(request)!.token));
  await app.listen({ port: 0, host: "127.0.0.1" });
  const session = connect(`http://127.0.0.1:${(app.server.address() as AddressInfo).port}`);
  const send = (headers: Record<string, string>) =>
    new Promise((resolve) => {
      const stream = session.request({ ":method": "POST", ":path": "/jobs", ...headers });
      stream.on("response", (response) => resolve(response[":status"]));
      stream.resume().end();
    });
  expect(await send({})).toBe(428);
  expect(await send({ "sortition-fence": fence(NEW) })).toBe(200);
  session.destroy();
  await app.close();
});

/** What the guard lets the leader of shards#2 do, by an address as it stands in the request. */
async function admittedTo(url: string): Promise<string> {
  const seats: string[] = [];
  const seat = (request: Request) => {
    seats.push(`shards#${/\/shards\/(\d+)/.exec(new URL(request.url).pathname)?.[1]}`);
    return seats[0];
  };
  const guard = httpGuard({ keys, seat, store: blank });
  const headers = { host: "service", "sortition-fence": fenceOf(keys, { seat: "shards#2", token: 7n, lease: "x" }) };
  return new Promise((resolve) => {
    const response = { statusCode: 0, setHeader() {}, end: () => resolve(`refused ${response.statusCode}`) };
    const next = (error?: unknown) =>
      resolve(error === undefined ? "admitted" : `error ${(error as { status?: number }).status}`);
    expressGuard(guard)({ method: "POST", url, originalUrl: url, headers }, response, next);
  });
}

test.each([
  ["/shards/2/jobs", "admitted"],
  ["/shards/2/jobs?x=/../1", "admitted"],
  ["/shards/2/a..b/.well-known/...", "admitted"],
  ["/shards/1/jobs", "refused 403"],
  // A router takes these as they stand, an address of the Fetch standard does not.
  ["/shards/1/../2/jobs", "error 400"],
  ["/shards/1/%2e%2E/2/jobs", "error 400"],
  ["/shards/1/..%5c2", "refused 403"],
  ["/shards/1/..\\2", "error 400"],
  ["//shards/1/shards/2", "error 400"],
  ["/\\shards/1/shards/2", "error 400"],
  ["http://other/shards/2/jobs", "admitted"],
  ["http://other/shards/1/../2", "error 400"],
])("the address %s of a request of another shard's leader: %s", async (url, outcome) => {
  expect(await admittedTo(url)).toBe(outcome);
});

test("a request that was answered by somebody else meanwhile is an error for Express, and does not end the process", async () => {
  const guard = httpGuard({ ...guarding, store: blank });
  const sent = new Error("headers were sent already");
  const response = {
    statusCode: 0,
    setHeader() {
      throw sent;
    },
    end() {},
  };
  const said = await new Promise((resolve) =>
    expressGuard(guard)({ method: "GET", url: "/", headers: {} }, response, resolve),
  );
  expect(said).toBe(sent);
});
