/** Requests of any kind to the HTTP API, through Node's parser: each is answered with a status that is not the agent's fault, or cut off. */
import { createServer } from "node:http";
import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import { Admission } from "../../../src/live/agent/http/admission.ts";
import { apiOf } from "../../../src/live/agent/http/app.ts";
import { Connections } from "../../../src/live/agent/http/connections.ts";
import type { EventStreams } from "../../../src/live/agent/http/event-streams.ts";
import { describe } from "../../../src/live/agent/http/openapi.ts";
import { ApiError } from "../../../src/live/agent/http/problem.ts";
import { routes } from "../../../src/live/agent/http/routes.ts";
import { realWorld } from "../../../src/live/real-world.ts";
import type { Target } from "../loop.ts";

const TOKEN = "a-token-that-only-tests-know";

const admission = new Admission({ isLocal: true, isSecure: false, names: ["a.example"], token: () => TOKEN });
let fault: string | null = null;
const answer = apiOf(
  routes,
  {
    log: { error: (message, fields) => (fault = `${message} ${JSON.stringify(fields)}`) },
    ask: async (handler, { params, query, body }) => `${JSON.stringify({ handler, params, query, body })}\n`,
    streams: {
      open: async () => {
        throw new ApiError("TOO_MANY", "there are no streams here", "ask again later");
      },
    } as unknown as EventStreams,
    description: () => describe(routes),
  },
  admission,
);
const server = createServer({ maxHeaderSize: 16 * 1024, requireHostHeader: false });
new Connections(server, 64, realWorld, (incoming, outgoing) => void answer({ incoming, outgoing }));

/** A connection in memory: sends all of the input at once, then its end. */
class Client extends Duplex {
  readonly remoteAddress = "127.0.0.1";
  readonly remotePort = 1;
  readonly bytesWritten = 0;
  answered = "";

  constructor(input: Uint8Array) {
    super({ allowHalfOpen: true });
    this.push(Buffer.from(input));
    this.push(null);
  }
  setTimeout(): this {
    return this;
  }
  override _read(): void {}
  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.answered += chunk.toString("latin1");
    done();
  }
}

const request = (line: string, body = "", ...headers: string[]) =>
  new TextEncoder().encode(
    [`${line} HTTP/1.1`, "Host: localhost", `Authorization: Bearer ${TOKEN}`, ...headers, "", body].join("\r\n"),
  );
const posted = (path: string, body: string) =>
  request(`POST ${path}`, body, "Content-Type: application/json", `Content-Length: ${body.length}`);

export const target: Target = {
  longest: 2000,
  seeds: [
    request("GET /v1/leader"),
    request("GET /v1/offices/shards%232?office=leader&x=%ff"),
    request("GET /v1/events", "", "Last-Event-ID: 3"),
    request("HEAD /lab/index.html", "", "Origin: http://localhost", "Accept-Encoding: br"),
    posted("/v1/transfer", '{"office":"leader","to":"b"}'),
    posted("/v1/begin", '{"key":"k","scheduledAt":1700000000000,"attempts":3,"noted":true}'),
    posted("/v1/finish", '{"key":"k","attempt":"x","outcome":"done","status":0}'),
    request("POST /v1/resign", "2\r\n{}\r\n0\r\n\r\n", "Content-Type: application/json", "Transfer-Encoding: chunked"),
  ],
  async run(input) {
    const client = new Client(input);
    const closed = new Promise((resolve) => client.once("close", resolve));
    server.emit("connection", client as unknown as Socket);
    await closed;
    for (const [, status] of client.answered.matchAll(/^HTTP\/1\.1 (\d+)/gm)) {
      if (Number(status) === 500) throw new Error(`it is answered with 500: ${fault}`);
    }
    if (fault !== null) throw new Error(fault);
  },
};
