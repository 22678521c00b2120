/**
 * The form of every datagram of a group (lengths in bytes; 38 and the messages, with IPv4):
 *
 *   version 1 | key's mark 1 | salt 8 | counter 5 | sealed body | tag 16
 *   body:  newest version and flags 1 | address 6 or 18 | [token 4] | [echo 4] | messages
 *
 * There are no sessions. A sender draws a salt for each of its lives; the key of that life follows from the group's key, the
 * group's name and the salt, so everybody in the group can open what it sends from the first datagram on, and its count of datagrams
 * is a nonce that never comes twice under one key. Members of other groups with the same key have other keys.
 *
 * `address` is where the sender wants to be answered. The newest version that it speaks is written as the difference to the
 * datagram's: programs that speak more than one will know from it what they may use. Token and echo: see proofs.ts. Messages
 * stand one after another (RFC 8742), as many as were for one receiver.
 */
import type { KeyObject } from "node:crypto";
import { ByteReader, ByteWriter } from "../../wire/bytes.ts";
import { decodeRest } from "../../wire/codec.ts";
import type { Address } from "../world.ts";
import { FOUR_BYTES, readAddress, SIX_BYTES, writeAddress } from "./address.ts";
import type { Key } from "./keyring.ts";
import { nonceOf, type Sealing, TAG_BYTES } from "./sealing.ts";
import { isSix } from "./udp.ts";

export const WIRE_VERSION = 1;
export const SALT_BYTES = 8;
export const TOKEN_BYTES = 4;
const COUNTER_BYTES = 5;
/** Years at any rate that one process reaches; a life that got there would have to end. */
export const MOST_DATAGRAMS = 256 ** COUNTER_BYTES;
const HEAD_BYTES = 1 + 1 + SALT_BYTES + COUNTER_BYTES;
const FLAG = { six: 1, token: 2, echo: 4 } as const;

/** No path that is common on the Internet cuts this into pieces. */
const LARGEST_DATAGRAM = 1400;
/** Messages are put together up to this size, which the smallest path of IPv6 carries. */
const PACKED_DATAGRAM = 1200;
const LARGEST_OVERHEAD = HEAD_BYTES + 1 + SIX_BYTES + 2 * TOKEN_BYTES + TAG_BYTES;
/** In the codec's form; what is larger cannot be sent. */
export const LARGEST_MESSAGE = LARGEST_DATAGRAM - LARGEST_OVERHEAD;
/** How many bytes of messages are put together. */
export const PACKED_BYTES = PACKED_DATAGRAM - LARGEST_OVERHEAD;

/** Which key of a ring it is likely to be: rings are short. */
export const markOf = ({ id }: Key): number => id & 255;

/** Of a datagram that could not be opened; null where it has none. */
export function markIn(datagram: Uint8Array): number | null {
  const head = readDatagramHead(datagram);
  return typeof head === "object" ? head.mark : null;
}

interface DatagramHead {
  readonly mark: number;
  readonly salt: Uint8Array;
  readonly counter: number;
}

export interface Body {
  readonly address: Address;
  /** An answer must return this. */
  readonly token: number | null;
  /** The receiver's token, returned. */
  readonly echo: number | null;
  /** In the codec's form, one after another. */
  readonly messages: Uint8Array;
}

export interface ReceivedHead {
  readonly mark: number;
  /** A character for each byte: what lives are told apart by. */
  readonly salt: string;
  readonly counter: number;
}

/** Why a datagram cannot be one of ours, or its head. A number: of another version. */
export function readDatagramHead(datagram: Uint8Array): ReceivedHead | "malformed" | number {
  if (datagram.length === 0 || datagram.length > LARGEST_DATAGRAM) return "malformed";
  if (datagram[0] !== WIRE_VERSION) return datagram[0];
  if (datagram.length < HEAD_BYTES + TAG_BYTES) return "malformed";
  const d = datagram;
  let counter = 0;
  for (let at = HEAD_BYTES - COUNTER_BYTES; at < HEAD_BYTES; at++) counter = counter * 0x100 + d[at];
  // One by one: every other way to make a string of bytes takes twice as long.
  return { mark: d[1], salt: String.fromCharCode(d[2], d[3], d[4], d[5], d[6], d[7], d[8], d[9]), counter };
}

/** Reused: nothing is written while something is sealed. */
const headWriter = new ByteWriter(HEAD_BYTES);
const bodyWriter = new ByteWriter(LARGEST_DATAGRAM);

export function sealDatagram(
  sealing: Sealing,
  key: KeyObject,
  { mark, salt, counter }: DatagramHead,
  body: Body,
): Buffer {
  headWriter.clear();
  headWriter.byte(WIRE_VERSION);
  headWriter.byte(mark);
  headWriter.bytes(salt);
  headWriter.unsigned(counter, COUNTER_BYTES);
  return sealing.seal(key, nonceOf(counter), headWriter.done(), writeBody(body));
}

/** How long the datagram with this body is. */
export const datagramSize = ({ address, token, echo, messages }: Body): number =>
  HEAD_BYTES +
  1 +
  (isSix(address.host) ? SIX_BYTES : FOUR_BYTES) +
  (token === null ? 0 : TOKEN_BYTES) +
  (echo === null ? 0 : TOKEN_BYTES) +
  messages.length +
  TAG_BYTES;

/** Null where it is not as it was sealed. */
export const openDatagram = (sealing: Sealing, key: KeyObject, counter: number, datagram: Uint8Array): Buffer | null =>
  sealing.open(key, nonceOf(counter), HEAD_BYTES, datagram);

/** An endpoint sends from one address, in all its datagrams. */
const writtenAddresses = new WeakMap<Address, Uint8Array>();

function addressBytes(address: Address): Uint8Array {
  const known = writtenAddresses.get(address);
  if (known !== undefined) return known;
  const writer = new ByteWriter(SIX_BYTES);
  writeAddress(writer, address);
  writtenAddresses.set(address, writer.done());
  return writer.done();
}

function writeBody({ address, token, echo, messages }: Body): Uint8Array {
  const writer = bodyWriter;
  writer.clear();
  const six = isSix(address.host) ? FLAG.six : 0;
  writer.byte(six | (token === null ? 0 : FLAG.token) | (echo === null ? 0 : FLAG.echo));
  writer.bytes(addressBytes(address));
  if (token !== null) writer.unsigned(token, TOKEN_BYTES);
  if (echo !== null) writer.unsigned(echo, TOKEN_BYTES);
  writer.bytes(messages);
  return writer.done();
}

/** Throws `Malformed`. */
export function readBody(bytes: Uint8Array): Omit<Body, "messages"> & { readonly messages: unknown[] } {
  const reader = new ByteReader(bytes);
  const flags = reader.byte();
  const address = readAddress(reader, (flags & FLAG.six) !== 0);
  const token = (flags & FLAG.token) === 0 ? null : reader.unsigned(TOKEN_BYTES);
  const echo = (flags & FLAG.echo) === 0 ? null : reader.unsigned(TOKEN_BYTES);
  return { address, token, echo, messages: decodeRest(reader) };
}
