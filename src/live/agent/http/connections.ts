/**
 * The connections of the front. Each has one request under way, and is not read meanwhile. A request that is no HTTP is refused in
 * words, after the answers that are due. If too many connections are open, one on which no answer is due is closed. Half of the places
 * are reserved for clients that have been answered a short while ago. The others go to the newest: idle and slow clients cannot keep
 * others out.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { World } from "../../world.ts";
import { PacedSocket, Sharing } from "./paced-socket.ts";
import { ApiError, type ApiErrorCode, PROBLEM_TYPE, problemOf, statusTitle } from "./problem.ts";

/** Milliseconds that a connection stays open for answers that are due, after a request that is no HTTP. */
const PATIENCE = 1000;
/** Milliseconds for which a client that was answered keeps its reserved place, while others want it. */
const RESERVED = 10_000;

interface Connection {
  /** As the operating system knows it, and as it is read. */
  readonly raw: Socket;
  paced: PacedSocket | null;
  /** The answer to the request under way: it has not left. */
  current: ServerResponse | null;
  /** The answer to the latest request, also when it has left: the body of that request may not have ended. */
  latest: ServerResponse | null;
  /** Requests that came in one piece with the one under way. */
  readonly waiting: [IncomingMessage, ServerResponse][];
  /** When its last answer left. */
  answeredAt: number;
  /** The member's thread has been asked, or an event stream is open. */
  isDue: boolean;
  /** What is said last. */
  farewell: string | null;
}

type Answer = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

export class Connections {
  private readonly limit: number;
  private readonly world: Pick<World, "now" | "set" | "soon">;
  private readonly answer: Answer;
  /** By the client's address and port, or by a number, the oldest first. */
  private readonly all = new Map<string, Connection>();
  /** In reserved places; the one whose last answer is the longest ago comes first. */
  private readonly reserved = new Set<Connection>();
  /** The oldest comes first. */
  private readonly others = new Set<Connection>();
  private opened = 0;
  private readonly sharing: Sharing;
  private readonly known = new WeakMap<Duplex, Connection>();
  /** Requests whose answers have not left. */
  underWay = 0;

  constructor(server: Server, limit: number, world: Pick<World, "now" | "set" | "soon">, answer: Answer) {
    this.limit = limit;
    this.world = world;
    this.answer = answer;
    // With TLS requests come on another socket, of the same client, once both have agreed on keys.
    const isSecure = server.listenerCount("secureConnection") > 0;
    this.sharing = new Sharing(world);
    const event = isSecure ? "secureConnection" : "connection";
    // Node's own listener reads requests from any stream that it is given.
    const [serve] = server.listeners(event) as ((this: Server, stream: Duplex) => void)[];
    server.off(event, serve);
    const read = (connection: Connection, socket: Socket) => {
      // Also if nobody reads its body.
      const isWhole = () => connection.current?.req.complete === true;
      connection.paced = new PacedSocket(socket, this.sharing, isWhole);
      this.known.set(connection.paced, connection);
      serve.call(server, connection.paced);
    };
    server.on("connection", (raw: Socket) => {
      const connection = this.open(raw);
      if (!isSecure) read(connection, raw);
    });
    server.on("secureConnection", (socket: Socket) => {
      const connection = this.all.get(keyOf(socket));
      if (connection === undefined) socket.destroy();
      else read(connection, socket);
    });
    // Node would refuse expectations that it does not know by itself, before anybody has looked at the host. They bind nobody.
    for (const event of ["request", "checkExpectation"]) {
      server.on(event, (incoming: IncomingMessage, outgoing: ServerResponse) => this.hear(incoming, outgoing));
    }
    server.on("clientError", (error: NodeJS.ErrnoException, socket) => this.refuse(error, socket));
  }

  /** Whether an answer is due on a connection: then it is not closed in favour of others. */
  setDue(socket: Duplex, isDue: boolean): void {
    const connection = this.known.get(socket);
    if (connection !== undefined) connection.isDue = isDue;
  }

  /** The answer is an event stream. */
  keep(socket: Duplex): void {
    this.setDue(socket, true);
    this.known.get(socket)?.paced?.endAtOnce();
  }

