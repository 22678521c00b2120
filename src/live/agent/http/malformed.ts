/**
 * What connections wait for. Requests that are no HTTP: whoever sent one is told so, after the answers that it still waits for, and
 * the connection ends.
 */
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import type { World } from "../../world.ts";
import { ApiError, type ApiErrorCode, PROBLEM_TYPE, problemOf } from "./problem.ts";

/** Milliseconds that a connection stays open for answers that are under way. */
const PATIENCE = 1000;

interface Connection {
  /** Answers under way. */
  open: number;
  /** What is said last. */
  farewell: string | null;
}

/** Returns how many answers are under way. */
export function refuseMalformed(server: Server, world: Pick<World, "set">): () => number {
  let underWay = 0;
  const connections = new WeakMap<Duplex, Connection>();
  server.on("connection", (socket) => connections.set(socket, { open: 0, farewell: null }));
  server.on("secureConnection", (socket) => connections.set(socket, { open: 0, farewell: null }));
  server.prependListener("request", ({ socket, headers }: IncomingMessage, outgoing: ServerResponse) => {
    // Nothing is upgraded here, and Node drops what comes after such a request.
    if (headers.upgrade !== undefined) outgoing.setHeader("connection", "close");
    const connection = connections.get(socket)!;
    connection.open++;
    underWay++;
    outgoing.once("close", () => {
      connection.open--;
      underWay--;
      if (connection.open === 0 && connection.farewell !== null) socket.end(connection.farewell);
    });
  });
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    const connection = connections.get(socket);
    if (!socket.writable || connection === undefined || connection.farewell !== null) return void socket.destroy();
    connection.farewell = farewell(error);
    if (connection.open === 0) socket.end(connection.farewell);
    const cancel = world.set(PATIENCE, () => socket.destroy());
    socket.once("close", cancel);
  });
  return () => underWay;
}

function farewell({ code }: NodeJS.ErrnoException): string {
  const [kind, what, advice] = KINDS[code ?? ""] ?? OTHER;
  const problem = problemOf(new ApiError(kind, what, advice));
  const body = `${JSON.stringify(problem)}\n`;
  return [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
    `content-type: ${PROBLEM_TYPE}`,
    `content-length: ${Buffer.byteLength(body)}`,
    "connection: close",
    "",
    body,
  ].join("\r\n");
}

type Kind = readonly [code: ApiErrorCode, what: string, advice: string];

const OTHER: Kind = ["BAD_REQUEST", "this is no request of HTTP/1.1", "see RFC 9112, or use a client of HTTP"];
const LONG: Kind = ["HEADERS_TOO_LARGE", "the request's headers are too long", "send less than 16 KiB of them"];
const KINDS: Readonly<Record<string, Kind>> = {
  HPE_HEADER_OVERFLOW: LONG,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ["TOO_LARGE", "the request's chunks have long extensions", "send none"],
  ERR_HTTP_REQUEST_TIMEOUT: ["TOO_SLOW", "the request has not come in time", "send it at once"],
};
