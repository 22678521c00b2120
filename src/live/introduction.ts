/**
 * The three steps by which two members come to share a session, as bytes:
 *
 *   A -> B   hello       A's salt; padded, so that its answer is not longer
 *   B -> A   challenge   a cookie of B's, which is B's salt as well: B keeps nothing
 *   A -> B   response    salt and cookie, and A's first payload
 */
import type { Id } from "../protocol.ts";
import { ByteReader, ByteWriter, Malformed } from "../wire/bytes.ts";
import { COUNTER_BYTES, LARGEST_BODY, VERSION } from "./datagrams.ts";
import { COOKIE_BYTES } from "./sealing.ts";

export const SALT_BYTES = 16;
const ID_BYTES = 8;
export const LIFE_BYTES = 6;

/** `life`: a number that the sender drew when it started; another one means that it has restarted. */
export type Step =
  | { readonly kind: "hello"; readonly sender: Id; readonly salt: Buffer }
  | {
      readonly kind: "challenge";
      readonly sender: Id;
      readonly life: number;
      readonly about: Buffer;
      readonly cookie: Buffer;
    }
  | {
      readonly kind: "response";
      readonly sender: Id;
      readonly life: number;
      readonly salt: Buffer;
      readonly cookie: Buffer;
      /** The sender's count in the new session, as in the head of a payload. */
      readonly counter: number;
      /** Empty where there is nothing to say yet. */
      readonly payload: Uint8Array;
    };

/** The position in this list is what is sent: add at its end, never reorder. */
const KINDS = ["hello", "challenge", "response"] as const;

const CHALLENGE_BYTES = 1 + ID_BYTES + LIFE_BYTES + SALT_BYTES + COOKIE_BYTES;
const RESPONSE_HEAD = CHALLENGE_BYTES + COUNTER_BYTES;
export const LARGEST_PAYLOAD = LARGEST_BODY - RESPONSE_HEAD;

export function writeStep(step: Step): Uint8Array {
  const writer = new ByteWriter();
  writer.byte(KINDS.indexOf(step.kind));
  writer.long(BigInt(step.sender));
  if (step.kind === "hello") {
    // The oldest and the newest version that the sender speaks.
    writer.byte(VERSION);
    writer.byte(VERSION);
    writer.bytes(step.salt);
    writer.bytes(Buffer.alloc(CHALLENGE_BYTES - (1 + ID_BYTES + 2 + SALT_BYTES)));
    return writer.done();
  }
  writer.unsigned(step.life, LIFE_BYTES);
  writer.bytes(step.kind === "challenge" ? step.about : step.salt);
  writer.bytes(step.cookie);
  if (step.kind === "response") {
    writer.unsigned(step.counter, COUNTER_BYTES);
    writer.bytes(step.payload);
  }
  return writer.done();
}

/** Throws `Malformed`; "version" for a hello of somebody who does not speak ours. */
export function readStep(body: Uint8Array): Step | "version" {
  const reader = new ByteReader(body);
  const kind = KINDS[reader.byte()];
  const sender = Number(reader.long());
  if (!Number.isSafeInteger(sender)) throw new Malformed("an id is too large");
  if (kind === "hello") {
    const [oldest, newest] = [reader.byte(), reader.byte()];
    const salt = Buffer.from(reader.bytes(SALT_BYTES));
    if (body.length < CHALLENGE_BYTES) throw new Malformed("a hello is shorter than its answer");
    return oldest <= VERSION && VERSION <= newest ? { kind, sender, salt } : "version";
  }
  if (kind === undefined) throw new Malformed("a step of an unknown kind");
  const life = reader.unsigned(LIFE_BYTES);
  const [salt, cookie] = [SALT_BYTES, COOKIE_BYTES].map((length) => Buffer.from(reader.bytes(length)));
  if (kind === "response") {
    return { kind, sender, life, salt, cookie, counter: reader.unsigned(COUNTER_BYTES), payload: reader.rest() };
  }
  reader.end();
  return { kind, sender, life, about: salt, cookie };
}
