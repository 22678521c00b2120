/**
 * Order and delivery over datagrams that may be lost, for protocols that assume reliable links: numbers, cumulative
 * acknowledgements, retransmission after a time that follows the measured round trip (RFC 6298), bounded queues. When
 * the other side does not answer for `PATIENCE`, what waits is given up and counted: then the link was not reliable.
 */
import type { Port } from "../protocol.ts";
import type { Frame } from "./frames.ts";
import type { Acknowledge, Link, Numbered, Wire } from "./link.ts";

/** Frames on their way at one time; more wait. */
const WINDOW = 64;
/** Messages that wait on either side; more are dropped, and counted. */
const LONGEST_QUEUE = 4096;
/** Milliseconds, as everything here; below them, a share of tau that leaves time for two retransmissions. */
const FIRST_TIMEOUT = 30;
const SHORTEST_TIMEOUT = 10;
const LONGEST_TIMEOUT = 500;
const SHARE_OF_TAU = 1 / 4;
const PATIENCE = 60_000;
/** How much longer each further time-out is. */
const BACKOFF = 1.5;

interface Waiting {
  readonly port: Port;
  readonly body: Uint8Array;
  sentAt: number;
  times: number;
}

export class ReliableLink implements Link {
  private readonly wire: Wire;
  private stream = 0;
  /** The number of the first message in `queue`; all before it have been acknowledged. */
  private first = 0;
  private queue: Waiting[] = [];
  private timer: NodeJS.Timeout | null = null;
  private smoothed: number | null = null;
  private deviation = 0;
  private backoff = 1;
  /** When the other side was last heard of, or this link last began to wait for it. */
  private heard = 0;

  private life: number | null = null;
  private inStream = 0;
  private expected = 0;
  private readonly early = new Map<number, Numbered>();

  constructor(wire: Wire) {
    this.wire = wire;
  }

  get idle(): boolean {
    return this.queue.length === 0;
  }

  send(port: Port, body: Uint8Array): void {
    if (this.queue.length === LONGEST_QUEUE) {
      this.wire.counters.drop("overflow");
      return;
    }
    if (this.queue.length === 0) this.heard = performance.now();
    this.queue.push({ port, body, sentAt: 0, times: 0 });
    if (this.queue.length <= WINDOW) this.transmit(this.queue.length - 1);
    this.schedule();
  }

  receive(frame: Frame, life: number, newest: boolean): void {
    if (frame.kind === "acknowledge") this.acknowledged(frame);
    else if (frame.kind === "numbered") this.arrived(frame, life, newest);
    else this.wire.counters.drop("malformed");
  }

  /** Numbers start again, with what the neighbour's former life had not acknowledged. */
  restarted(): void {
    this.stream++;
    this.first = 0;
    this.backoff = 1;
    for (const waiting of this.queue) waiting.times = 0;
    for (let i = 0; i < Math.min(WINDOW, this.queue.length); i++) this.transmit(i);
  }

  close(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    this.queue = [];
  }

  private transmit(index: number): void {
    const waiting = this.queue[index];
    waiting.sentAt = performance.now();
    const { port, body } = waiting;
    const kind = waiting.times++ === 0 ? "message" : "retransmission";
    this.wire.send({ kind: "numbered", stream: this.stream, number: this.first + index, port, body }, kind);
  }

  private schedule(): void {
    if (this.timer !== null || this.queue.length === 0) return;
    const share = SHARE_OF_TAU * this.wire.tau;
    const estimate = this.smoothed === null ? Math.min(FIRST_TIMEOUT, share) : this.smoothed + 4 * this.deviation;
    const timeout = Math.min(LONGEST_TIMEOUT, Math.max(Math.min(SHORTEST_TIMEOUT, share), estimate) * this.backoff);
    this.timer = setTimeout(() => {
      this.timer = null;
      this.retransmit(timeout);
      this.schedule();
    }, timeout);
  }

  private retransmit(timeout: number): void {
    const now = performance.now();
    if (now - this.heard > PATIENCE) {
      this.wire.counters.drop("undeliverable", this.queue.length);
      this.queue = [];
      this.restarted();
    } else if (this.wire.ready()) {
      this.backoff *= BACKOFF;
      for (let i = 0; i < Math.min(WINDOW, this.queue.length); i++) {
        if (this.queue[i].times === 0 || now - this.queue[i].sentAt >= 0.9 * timeout) this.transmit(i);
      }
    }
  }

  private acknowledged({ stream, next }: Acknowledge): void {
    if (stream !== this.stream || next > this.first + this.queue.length) return;
    this.heard = performance.now();
    if (next <= this.first) return;
    const confirmed = this.queue.splice(0, next - this.first);
    this.first = next;
    // A message that was sent twice says nothing about the round trip (Karn and Partridge, 1987), and the longer time-out
    // is taken back only step by step: else a slow receiver would be sent everything twice.
    const last = confirmed[confirmed.length - 1];
    if (last.times > 1) this.backoff = Math.max(1, this.backoff / BACKOFF);
    else {
      this.measure(performance.now() - last.sentAt);
      this.backoff = 1;
    }
    for (let i = 0; i < Math.min(WINDOW, this.queue.length); i++) if (this.queue[i].times === 0) this.transmit(i);
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    this.schedule();
  }

  private measure(roundTrip: number): void {
    if (this.smoothed === null) {
      this.smoothed = roundTrip;
      this.deviation = roundTrip / 2;
    } else {
      this.deviation = 0.75 * this.deviation + 0.25 * Math.abs(this.smoothed - roundTrip);
      this.smoothed = 0.875 * this.smoothed + 0.125 * roundTrip;
    }
  }

  private arrived(frame: Numbered, life: number, newest: boolean): void {
    const { counters } = this.wire;
    if (life !== this.life && newest) this.beginStream(life, frame.stream);
    if (life !== this.life || frame.stream < this.inStream) {
      counters.drop("duplicate");
      return;
    }
    if (frame.stream > this.inStream) this.beginStream(life, frame.stream);
    if (frame.number < this.expected || this.early.has(frame.number)) counters.drop("duplicate");
    else if (frame.number >= this.expected + LONGEST_QUEUE) counters.drop("overflow");
    else this.early.set(frame.number, frame);
    const due: Numbered[] = [];
    for (let next = this.early.get(this.expected); next !== undefined; next = this.early.get(this.expected)) {
      this.early.delete(this.expected++);
      due.push(next);
    }
    // Acknowledged once it has been acted on, so that a crash in between loses nothing.
    const acknowledgement = { kind: "acknowledge", stream: this.inStream, next: this.expected } as const;
    for (const { port, body } of due) this.wire.deliver(port, body);
    this.wire.send(acknowledgement, "acknowledgement");
  }

  private beginStream(life: number, stream: number): void {
    this.life = life;
    this.inStream = stream;
    this.expected = 0;
    this.early.clear();
  }
}
