/** The thread that serves HTTP: reads requests, refuses what it can by itself, and asks the member's thread for the rest. */
import type { Server } from "node:http";
import type { Server as SecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { parentPort, workerData } from "node:worker_threads";
import { collect } from "../../collect.ts";
import { isLoopback } from "../../net/udp.ts";
import { realWorld } from "../../real-world.ts";
import { listen } from "../listening.ts";
import { Admission } from "./admission.ts";
import { apiOf } from "./app.ts";
import { Asks } from "./asks.ts";
import { Connections } from "./connections.ts";
import { EventStreams } from "./event-streams.ts";
import { describe } from "./openapi.ts";
import { LARGEST_PIECE } from "./paced-socket.ts";
import type { FrontMeans } from "./route.ts";
import { routes } from "./routes.ts";
import type { FromFront, FrontSetup, ToFront } from "./thread.ts";

/** Bytes. */
const LARGEST_HEADERS = 16 * 1024;
/** Milliseconds in which answers that are under way may end. */
const CLOSING = 2000;

const port = parentPort!;
const setup = workerData as FrontSetup;
const { limits, place } = setup;
let { token } = setup;

const post = (message: FromFront): void => port.postMessage(message);
const log = {
  error: (message: string, fields: Readonly<Record<string, unknown>> = {}) => post({ kind: "error", message, fields }),
};
const asks = new Asks(post);
const streams = new EventStreams({
  world: realWorld,
  limits,
  asks,
  keep: (connection) => connections.keep(connection),
  counted: (count) => post({ kind: "streams", count }),
});
const admission = new Admission({
  isLocal: "path" in place || isLoopback(place),
  isSecure: setup.secure !== null,
  names: setup.names,
  token: () => token,
});
const means: FrontMeans = {
  log,
  streams,
  description: () => describe(routes),
  async ask(handler, { exchange, params, query, body }) {
    const { socket, method } = exchange.incoming;
    connections.setDue(socket, true);
    try {
      const isRead = method !== "POST";
      return await asks.ask(handler, { params, query, body, from: socket.remoteAddress }, isRead);
    } finally {
      connections.setDue(socket, false);
    }
  },
};
const answer = apiOf(routes, means, admission);
const server = open();
const connections = new Connections(server, limits.connections, realWorld, (incoming, outgoing) => {
  void answer({ incoming, outgoing });
});

port.on("message", (message: ToFront) => {
  if (message.kind === "answer" || message.kind === "problem") asks.hear(message);
  else if (message.kind === "publish") streams.publish(message.text);
  else if (message.kind === "close") close(message.last);
  else {
    if (message.secure !== null) (server as SecureServer).setSecureContext(message.secure);
    token = message.token;
  }
});

await listen(server, place).then(
  () => {
    const at = "path" in place ? place : { ...place, port: (server.address() as AddressInfo).port };
    post({ kind: "listening", place: at });
  },
  ({ code, message }: NodeJS.ErrnoException) => {
    post({ kind: "cannot listen", code, message });
    port.close();
  },
);
collect();

function open(): Server {
  const options = {
    maxHeaderSize: LARGEST_HEADERS,
    highWaterMark: LARGEST_PIECE,
    headersTimeout: limits.headersWithin,
    requestTimeout: limits.requestWithin,
    keepAliveTimeout: limits.idle,
    connectionsCheckingInterval: Math.min(1000, limits.headersWithin),
    // A missing name is refused like a wrong one, in words.
    requireHostHeader: false,
  };
  // An import of node:http loads fetch and HTTP/2 too, 9 MB of memory.
  return setup.secure === null
    ? process.getBuiltinModule("node:http").createServer(options)
    : process.getBuiltinModule("node:https").createServer({ ...options, ...setup.secure, minVersion: "TLSv1.2" });
}

/** Event streams end with a last event; answers that are under way have a little time; nothing else is waited for. */
function close(last: string): void {
  streams.close(last);
  const since = realWorld.now();
  let isOver = false;
  server.close(() => {
    isOver = true;
    port.close();
  });
  const sweep = () => {
    if (isOver) return;
    if (connections.underWay > 0 && realWorld.now() - since < CLOSING) server.closeIdleConnections();
    else server.closeAllConnections();
    realWorld.set(20, sweep);
  };
  sweep();
}
