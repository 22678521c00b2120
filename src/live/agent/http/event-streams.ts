/**
 * The readers of server-sent events. A reader that does not keep up is cut off, because what waits for it is memory of the agent.
 * What they are told comes from the member's thread (event-log.ts).
 */
import type { ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { type Cancel, every, type World } from "../../world.ts";
import type { Asks } from "./asks.ts";
import { ApiError, GivenProblem, type HttpExchange } from "./problem.ts";
import type { StreamLimits } from "./thread.ts";

interface Stream {
  readonly outgoing: ServerResponse;
  /** Bytes that had left by the last sign of life. */
  taken: number;
}

const HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "cross-origin-resource-policy": "same-origin",
  // Proxies that collect answers would keep events back.
  "x-accel-buffering": "no",
};

/** Bytes that may wait for all readers together. */
const MOST_WAITING = 16 * 1024 * 1024;

/** A client of our own would come back after this many milliseconds. */
const RETRY = 1000;

interface StreamsSetup {
  readonly world: World;
  readonly limits: StreamLimits;
  readonly asks: Pick<Asks, "read">;
  /** A stream keeps its connection, also if too many are open, and ends as soon as the client does. */
  keep(connection: Duplex): void;
  /** The number of open streams has changed. */
  counted(count: number): void;
}

export class EventStreams {
  private readonly setup: StreamsSetup;
  private readonly readers = new Set<Stream>();
  /** Streams whose first words have been asked for. */
  private opening = 0;
  private beat: Cancel | null = null;
  private isClosed = false;

  constructor(setup: StreamsSetup) {
    this.setup = setup;
  }

  /** Resolves when the stream is open, or the answer to HEAD has been sent. */
  async open({ incoming, outgoing }: HttpExchange): Promise<void> {
    if (incoming.method === "HEAD") return void outgoing.writeHead(200, HEADERS).end();
    const { streams } = this.setup.limits;
    if (this.isClosed || this.readers.size + this.opening >= streams) {
      throw new ApiError(
        "TOO_MANY",
        this.isClosed ? "the agent is about to end" : `${streams} event streams are open already`,
        "close one, or ask again later",
        { "retry-after": "5" },
      );
    }
    const lastEventId = incoming.headers["last-event-id"];
    const request = {
      params: {},
      query: lastEventId === undefined ? {} : { lastEventId: String(lastEventId) },
      body: null,
      from: undefined,
    };
    this.opening++;
    return new Promise<void>((resolve, reject) => {
      this.setup.asks.read("events", request, (first) => {
        this.opening--;
        if (first instanceof GivenProblem) return reject(first);
        if (!outgoing.destroyed) this.begin(outgoing, first);
        resolve();
      });
    });
  }

  publish(text: string): void {
    for (const stream of [...this.readers]) this.tell(stream, text);
  }

  /** Every reader is told the last event; nobody is waited for. */
  close(last: string): void {
    this.isClosed = true;
    for (const { outgoing } of [...this.readers]) outgoing.end(last);
    this.beat?.();
    this.beat = null;
  }

  private begin(outgoing: ServerResponse, first: string): void {
    const stream: Stream = { outgoing, taken: 0 };
    if (outgoing.socket !== null) this.setup.keep(outgoing.socket);
    outgoing.writeHead(200, HEADERS);
    this.readers.add(stream);
    this.setup.counted(this.readers.size);
    this.beat ??= every(this.setup.world, this.setup.limits.beat, () => this.pulse());
    outgoing.once("close", () => this.forget(stream));
    outgoing.write(`retry: ${RETRY}\n\n${first}`);
  }

  private tell({ outgoing }: Stream, said: string): void {
    const most = Math.min(this.setup.limits.backlog, MOST_WAITING / this.readers.size);
    if (outgoing.writableLength > most) outgoing.destroy();
    else outgoing.write(said);
  }

  private pulse(): void {
    for (const stream of [...this.readers]) {
      const { outgoing, taken } = stream;
      const waiting = outgoing.writableLength;
      stream.taken = (outgoing.socket?.bytesWritten ?? 0) - waiting;
      if (waiting > 0 && stream.taken === taken) outgoing.destroy();
      else this.tell(stream, ": still here\n\n");
    }
  }

  private forget(stream: Stream): void {
    this.readers.delete(stream);
    this.setup.counted(this.readers.size);
    if (this.readers.size > 0) return;
    this.beat?.();
    this.beat = null;
  }
}
