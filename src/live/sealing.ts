/** How datagrams are kept from strangers. An interface, so that simulations that are not about it can go without. */
import { createCipheriv, createDecipheriv, createHmac, createSecretKey, hkdfSync, type KeyObject } from "node:crypto";
import type { Id } from "../protocol.ts";
import { KEY_BYTES, type Key } from "./keyring.ts";

export const TAG_BYTES = 16;
export const SESSION_BYTES = 6;
export const COOKIE_BYTES = 16;

/** Key objects and not bytes: bytes would be made into one again for each datagram, at four times the cost of sealing it. */
export interface SessionKeys {
  /** What payloads name their session by: derived as the keys are, of no use to find them. */
  readonly id: number;
  /** For what goes from the initiator of the session to its responder, and for the way back. */
  readonly forth: KeyObject;
  readonly back: KeyObject;
}

/** How datagrams are sealed and opened. */
export interface Sealing {
  /** For introductions to a member: the same for all senders, so that opening one costs no derivation. */
  introductionKey(key: Key, receiver: Id): KeyObject;
  sessionKeys(key: Key, salts: Uint8Array, initiator: Id, responder: Id): SessionKeys;
  cookie(secret: KeyObject, text: string): Buffer;
  /** For all that one life of a member of a lasting group sends. */
  lifeKey(key: Key, group: string, salt: Uint8Array): KeyObject;
  /** The whole datagram: `head` in clear but authenticated, the body sealed, the tag. No nonce may come twice under a key. */
  seal(key: KeyObject, nonce: Uint8Array, head: Uint8Array, body: Uint8Array): Buffer;
  /** The body, or null where anything is not as it was sealed. */
  open(key: KeyObject, nonce: Uint8Array, headBytes: number, datagram: Uint8Array): Buffer | null;
}

const DOMAIN = "sortition 2";
const GROUPS = "sortition 3 life in the group";
const introductionKeys = new WeakMap<Key, Map<Id, KeyObject>>();

/** AES-256-GCM, with keys by HKDF-SHA256 from those of the ring. */
export const aesGcm: Sealing = {
  introductionKey(key, receiver) {
    let known = introductionKeys.get(key);
    if (known === undefined) {
      known = new Map();
      introductionKeys.set(key, known);
    }
    let found = known.get(receiver);
    if (found === undefined) {
      const bytes = hkdfSync("sha256", key.secret, "", `${DOMAIN} introductions to ${receiver}`, KEY_BYTES);
      found = createSecretKey(Buffer.from(bytes));
      known.set(receiver, found);
    }
    return found;
  },

  sessionKeys(key, salts, initiator, responder) {
    const info = `${DOMAIN} session of ${initiator} with ${responder}`;
    const bytes = Buffer.from(hkdfSync("sha256", key.secret, salts, info, 2 * KEY_BYTES + SESSION_BYTES));
    return {
      forth: createSecretKey(bytes.subarray(0, KEY_BYTES)),
      back: createSecretKey(bytes.subarray(KEY_BYTES, 2 * KEY_BYTES)),
      id: bytes.readUIntBE(2 * KEY_BYTES, SESSION_BYTES),
    };
  },

  lifeKey(key, group, salt) {
    return createSecretKey(Buffer.from(hkdfSync("sha256", key.secret, salt, `${GROUPS} ${group}`, KEY_BYTES)));
  },

  cookie: (secret, text) => createHmac("sha256", secret).update(text).digest().subarray(0, COOKIE_BYTES),

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

/** The same lengths and the same handshake, and anybody can read and forge: for simulations only. */
export const unsealed: Sealing = {
  ...aesGcm,
  seal: (_key, _nonce, head, body) => Buffer.concat([head, body, Buffer.alloc(TAG_BYTES)]),
  open: (_key, _nonce, headBytes, datagram) => Buffer.from(datagram.subarray(headBytes, datagram.length - TAG_BYTES)),
};
