/** What is inside a sealed datagram: who sent it, and either a payload or a step of the introduction. */
import type { Id } from "../protocol.ts";
import { ByteReader, ByteWriter, Malformed } from "../wire/bytes.ts";
import { SALT_BYTES } from "./seal.ts";
import { COOKIE_BYTES } from "./sessions.ts";

/**
 * hello: does the receiver know this session? challenge: no; return the cookie. response: here it is. welcome: now it
 * does. `about` is the salt of the session in question, `life` a number that its sender drew when it started.
 */
export type Envelope =
  | { readonly kind: "hello"; readonly sender: Id }
  | { readonly kind: "challenge"; readonly sender: Id; readonly about: string; readonly cookie: Uint8Array }
  | { readonly kind: "response"; readonly sender: Id; readonly life: number; readonly cookie: Uint8Array }
  | { readonly kind: "welcome"; readonly sender: Id; readonly about: string }
  | { readonly kind: "payload"; readonly sender: Id; readonly payload: Uint8Array };

/** The position in this list is what is sent: add at its end, never reorder. */
const KINDS = ["hello", "challenge", "response", "welcome", "payload"] as const;

const LIFE_BYTES = 4;
/** The longest the fields before a payload can be: a kind and an id of up to eight groups of seven bits. */
export const LARGEST_ENVELOPE_HEAD = 1 + 8;

export function writeEnvelope(envelope: Envelope): Uint8Array {
  const writer = new ByteWriter();
  writer.byte(KINDS.indexOf(envelope.kind));
  writer.varint(envelope.sender);
  if (envelope.kind === "response") writer.unsigned(envelope.life, LIFE_BYTES);
  if (envelope.kind === "challenge" || envelope.kind === "welcome") writer.bytes(Buffer.from(envelope.about, "hex"));
  if (envelope.kind === "challenge" || envelope.kind === "response") writer.bytes(envelope.cookie);
  if (envelope.kind === "payload") writer.bytes(envelope.payload);
  return writer.done();
}

/** Throws `Malformed`. */
export function readEnvelope(body: Uint8Array): Envelope {
  const reader = new ByteReader(body);
  const kind = KINDS[reader.byte()];
  const sender = reader.varint();
  const envelope = readContent(reader, kind, sender);
  reader.end();
  return envelope;
}

function readContent(reader: ByteReader, kind: Envelope["kind"] | undefined, sender: Id): Envelope {
  const about = () => reader.hex(SALT_BYTES);
  const cookie = () => reader.bytes(COOKIE_BYTES);
  switch (kind) {
    case "hello":
      return { kind, sender };
    case "challenge":
      return { kind, sender, about: about(), cookie: cookie() };
    case "response":
      return { kind, sender, life: reader.unsigned(LIFE_BYTES), cookie: cookie() };
    case "welcome":
      return { kind, sender, about: about() };
    case "payload":
      return { kind, sender, payload: reader.rest() };
    case undefined:
      throw new Malformed("an envelope of an unknown kind");
  }
}