  private open(raw: Socket): Connection {
    // The clients of a Unix socket have no addresses.
    const key = raw.remotePort === undefined ? `${this.opened++}` : keyOf(raw);
    const connection: Connection = {
      raw,
      paced: null,
      current: null,
      latest: null,
      waiting: [],
      answeredAt: 0,
      isDue: false,
      farewell: null,
    };
    this.all.set(key, connection);
    this.others.add(connection);
    raw.once("close", () => {
      if (this.all.get(key) === connection) this.all.delete(key);
      this.forget(connection);
    });
    this.sharing.isFull = this.others.size + this.reserved.size > this.limit;
    if (this.sharing.isFull) this.evict();
    return connection;
  }

  private evict(): void {
    const victim = idle(this.others) ?? idle(this.reserved);
    if (victim === undefined) return;
    this.forget(victim);
    victim.raw.destroy();
  }

  /** It has been answered, and gets a reserved place if there is one. */
  private reserve(connection: Connection): void {
    const now = this.world.now();
    connection.answeredAt = now;
    if (!this.reserved.has(connection) && this.reserved.size >= this.limit / 2) {
      const [eldest] = this.reserved;
      if (now - eldest.answeredAt < RESERVED) return;
      this.reserved.delete(eldest);
      this.others.add(eldest);
    }
    this.forget(connection);
    this.reserved.add(connection);
  }

  private forget(connection: Connection): void {
    this.others.delete(connection);
    this.reserved.delete(connection);
  }

  private hear(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const { socket, headers } = incoming;
    const connection = this.known.get(socket);
    if (connection === undefined) return void socket.destroy();
    // Nothing is upgraded here, and Node drops what comes after such a request.
    if (headers.upgrade !== undefined) outgoing.setHeader("connection", "close");
    connection.latest = outgoing;
    if (connection.current === null) this.begin(connection, incoming, outgoing);
    else connection.waiting.push([incoming, outgoing]);
  }

  private begin(connection: Connection, incoming: IncomingMessage, outgoing: ServerResponse): void {
    connection.current = outgoing;
    this.underWay++;
    connection.paced?.hold(!hasBody(incoming));
    outgoing.once("close", () => {
      connection.current = null;
      this.underWay--;
      if (!connection.raw.destroyed) this.reserve(connection);
      this.goOn(connection);
    });
    this.answer(incoming, outgoing);
  }

  private goOn(connection: Connection): void {
    const { paced, waiting, farewell } = connection;
    const next = waiting.shift();
    if (paced === null || paced.destroyed) return;
    if (next !== undefined) this.begin(connection, ...next);
    else if (farewell !== null) paced.end(farewell);
    else paced.hold(false);
  }

  private refuse(error: NodeJS.ErrnoException, socket: Duplex): void {
    const connection = this.known.get(socket);
    if (!socket.writable || connection === undefined || connection.farewell !== null) return void socket.destroy();
    const { current, latest, waiting, paced } = connection;
    // What comes behind it is broken too.
    paced?.hold(true);
    // A request whose own body is broken has one answer: this one, or the one that it has been given already.
    const isBody = latest !== null && !latest.req.complete;
    connection.farewell = isBody && latest.headersSent ? "" : farewell(error);
    if (isBody) waiting.pop();
    if (current === null || (isBody && current === latest && !current.headersSent)) socket.end(connection.farewell);
    const cancel = this.world.set(PATIENCE, () => socket.destroy());
    socket.once("close", cancel);
  }
}

/** The first on which no answer is due. */
function idle(connections: Iterable<Connection>): Connection | undefined {
  for (const connection of connections) if (!connection.isDue) return connection;
  return undefined;
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;

/** Of a client; the same for a socket and for TLS on top of it. */
const keyOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;

function farewell({ code }: NodeJS.ErrnoException): string {
  const [kind, what, advice] = KINDS[code ?? ""] ?? OTHER;
  const problem = problemOf(new ApiError(kind, what, advice));
  const body = `${JSON.stringify(problem)}\n`;
  return [
    `HTTP/1.1 ${problem.status} ${statusTitle(problem.status)}`,
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
