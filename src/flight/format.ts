/**
 * The format of the file of a flight record. The file has a fixed number of slots of equal size. They are used in turn, and the oldest
 * is overwritten, so the file never grows. Each slot can be read without the others. It begins with the facts of its process (head) and
 * the state of the machine at that moment (snapshot), followed by the steps since, many in a frame (src/flight/steps.ts). A frame is
 * its length, the number of the slot's use and a checksum, 4 bytes each, then its content. Uses of slots are counted from 1, so frames
 * that an earlier use has left in the slot have another number.
 */
import type { Address } from "../protocol.ts";
import { ByteWriter } from "../wire/bytes.ts";
import { decode, encode } from "../wire/codec.ts";
import { MAGIC } from "./magic.ts";
import { pack, unpack } from "./pack.ts";
import { broken, isNumeric, isText, type Links, linksOf } from "./steps.ts";

export const FILE_HEAD = 40;
export const FRAME_HEAD = 12;

/** How the file is divided. */
export interface Geometry {
  readonly slotBytes: number;
  readonly slots: number;
}

const LEAST_SLOT = 256;
const MOST_SLOT = 2 ** 30;
const MOST_SLOTS = 64;

/** Facts of a process, at the beginning of each slot. */
export interface FlightHead {
  /** The version of the program. */
  readonly sortition: string;
  /** The name of the machine. */
  readonly machine: string;
  readonly group: string;
  readonly member: string;
  /** Where other members reach this one. */
  readonly address: Address;
  /** Drawn anew whenever the process starts. */
  readonly life: number;
  /** The same moment by both clocks: milliseconds of the steps' monotonic clock, and milliseconds since 1970. */
  readonly now: number;
  readonly wall: number;
  /** The number of steps of this life before the slot. */
  readonly before: number;
}

export interface FlightSnapshot {
  readonly state: unknown;
  readonly links: Links;
}

const CRC = Uint32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte;
  for (let bit = 0; bit < 8; bit++) rest = rest & 1 ? (rest >>> 1) ^ 0xedb88320 : rest >>> 1;
  return rest;
});

/** CRC-32, as in zlib. This file runs also in pages, which have no zlib. */
function checksum(bytes: Uint8Array, from = 0): number {
  let crc = ~from;
  for (let i = 0; i < bytes.length; i++) crc = CRC[(crc ^ bytes[i]) & 0xff] ^ (crc >>> 8);
  return ~crc >>> 0;
}

export function fileHead({ slotBytes, slots }: Geometry): Uint8Array {
  const writer = new ByteWriter(FILE_HEAD);
  writer.text(MAGIC, MAGIC.length);
  writer.unsigned(slotBytes, 4);
  writer.unsigned(slots, 4);
  writer.unsigned(checksum(writer.done()), 4);
  while (writer.done().length < FILE_HEAD) writer.byte(0);
  return writer.done();
}

const unsigned = (bytes: Uint8Array, at: number): number =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(at);

/** Null if the bytes are not a flight record of this version. */
export function geometryIn(bytes: Uint8Array): Geometry | null {
  const at = MAGIC.length;
  if (bytes.length < FILE_HEAD || [...MAGIC].some((sign, i) => bytes[i] !== sign.charCodeAt(0))) return null;
  if (checksum(bytes.subarray(0, at + 8)) !== unsigned(bytes, at + 8)) return null;
  const [slotBytes, slots] = [unsigned(bytes, at), unsigned(bytes, at + 4)];
  const isSound = slotBytes >= LEAST_SLOT && slotBytes <= MOST_SLOT && slots >= 2 && slots <= MOST_SLOTS;
  return isSound ? { slotBytes, slots } : null;
}

export const slotAt = ({ slotBytes }: Geometry, slot: number): number => FILE_HEAD + slot * slotBytes;

/** A frame with its head. `use`: the number of the slot's use. */
export function frame(use: number, payload: Uint8Array, crc: typeof checksum = checksum): Uint8Array {
  const bytes = new Uint8Array(FRAME_HEAD + payload.length);
  bytes.set(payload, FRAME_HEAD);
  frameInPlace(use, bytes, crc);
  return bytes;
}

/** Writes the head of a frame whose content is in `bytes` already. */
export function frameInPlace(use: number, bytes: Uint8Array, crc: typeof checksum): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, FRAME_HEAD);
  view.setUint32(0, bytes.length - FRAME_HEAD);
  view.setUint32(4, use);
  view.setUint32(8, crc(bytes.subarray(FRAME_HEAD), use));
}

/** A frame, or why there is none: nothing was written there, or the frame is incomplete or damaged. */
type ReadFrame = { readonly use: number; readonly payload: Uint8Array; readonly end: number } | "nothing" | "damaged";

/** Reads the frame at a place of a slot. `use`: the number of the slot's use, if it is known. */
export function readFrame(slot: Uint8Array, at: number, use: number | null): ReadFrame {
  if (at + FRAME_HEAD > slot.length) return at >= slot.length ? "nothing" : "damaged";
  const length = unsigned(slot, at);
  const found = unsigned(slot, at + 4);
  if (found === 0 && length === 0) return "nothing";
  // Of an earlier use of the slot.
  if (use !== null && found !== use) return "nothing";
  const end = at + FRAME_HEAD + length;
  if (end > slot.length) return "damaged";
  const payload = slot.subarray(at + FRAME_HEAD, end);
  return checksum(payload, found) === unsigned(slot, at + 8) ? { use: found, payload, end } : "damaged";
}

export const headBytes = (head: FlightHead): Uint8Array => encode({ ...head });

/** Null: the slot begins where its process was started. */
export const snapshotBytes = (snapshot: FlightSnapshot | null): Uint8Array =>
  encode(snapshot === null ? null : [pack(snapshot.state), snapshot.links]);

const HEAD_FIELDS: Readonly<Record<keyof FlightHead, (value: unknown) => boolean>> = {
  sortition: isText,
  machine: isText,
  group: isText,
  member: isText,
  address: isText,
  life: isNumeric,
  now: Number.isFinite,
  wall: Number.isFinite,
  before: (value) => Number.isSafeInteger(value) && (value as number) >= 0,
};

export function readHead(payload: Uint8Array): FlightHead {
  const value = decode(payload) as Readonly<Record<string, unknown>> | null;
  if (typeof value !== "object" || value === null) return broken("its head is not an object");
  for (const [field, is] of Object.entries(HEAD_FIELDS)) if (!is(value[field])) broken(`its head has no ${field}`);
  return value as unknown as FlightHead;
}

/** Null: the slot begins where its process was started. */
export function readSnapshot(payload: Uint8Array): FlightSnapshot | null {
  const value = decode(payload);
  if (value === null) return null;
  if (!Array.isArray(value) || value.length !== 2) return broken("its snapshot is not a pair");
  return { state: unpack(value[0]), links: linksOf(value[1]) };
}
