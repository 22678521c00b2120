/** What a member says of a store's HTTP API that does not answer as it should. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { HttpClient, NotSent } from "./http.ts";

test("a connection that ends, and one that is not made, are said in words; only of the latter nothing was sent", async () => {
  const server = createServer((request, response) => {
    if (request.url === "/text") response.end("no JSON");
    else if (request.url === "/empty") response.end();
    else request.socket.destroy();
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const at = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  let client = new HttpClient({});
  const call = (path: string) =>
    client.call(`http://${at}${path}`, { method: "GET", signal: AbortSignal.timeout(30_000) });
  const error = async (path: string) => (await call(path).catch((why: unknown) => why)) as Error;
  const closed = await error("/");
  expect([closed.message, closed instanceof NotSent]).toEqual([`${at} closed the connection`, false]);
  expect((await error("/text")).message).toBe(`${at} answered 200 with text that is no JSON`);
  expect(await call("/empty")).toEqual({ status: 200, body: null });
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
  client.close();
  client = new HttpClient({});
  const refused = await error("/");
  expect(refused).toBeInstanceOf(NotSent);
  expect(refused.message).toBe(`nothing listens at ${at}: start the server, or fix the address`);
  client.close();
});
