/**
 * A chunk in the hands of a worker, with signs of life until it is given back. A queue that was made anew numbers its messages from one again, and
 * takes a word about an old number for one about the new message: so after each reconnection it is asked whether this is still the same.
 */
import type { JsMsg } from "@nats-io/jetstream";
import type { Chunk } from "../../statistics/chunk.ts";
import type { Nats } from "./connect.ts";
import { ACK_WAIT, CHUNKS } from "./subjects.ts";

export class HeldChunk {
  readonly id: string;
  readonly chunk: Pick<Chunk, "first" | "count">;
  /** How often it was given to somebody, this time included. */
  readonly tries: number;
  private readonly nats: Nats;
  private readonly message: JsMsg;
  private readonly timer: NodeJS.Timeout;
  private epoch: number;

  constructor(nats: Nats, message: JsMsg) {
    const [id, first, count] = message.subject.split(".").slice(4);
    this.id = id;
    this.chunk = { first: Number(first), count: Number(count) };
    this.tries = message.info.deliveryCount;
    this.nats = nats;
    this.message = message;
    this.epoch = nats.troubles.epoch;
    this.timer = setInterval(() => void this.say(() => message.working()), ACK_WAIT / 3);
  }

  /** It is done, and leaves the queue. */
  done(): Promise<void> {
    return this.giveBack(() => this.message.ack());
  }

  /** Nobody wants it any more. */
  drop(): Promise<void> {
    return this.giveBack(() => this.message.term());
  }

  /** For another try, here or elsewhere. */
  again(after: number): Promise<void> {
    return this.giveBack(() => this.message.nak(after));
  }

  private giveBack(word: () => void): Promise<void> {
    clearInterval(this.timer);
    return this.say(word);
  }

  /** What is not said costs the time after which the queue gives it to another. */
  private async say(word: () => void): Promise<void> {
    if (await this.isTheSame().catch(() => false)) word();
  }

  private async isTheSame(): Promise<boolean> {
    const { nats, message } = this;
    const { epoch, isConnected } = nats.troubles;
    if (!isConnected) return false;
    if (epoch === this.epoch) return true;
    const there = await nats.jsm.streams.getMessage(CHUNKS, { seq: message.info.streamSequence });
    if (there?.subject !== message.subject) return false;
    this.epoch = epoch;
    return true;
  }
}
