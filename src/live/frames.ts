/** The payloads that the members of one election send each other, and their form as bytes. */
import type { Port } from "../protocol.ts";
import { ByteReader, ByteWriter, Malformed } from "../wire/bytes.ts";

/** Which election a payload belongs to: a digest of everything that its members must agree on. */
export const ELECTION_BYTES = 8;

export type Frame =
  /** A message of the protocol; `port` is the one at which it arrives, `body` the message in the codec's form. */
  | { readonly kind: "message"; readonly port: Port; readonly body: Uint8Array }
  /** The same, numbered: `stream` grows when the numbering starts again. */
  | {
      readonly kind: "numbered";
      readonly stream: number;
      readonly number: number;
      readonly port: Port;
      readonly body: Uint8Array;
    }
  /** All of the stream before `next` has arrived. */
  | { readonly kind: "acknowledge"; readonly stream: number; readonly next: number }
  /** «I am here» to the convenor, and «all are here: start» from it. */
  | { readonly kind: "ready" }
  | { readonly kind: "go" }
  /** A multicast of node `origin` on its way through the group. */
  | { readonly kind: "rumour"; readonly origin: number; readonly number: number; readonly body: Uint8Array };

/** The position in this list is what is sent: add at its end, never reorder. */
const KINDS = ["message", "numbered", "acknowledge", "ready", "go", "rumour"] as const;

/** What stands before the body at most: the election, the kind and three numbers of up to eight groups. */
export const LARGEST_FRAME_HEAD = ELECTION_BYTES + 1 + 3 * 8;

export function writeFrame(election: Uint8Array, frame: Frame): Uint8Array {
  const writer = new ByteWriter();
  writer.bytes(election);
  writer.byte(KINDS.indexOf(frame.kind));
  if (frame.kind === "numbered" || frame.kind === "acknowledge") writer.varint(frame.stream);
  if (frame.kind === "rumour") writer.varint(frame.origin);
  if (frame.kind === "numbered" || frame.kind === "rumour") writer.varint(frame.number);
  if (frame.kind === "acknowledge") writer.varint(frame.next);
  if (frame.kind === "message" || frame.kind === "numbered") writer.varint(frame.port);
  if ("body" in frame) writer.bytes(frame.body);
  return writer.done();
}

/** The election as text, to look it up by, and the rest; throws `Malformed`. */
export function readElection(payload: Uint8Array): { election: string; rest: Uint8Array } {
  const reader = new ByteReader(payload);
  return { election: reader.hex(ELECTION_BYTES), rest: reader.rest() };
}

/** Throws `Malformed`. */
export function readFrame(rest: Uint8Array): Frame {
  const reader = new ByteReader(rest);
  const frame = readContent(reader, KINDS[reader.byte()]);
  reader.end();
  return frame;
}

function readContent(reader: ByteReader, kind: Frame["kind"] | undefined): Frame {
  switch (kind) {
    case "message":
      return { kind, port: reader.varint(), body: reader.rest() };
    case "numbered":
      return { kind, stream: reader.varint(), number: reader.varint(), port: reader.varint(), body: reader.rest() };
    case "acknowledge":
      return { kind, stream: reader.varint(), next: reader.varint() };
    case "ready":
    case "go":
      return { kind };
    case "rumour":
      return { kind, origin: reader.varint(), number: reader.varint(), body: reader.rest() };
    case undefined:
      throw new Malformed("a frame of an unknown kind");
  }
}
