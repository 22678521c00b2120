/** The agent's HTTP API: where it listens, with which limits, and how it ends. */
import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http";
import { createServer as createSecureServer, type Server as SecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { getRequestListener } from "@hono/node-server";
import { GroupError } from "../../join/errors.ts";
import type { GroupMember } from "../../join/member.ts";
import { isUnspecified, placeText, resolveAddress } from "../../net/address.ts";
import { isLoopback } from "../../net/udp.ts";
import type { World } from "../../world.ts";
import { cannotServe, listen } from "../listening.ts";
import { Admission, type ApiSettings, apiToken, type Certificate, certificateOf } from "./admission.ts";
import { apiOf, problemAnswer } from "./app.ts";
import { EventStreams, STREAM_LIMITS, type StreamLimits } from "./event-streams.ts";
import { describe } from "./openapi.ts";
import { ApiError, type ApiErrorCode, PROBLEM_TYPE, problemOf } from "./problem.ts";
import type { ApiLog, ApiMeans } from "./route.ts";
import { changing, reading } from "./routes.ts";

export interface ApiOptions {
  readonly member: GroupMember;
  readonly settings: ApiSettings;
  metrics(): Promise<string>;
  isReady(): { readonly ready: boolean; readonly why?: string | undefined };
  readonly log: ApiLog;
  readonly world: Pick<World, "now" | "wall" | "set" | "bytes">;
  readonly limits?: Partial<ApiLimits>;
}

export interface ApiLimits extends StreamLimits {
  readonly connections: number;
  /** Milliseconds for the headers of a request, and for all of it. */
  readonly headersWithin: number;
  readonly requestWithin: number;
  /** Milliseconds that a connection is kept without a request. */
  readonly idle: number;
}

const LIMITS: ApiLimits = {
  ...STREAM_LIMITS,
  connections: 512,
  headersWithin: 10_000,
  requestWithin: 20_000,
  idle: 30_000,
};

/** Bytes. */
const LARGEST_HEADERS = 16 * 1024;
/** Milliseconds in which answers that are under way may end. */
const CLOSING = 2000;

export interface RunningApi {
  readonly url: string;
  /** How many event streams are open. */
  readonly streams: number;
  /** Reads the files of token and TLS again; throws, and goes on with the old ones, where they cannot be used. */
  reload(): void;
  /** Ends event streams with a last event, waits a little for answers that are under way, and for nobody else. */
  close(): Promise<void>;
}

export async function serveApi(options: ApiOptions): Promise<RunningApi> {
  const { member, settings, log, world } = options;
  const limits = { ...LIMITS, ...options.limits };
  const place = await resolveAddress(settings.http, "http");
  const isPublic = !isLoopback(place);
  let token = apiToken(settings);
  if (isPublic && token === null) {
    throw new GroupError(
      "BAD_OPTION",
      `others can reach the HTTP API at ${settings.http}, and it has no bearer token`,
      "give --http-token-file, or an address of this machine alone such as 127.0.0.1:7070",
    );
  }
  const secure = certificateOf(settings);
  const admission = new Admission({
    host: place.host,
    isSecure: secure !== null,
    names: settings.httpHosts ?? [],
    token: () => token,
  });
  const streams = new EventStreams(member, world, limits);
  const { metrics, isReady } = options;
  const routes = [...reading, ...changing];
  const means: ApiMeans = { member, world, log, metrics, isReady, streams, description: () => describe(routes) };
  const answer = getRequestListener(apiOf(routes, means, admission).fetch, {
    // Other code of this process keeps the Request and Response that Node gives it.
    overrideGlobalObjects: false,
    errorHandler: (error) => problemAnswer(asProblem(error), { log }),
  });
  const server = open(limits, secure, (incoming, outgoing) => void answer(incoming, outgoing));
  const underWay = refuseMalformed(server, world);
  await listen(server, place).catch((error: NodeJS.ErrnoException) => {
    streams.close("");
    throw cannotServe(settings.http, error);
  });
  const { port } = server.address() as AddressInfo;
  const host = isUnspecified(place) ? (place.host === "::" ? "::1" : "127.0.0.1") : place.host;
  return {
    url: `${secure === null ? "http" : "https"}://${placeText({ host, port })}`,
    get streams() {
      return streams.count;
    },
    reload() {
      const [fresh, files] = [apiToken(settings), certificateOf(settings)];
      if (files !== null) (server as SecureServer).setSecureContext(files);
      token = fresh;
    },
    close() {
      streams.close("the agent ends");
      return end(server, world, underWay);
    },
  };
}

function open(
  limits: ApiLimits,
  secure: Certificate | null,
  answer: (incoming: IncomingMessage, outgoing: ServerResponse) => void,
): Server {
  const options = {
    maxHeaderSize: LARGEST_HEADERS,
    headersTimeout: limits.headersWithin,
    requestTimeout: limits.requestWithin,
    keepAliveTimeout: limits.idle,
    connectionsCheckingInterval: Math.min(1000, limits.headersWithin),
    // A missing name is refused like a wrong one, in words.
    requireHostHeader: false,
  };
  const server =
    secure === null
      ? createServer(options, answer)
      : createSecureServer({ ...options, ...secure, minVersion: "TLSv1.2" }, answer);
  server.maxConnections = limits.connections;
  return server;
}

function end(server: Server, world: Pick<World, "now" | "set">, underWay: () => number): Promise<void> {
  return new Promise((resolve) => {
    const since = world.now();
    let isOver = false;
    server.close(() => {
      isOver = true;
      resolve();
    });
    const sweep = () => {
      if (isOver) return;
      if (underWay() > 0 && world.now() - since < CLOSING) server.closeIdleConnections();
      else server.closeAllConnections();
      world.set(20, sweep);
    };
    sweep();
  });
}

/** What Node's adapter could not read: a host or a target that is none. */
const asProblem = (error: unknown): unknown =>
  error instanceof Error && error.name === "RequestError"
    ? new ApiError("BAD_REQUEST", "the request's target or host cannot be read", "ask for a path such as /v1/leader")
    : error;

// What connections wait for. Requests that are no HTTP: whoever sent one is told so, after the answers that it still waits for, and
// the connection ends.

/** Milliseconds that a connection stays open for answers that are under way. */
const PATIENCE = 1000;

interface Connection {
  /** Answers under way. */
  open: number;
  /** What is said last. */
  farewell: string | null;
}

/** Returns how many answers are under way. */
function refuseMalformed(server: Server, world: Pick<World, "set">): () => number {
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
