/** How messages travel to one neighbour: as they come, in order, or reliably. The protocol's assumptions decide. */
import type { Assumptions, Port } from "../protocol.ts";
import type { Counters, DatagramKind } from "./counters.ts";
import type { Frame } from "./frames.ts";
import { ReliableLink } from "./reliable-link.ts";

export interface Wire {
  readonly counters: Counters;
  /** Milliseconds within which a message should arrive: retransmissions are to come in time. */
  readonly tau: number;
  send(frame: Frame, kind: DatagramKind): void;
  /** Whether frames leave at once, or still wait for an introduction. */
  ready(): boolean;
  deliver(port: Port, body: Uint8Array): void;
}

export type Numbered = Extract<Frame, { kind: "numbered" }>;
export type Acknowledge = Extract<Frame, { kind: "acknowledge" }>;

export interface Link {
  send(port: Port, body: Uint8Array): void;
  /** `life` changes when the neighbour has restarted; `newest` is false for what a former life had sent. */
  receive(frame: Frame, life: number, newest: boolean): void;
  /** The neighbour has restarted and knows nothing of what it was sent. */
  restarted(): void;
  /** Nothing waits for an acknowledgement. */
  readonly idle: boolean;
  close(): void;
}

export function linkFor({ tolerates, fifo }: Assumptions, wire: Wire): Link {
  if (!tolerates.includes("loss")) return new ReliableLink(wire);
  return fifo ? new OrderedLink(wire) : new PlainLink(wire);
}

/** For protocols that bear loss: nothing is added. */
class PlainLink implements Link {
  readonly idle = true;
  protected readonly wire: Wire;

  constructor(wire: Wire) {
    this.wire = wire;
  }

  send(port: Port, body: Uint8Array): void {
    this.wire.send({ kind: "message", port, body }, "message");
  }

  receive(frame: Frame, _life: number, _newest: boolean): void {
    if (frame.kind === "message") this.wire.deliver(frame.port, frame.body);
    else this.wire.counters.drop("malformed");
  }

  restarted(): void {}

  close(): void {}
}

/** For protocols that bear loss but not disorder: what has been overtaken counts as lost. */
class OrderedLink extends PlainLink {
  private sent = 0;
  private expected = 0;
  private life: number | null = null;

  override send(port: Port, body: Uint8Array): void {
    this.wire.send({ kind: "numbered", stream: 0, number: this.sent++, port, body }, "message");
  }

  override receive(frame: Frame, life: number, newest: boolean): void {
    if (life !== this.life && newest) {
      this.life = life;
      this.expected = 0;
    }
    if (frame.kind !== "numbered") this.wire.counters.drop("malformed");
    else if (life !== this.life || frame.number < this.expected) this.wire.counters.drop("duplicate");
    else {
      this.expected = frame.number + 1;
      this.wire.deliver(frame.port, frame.body);
    }
  }
}
