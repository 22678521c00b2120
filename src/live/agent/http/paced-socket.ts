/**
 * A connection that gives its bytes to Node's parser of HTTP request by request, and none while one is under way. Node itself reads on,
 * and handles all requests of 64 KiB in one turn: more than a thousand, each with objects that stay until its answer has left.
 */
import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import type { World } from "../../world.ts";

/** What ends the headers of a request. */
const END = Buffer.from("\r\n\r\n");
/** Bytes that are passed on at once, at most. */
const LARGEST_PIECE = 4096;
/** Requests that a client may send ahead of its answers. A client that sends more at once is cut off. */
const MOST_AHEAD = 256;

/**
 * What the connections want to do soon, one after the other, each in a turn of its own: Node accepts one connection in each turn of the
 * event loop, and new clients would wait as long as all others are served.
 */
export class ShortTurns implements Pick<World, "soon"> {
  private readonly world: Pick<World, "soon">;
  private readonly waiting = new Set<() => void>();
  private isScheduled = false;

  constructor(world: Pick<World, "soon">) {
    this.world = world;
  }

  soon(callback: () => void): void {
    this.waiting.add(callback);
    this.schedule();
  }

  private schedule(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    this.world.soon(() => this.run());
  }

  private run(): void {
    this.isScheduled = false;
    const [first] = this.waiting;
    this.waiting.delete(first);
    if (this.waiting.size > 0) this.schedule();
    first();
  }
}

/** New clients have turns of their own, so that they need not wait for all others. */
export interface Turns {
  readonly first: Pick<World, "soon">;
  readonly later: Pick<World, "soon">;
}

export class PacedSocket extends Duplex {
  private readonly raw: Socket;
  private readonly turns: Turns;
  /** Nothing has been passed on so far. */
  private isNew = true;
  /** What has come and was not passed on. */
  private rest: Buffer | null = null;
  /** The client sends no more; what it has sent is answered first. */
  private hasEnded = false;
  private isHeld = false;
  private isScheduled = false;

  constructor(raw: Socket, turns: Turns) {
    super({ allowHalfOpen: true });
    this.raw = raw;
    this.turns = turns;
    raw.on("data", (chunk: Buffer) => {
      if (isFlood(chunk)) return void raw.destroy();
      raw.pause();
      this.rest = chunk;
      this.passOnSoon();
    });
    raw.on("end", () => {
      this.hasEnded = true;
      this.passOnSoon();
    });
    raw.on("error", (error) => this.destroy(error));
    raw.on("close", () => this.destroy());
    raw.on("timeout", () => this.emit("timeout"));
  }

  /** While it is held, nothing more is passed on. */
  hold(isHeld: boolean): void {
    this.isHeld = isHeld;
    if (!isHeld) this.passOnSoon();
  }

  /** The end of the client is passed on also while it is held: the answer under way has no end. */
  endAtOnce(): void {
    if (this.hasEnded) this.push(null);
    else this.raw.once("end", () => this.push(null));
  }

  get remoteAddress(): string | undefined {
    return this.raw.remoteAddress;
  }

  get bytesWritten(): number {
    return this.raw.bytesWritten;
  }

  setTimeout(ms: number, callback?: () => void): this {
    this.raw.setTimeout(ms);
    if (callback !== undefined) this.once("timeout", callback);
    return this;
  }

  override _read(): void {
    if (this.rest === null) this.raw.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.raw.write(chunk, done);
  }

  override _writev(chunks: readonly { readonly chunk: Buffer }[], done: (error?: Error | null) => void): void {
    this.raw.write(Buffer.concat(chunks.map(({ chunk }) => chunk)), done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.raw.end(() => done());
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.rest = null;
    this.raw.destroy();
    done(error);
  }

  /** One piece in each turn: within a turn the parser says whether a request has come with it. */
  private passOn(): void {
    if (this.isHeld || this.isScheduled) return;
    if (this.rest === null) {
      if (this.hasEnded) this.push(null);
      return;
    }
    const end = this.rest.indexOf(END);
    const size = Math.min(end < 0 ? this.rest.length : end + END.length, LARGEST_PIECE);
    const piece = this.rest.subarray(0, size);
    this.rest = this.rest.length > size ? this.rest.subarray(size) : null;
    this.push(piece);
    this.passOnSoon();
  }

  /** Not at once: the parser may be in the middle of a piece. */
  private passOnSoon(): void {
    if ((this.rest === null && !this.hasEnded) || this.isHeld || this.isScheduled) return;
    this.isScheduled = true;
    const { first, later } = this.turns;
    (this.isNew ? first : later).soon(() => {
      this.isNew = false;
      this.isScheduled = false;
      this.passOn();
    });
  }
}

function isFlood(chunk: Buffer): boolean {
  let end = -END.length;
  for (let count = 0; count <= MOST_AHEAD; count++) {
    end = chunk.indexOf(END, end + END.length);
    if (end < 0) return false;
  }
  return true;
}
