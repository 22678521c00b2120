/**
 * The outer form of every datagram: a header in clear and a body under AES-256-GCM.
 *
 *   version 1 | key id 4 | session salt 16 | counter 6 | sealed body | tag 16
 *
 * The key of a direction is derived from the keyring's key, the sender's salt and the receiver's id, so a datagram opens
 * only at the member it was meant for. A sender counts its datagrams to each receiver, and the count is the nonce: under
 * one key no nonce comes twice. (Random 96-bit nonces under one shared key would have to stop after 2^32 datagrams.)
 */
import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, type KeyObject } from "node:crypto";
import type { Id } from "../protocol.ts";
import { ByteReader, ByteWriter } from "../wire/bytes.ts";
import { KEY_BYTES, KEY_ID_BYTES, type Key } from "./keyring.ts";

export const VERSION = 1;
export const SALT_BYTES = 16;
const COUNTER_BYTES = 6;
const TAG_BYTES = 16;
const NONCE_BYTES = 12;
const HEADER_BYTES = 1 + KEY_ID_BYTES + SALT_BYTES + COUNTER_BYTES;

/** Below the smallest path MTU that is common on the Internet, so that no datagram is cut into pieces on its way. */
export const LARGEST_DATAGRAM = 1400;
export const LARGEST_BODY = LARGEST_DATAGRAM - HEADER_BYTES - TAG_BYTES;

export interface Header {
  readonly version: number;
  readonly keyId: number;
  /** In hexadecimal. */
  readonly salt: string;
  readonly counter: number;
}

/**
 * The key under which the sender with this salt seals what it sends to `receiver`; as an object, because bytes would be
 * made into one again for each datagram, at five times the cost of sealing it.
 */
export function directionKey(key: Key, salt: string, receiver: Id): KeyObject {
  const info = `sortition ${VERSION} to ${receiver}`;
  return createSecretKey(Buffer.from(hkdfSync("sha256", key.secret, Buffer.from(salt, "hex"), info, KEY_BYTES)));
}

export function seal(direction: KeyObject, keyId: number, salt: string, counter: number, body: Uint8Array): Buffer {
  const writer = new ByteWriter(HEADER_BYTES);
  writer.byte(VERSION);
  writer.unsigned(keyId, KEY_ID_BYTES);
  writer.bytes(Buffer.from(salt, "hex"));
  writer.unsigned(counter, COUNTER_BYTES);
  const header = writer.done();
  const cipher = createCipheriv("aes-256-gcm", direction, nonce(counter)).setAAD(header);
  return Buffer.concat([header, cipher.update(body), cipher.final(), cipher.getAuthTag()]);
}

/** Null where the datagram is too short or too long to be one of ours. */
export function readHeader(datagram: Uint8Array): Header | null {
  if (datagram.length <= HEADER_BYTES + TAG_BYTES || datagram.length > LARGEST_DATAGRAM) return null;
  const reader = new ByteReader(datagram);
  return {
    version: reader.byte(),
    keyId: reader.unsigned(KEY_ID_BYTES),
    salt: reader.hex(SALT_BYTES),
    counter: reader.unsigned(COUNTER_BYTES),
  };
}

/** The body, or null where anything in the datagram is not as it was sealed. */
export function open(direction: KeyObject, counter: number, datagram: Uint8Array): Buffer | null {
  const sealedEnd = datagram.length - TAG_BYTES;
  const decipher = createDecipheriv("aes-256-gcm", direction, nonce(counter), { authTagLength: TAG_BYTES })
    .setAAD(datagram.subarray(0, HEADER_BYTES))
    .setAuthTag(datagram.subarray(sealedEnd));
  const body = decipher.update(datagram.subarray(HEADER_BYTES, sealedEnd));
  try {
    decipher.final();
    return body;
  } catch {
    return null;
  }
}

function nonce(counter: number): Buffer {
  const bytes = Buffer.alloc(NONCE_BYTES);
  bytes.writeUIntBE(counter, NONCE_BYTES - COUNTER_BYTES, COUNTER_BYTES);
  return bytes;
}
