/** The payloads that the members of one election send each other, and their form as bytes. */
import type { Port } from "../protocol.ts";
import { ByteReader, ByteWriter, Malformed } from "../wire/bytes.ts";

/** Which election a payload belongs to: a digest of everything that its members must agree on. */
export const ELECTION_BYTES = 8;
/** Which members, in which of their lives, take part in it: another digest, see gathering.ts. */
export const ROSTER_BYTES = 6;

/** What a member that has begun sends; who began with another roster does not hear it. */
export type Spoken =
  /** A message of the protocol; `port` is the one at which it arrives, `body` the message in the codec's form. */
  | { readonly kind: "message"; readonly port: Port; readonly body: Uint8Array }
  /** A multicast of node `origin` on its way through the group. */
  | { readonly kind: "rumour"; readonly origin: number; readonly number: number; readonly body: Uint8Array };

export type Gathered =
  /** "I am here; shall we begin?", to the convenor; `isPrepared`: and I have met my neighbours. */
  | { readonly kind: "ready"; readonly isPrepared: boolean }
  /** "Not yet." */
  | { readonly kind: "wait" }
  /** "Begin", with the roster that its receiver is on. */
  | { readonly kind: "word"; readonly roster: number; readonly convenor: number }
  /** "It has begun"; whether with you, the convenor knows. */
  | { readonly kind: "begun"; readonly convenor: number };

export type Frame = (Spoken & { readonly roster: number }) | Gathered;

/** The position in this list is what is sent: add at its end, never reorder. */
const KINDS = ["message", "rumour", "ready", "wait", "word", "begun"] as const;

/** What stands before the body at most: the election, the kind, the roster and two numbers of up to eight groups. */
export const LARGEST_FRAME_HEAD = ELECTION_BYTES + 1 + ROSTER_BYTES + 2 * 8;

export function writeFrame(election: Uint8Array, frame: Frame): Uint8Array {
  const writer = new ByteWriter();
  writer.bytes(election);
  writer.byte(KINDS.indexOf(frame.kind));
  if ("roster" in frame) writer.unsigned(frame.roster, ROSTER_BYTES);
  if (frame.kind === "message") writer.varint(frame.port);
  if (frame.kind === "rumour") {
    writer.varint(frame.origin);
    writer.varint(frame.number);
  }
  if (frame.kind === "ready") writer.byte(frame.isPrepared ? 1 : 0);
  if ("convenor" in frame) writer.varint(frame.convenor);
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
  const roster = () => reader.unsigned(ROSTER_BYTES);
  switch (kind) {
    case "message":
      return { kind, roster: roster(), port: reader.varint(), body: reader.rest() };
    case "rumour":
      return { kind, roster: roster(), origin: reader.varint(), number: reader.varint(), body: reader.rest() };
    case "ready":
      return { kind, isPrepared: reader.byte() !== 0 };
    case "wait":
      return { kind };
    case "word":
      return { kind, roster: roster(), convenor: reader.varint() };
    case "begun":
      return { kind, convenor: reader.varint() };
    case undefined:
      throw new Malformed("a frame of an unknown kind");
  }
}
