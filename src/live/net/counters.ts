/** What an endpoint has sent, received and dropped. */

/** Why a datagram, or a message in one, was not acted on. */
export type DropReason =
  /** Too short, too long, or sealed by a member that speaks another dialect. */
  | "malformed"
  | "version"
  | "unknown-key"
  /** Forged, damaged, or meant for somebody else. */
  | "unauthentic"
  | "replayed"
  /** Of an election that does not run here. */
  | "other-election"
  /** A message that the protocol does not accept from others. */
  | "unacceptable"
  /** Of this very process, or from its own address. */
  | "reflected"
  /** An answer to somebody that has not shown that it gets what is sent to its address. */
  | "unproven"
  /** To a name of which no address is known, or to something that is no address. */
  | "unresolved"
  /** A message larger than a datagram can be. */
  | "oversized"
  /** Refused by the operating system. */
  | "send-failed"
  /** Lost on purpose (--loss). */
  | "injected-loss";

/** retransmission: last words, said again. handshake: a proof of an address, and nothing else. */
export type DatagramKind = "message" | "retransmission" | "handshake";

/** What a member has sent, received and dropped. */
export class Counters {
  /** Datagrams handed to the socket, by what they carry. */
  readonly sent: Record<DatagramKind, number> = {
    message: 0,
    retransmission: 0,
    handshake: 0,
  };
  bytesSent = 0;
  /** Datagrams that came in, acted on or not. */
  received = 0;
  bytesReceived = 0;
  readonly drops: Partial<Record<DropReason, number>> = {};

  drop(reason: DropReason, count = 1): void {
    if (count > 0) this.drops[reason] = (this.drops[reason] ?? 0) + count;
  }

  get dropped(): number {
    return Object.values(this.drops).reduce((sum, count) => sum + count, 0);
  }

  get datagrams(): number {
    return Object.values(this.sent).reduce((sum, count) => sum + count, 0);
  }
}
