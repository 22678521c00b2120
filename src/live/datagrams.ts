/**
 * The outer form of every datagram: a head in clear, a sealed body, a tag (lengths in bytes).
 *
 *   introduction   version 1 | 0 | key id 4  | nonce 12  | sealed step    | tag 16
 *   payload        version 1 | 1 | session 6 | counter 6 | sealed payload | tag 16
 *
 * Introductions are sealed under a key of the ring and a random nonce: they are few, far fewer than the 2^32 that this
 * allows. Payloads have keys of their own for each session and direction, and the sender's count for a nonce.
 */
import type { KeyObject } from "node:crypto";
import { ByteReader, ByteWriter } from "../wire/bytes.ts";
import { KEY_ID_BYTES } from "./keyring.ts";
import { SESSION_BYTES, type Sealing, TAG_BYTES } from "./sealing.ts";

export const VERSION = 2;
const NONCE_BYTES = 12;
export const COUNTER_BYTES = 6;
const INTRODUCTION_HEAD = 2 + KEY_ID_BYTES + NONCE_BYTES;
const PAYLOAD_HEAD = 2 + SESSION_BYTES + COUNTER_BYTES;
const FORM = { introduction: 0, payload: 1 } as const;

/** Below the smallest path MTU that is common on the Internet, so that no datagram is cut into pieces on its way. */
export const LARGEST_DATAGRAM = 1400;
/** Of an introduction, whose head is the longer one. */
export const LARGEST_BODY = LARGEST_DATAGRAM - INTRODUCTION_HEAD - TAG_BYTES;

export type Head =
  | { readonly form: "introduction"; readonly keyId: number; readonly nonce: Uint8Array }
  | { readonly form: "payload"; readonly session: number; readonly counter: number };

/** Why a datagram cannot be one of ours, or its head. */
export function readHead(datagram: Uint8Array): Head | "malformed" | "version" {
  if (datagram.length < PAYLOAD_HEAD + TAG_BYTES || datagram.length > LARGEST_DATAGRAM) return "malformed";
  const reader = new ByteReader(datagram);
  if (reader.byte() !== VERSION) return "version";
  const form = reader.byte();
  if (form === FORM.payload) {
    return { form: "payload", session: reader.unsigned(SESSION_BYTES), counter: reader.unsigned(COUNTER_BYTES) };
  }
  if (form !== FORM.introduction || datagram.length < INTRODUCTION_HEAD + TAG_BYTES) return "malformed";
  return { form: "introduction", keyId: reader.unsigned(KEY_ID_BYTES), nonce: reader.bytes(NONCE_BYTES) };
}

export function sealIntroduction(
  sealing: Sealing,
  key: KeyObject,
  keyId: number,
  random: (count: number) => Buffer,
  body: Uint8Array,
): Buffer {
  const head = new ByteWriter(INTRODUCTION_HEAD);
  head.byte(VERSION);
  head.byte(FORM.introduction);
  head.unsigned(keyId, KEY_ID_BYTES);
  const nonce = random(NONCE_BYTES);
  head.bytes(nonce);
  return sealing.seal(key, nonce, head.done(), body);
}

export function sealPayload(
  sealing: Sealing,
  key: KeyObject,
  session: number,
  counter: number,
  payload: Uint8Array,
): Buffer {
  const head = new ByteWriter(PAYLOAD_HEAD);
  head.byte(VERSION);
  head.byte(FORM.payload);
  head.unsigned(session, SESSION_BYTES);
  head.unsigned(counter, COUNTER_BYTES);
  return sealing.seal(key, nonceOf(counter), head.done(), payload);
}

export const openIntroduction = (sealing: Sealing, key: KeyObject, nonce: Uint8Array, datagram: Uint8Array) =>
  sealing.open(key, nonce, INTRODUCTION_HEAD, datagram);

export const openPayload = (sealing: Sealing, key: KeyObject, counter: number, datagram: Uint8Array) =>
  sealing.open(key, nonceOf(counter), PAYLOAD_HEAD, datagram);

export function nonceOf(counter: number): Buffer {
  const bytes = Buffer.alloc(NONCE_BYTES);
  bytes.writeUIntBE(counter, NONCE_BYTES - COUNTER_BYTES, COUNTER_BYTES);
  return bytes;
}
