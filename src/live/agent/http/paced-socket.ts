/**
 * A connection that gives its bytes to Node's parser of HTTP request by request, and none while one is under way. Node itself reads on,
 * and handles all requests of 64 KiB in one turn: more than a thousand, each with objects that stay until its answer has left.
 */
import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import type { World } from "../../world.ts";

/** What ends the headers of a request. */
const END = Buffer.from("\r\n\r\n");
/** Bytes that are passed on at once, at most; with more, a connection is read no further. */
export const LARGEST_PIECE = 4096;
/** Requests that a client may send ahead of its answers. A client that sends more at once is cut off. */
const MOST_AHEAD = 256;

/** Bytes that all connections together hold ahead of their answers, before those with more than a piece are cut off. */
const MOST_BYTES_AHEAD = 8 * 1024 * 1024;

/** One after the other, each in a turn of its own. */
class ShortTurns {
  private readonly world: Pick<World, "soon">;
  private readonly next: (waiting: PacedSocket[]) => PacedSocket | undefined;
  private readonly waiting: PacedSocket[] = [];
  private isScheduled = false;

  constructor(world: Pick<World, "soon">, next: (waiting: PacedSocket[]) => PacedSocket | undefined) {
    this.world = world;
    this.next = next;
  }

  add(socket: PacedSocket): void {
    this.waiting.push(socket);
    this.schedule();
  }

  remove(socket: PacedSocket): void {
    const place = this.waiting.indexOf(socket);
    if (place >= 0) this.waiting.splice(place, 1);
  }

  private schedule(): void {
    if (this.isScheduled || this.waiting.length === 0) return;
    this.isScheduled = true;
    this.world.soon(() => this.run());
  }

  private run(): void {
    this.isScheduled = false;
    const socket = this.next(this.waiting);
    this.schedule();
    socket?.passOn();
  }
}

/**
 * What all connections share. Each passes bytes on in a turn of its own: Node accepts one connection in each turn of the event loop, and
 * new clients would wait as long as all others are served. New clients have turns to themselves. If there are too many, the newest of
 * them is first: the oldest are closed, and a queue would serve those who are closed before it is their turn.
 */
export class Sharing {
  readonly first: ShortTurns;
  readonly later: ShortTurns;
  bytesAhead = 0;
  /** Whether a connection was closed for the newest one. */
  isFull = false;

  constructor(world: Pick<World, "soon">) {
    this.first = new ShortTurns(world, (waiting) => (this.isFull ? waiting.pop() : waiting.shift()));
    this.later = new ShortTurns(world, (waiting) => waiting.shift());
  }
}

export class PacedSocket extends Duplex {
  private readonly raw: Socket;
  private readonly sharing: Sharing;
  private readonly isWhole: () => boolean;
  /** Nothing has been passed on so far. */
  private isNew = true;
  /** What was read and not passed on, and the bytes of the piece of memory that it is in. */
  private rest: Buffer | null = null;
  private restSize = 0;
  /** Of the bytes that all connections hold. */
  private bytesAhead = 0;
  private isWanted = false;
  /** The client sends no more; what it has sent is answered first. */
  private hasEnded = false;
  private isHeld = false;
  private isEndless = false;
  /** Bytes that came behind an answer without end. */
  private skipped = 0;
  private isScheduled = false;

  /** `isWhole`: all of the request under way has been passed on, so nothing more is. */
  constructor(raw: Socket, sharing: Sharing, isWhole: () => boolean) {
    super({ allowHalfOpen: true });
    this.raw = raw;
    this.sharing = sharing;
    this.isWhole = isWhole;
    raw.on("readable", () => {
      this.readOn();
      this.skim();
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

  /**
   * The answer under way has no end. The end of the client is passed on also while it is held. What else the client sends is never
   * passed on, so it may send a piece at most: requests share the room that all connections have.
   */
  endAtOnce(): void {
    this.isEndless = true;
    if (this.hasEnded) this.push(null);
    else this.raw.once("end", () => this.push(null));
    this.skim();
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
    this.isWanted = true;
    this.readOn();
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
    this.count();
    const { first, later } = this.sharing;
    if (this.isScheduled) (this.isNew ? first : later).remove(this);
    done(error);
  }

  /** Reads, unless something is left of what was read before. */
  private readOn(): void {
    if (!this.isWanted || this.rest !== null || this.destroyed) return;
    const chunk: Buffer | null = this.raw.read();
    if (chunk === null) return;
    if (isFlood(chunk)) return void this.destroy();
    this.isWanted = false;
    this.rest = chunk;
    this.restSize = chunk.length;
    this.passOnSoon();
  }

  /** Reads what will never be passed on, or its client's end would not be seen; and cuts off who sends too much. */
  private skim(): void {
    if (this.isEndless && this.isWhole() && !this.destroyed) {
      const more: Buffer | null = this.raw.read();
      this.skipped += (this.rest?.length ?? 0) + (more?.length ?? 0);
      this.rest = null;
    }
    this.count();
    const isTooMuch = this.isEndless || this.sharing.bytesAhead > MOST_BYTES_AHEAD;
    if (isTooMuch && this.bytesAhead + this.skipped > LARGEST_PIECE) this.destroy();
  }

  private count(): void {
    const bytes = this.destroyed ? 0 : (this.rest === null ? 0 : this.restSize) + this.raw.readableLength;
    this.sharing.bytesAhead += bytes - this.bytesAhead;
    this.bytesAhead = bytes;
  }

  /** One piece in each turn: within a turn the parser says whether a request has come with it. */
  passOn(): void {
    this.isNew = false;
    this.isScheduled = false;
    if (this.isHeld || this.isWhole()) return void this.skim();
    if (this.rest === null) {
      if (this.hasEnded) this.push(null);
      return;
    }
    const end = this.rest.indexOf(END);
    const size = Math.min(end < 0 ? this.rest.length : end + END.length, LARGEST_PIECE);
    const piece = this.rest.subarray(0, size);
    this.rest = this.rest.length > size ? this.rest.subarray(size) : null;
    this.count();
    this.push(piece);
    this.passOnSoon();
  }

  /** Not at once: the parser may be in the middle of a piece. */
  private passOnSoon(): void {
    if ((this.rest === null && !this.hasEnded) || this.isHeld || this.isScheduled) return;
    this.isScheduled = true;
    const { first, later } = this.sharing;
    (this.isNew ? first : later).add(this);
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
