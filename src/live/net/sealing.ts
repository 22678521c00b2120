/** How datagrams are kept from strangers. An interface, so that simulations that are not about it can go without. */
import { createCipheriv, createDecipheriv, createSecretKey, hash, hkdfSync, type KeyObject } from "node:crypto";
import { KEY_BYTES, type Key } from "./keyring.ts";

export const TAG_BYTES = 16;
const COOKIE_BYTES = 16;
const NONCE_BYTES = 12;
const COUNTER_BYTES = 6;

/**
 * How datagrams are sealed and opened. Keys are objects and not bytes: bytes would be made into one again for each datagram, at
 * four times the cost of sealing it.
 */
export interface Sealing {
  /** A code over a text under a secret of a fixed length: a part of a digest, so that no longer text follows from it. */
  cookie(secret: Uint8Array, text: string): Buffer;
  /** For all that one life of a member sends. */
  lifeKey(key: Key, group: string, salt: Uint8Array): KeyObject;
  /** The whole datagram: `head` in clear but authenticated, the body sealed, the tag. No nonce may come twice under a key. */
  seal(key: KeyObject, nonce: Uint8Array, head: Uint8Array, body: Uint8Array): Buffer;
  /** The body, or null where anything is not as it was sealed. */
  open(key: KeyObject, nonce: Uint8Array, headBytes: number, datagram: Uint8Array): Buffer | null;
}

const GROUPS = "sortition 3 life in the group";

/** AES-256-GCM, with keys by HKDF-SHA256 from those of the ring. */
export const aesGcm: Sealing = {
  lifeKey(key, group, salt) {
    return createSecretKey(Buffer.from(hkdfSync("sha256", key.secret, salt, `${GROUPS} ${group}`, KEY_BYTES)));
  },

  cookie: (secret, text) =>
    hash("sha256", Buffer.concat([secret, Buffer.from(text)]), "buffer").subarray(0, COOKIE_BYTES),

  seal(key, nonce, head, body) {
    const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(head);
    const sealed = cipher.update(body);
    cipher.final();
    return Buffer.concat([head, sealed, cipher.getAuthTag()]);
  },

  open(key, nonce, headBytes, datagram) {
    const end = datagram.length - TAG_BYTES;
    const decipher = createDecipheriv("aes-256-gcm", key, nonce, { authTagLength: TAG_BYTES })
      .setAAD(datagram.subarray(0, headBytes))
      .setAuthTag(datagram.subarray(end));
    const body = decipher.update(datagram.subarray(headBytes, end));
    try {
      decipher.final();
      return body;
    } catch {
      return null;
    }
  },
};

/** The same lengths, and anybody can read and forge: for simulations only. */
export const unsealed: Sealing = {
  ...aesGcm,
  seal: (_key, _nonce, head, body) => Buffer.concat([head, body, Buffer.alloc(TAG_BYTES)]),
  open: (_key, _nonce, headBytes, datagram) => Buffer.from(datagram.subarray(headBytes, datagram.length - TAG_BYTES)),
};

/** A sender's count of datagrams as a nonce. */
export function nonceOf(counter: number): Buffer {
  const bytes = Buffer.alloc(NONCE_BYTES);
  bytes.writeUIntBE(counter, NONCE_BYTES - COUNTER_BYTES, COUNTER_BYTES);
  return bytes;
}
