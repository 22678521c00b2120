/**
 * Messages as bytes: the part of CBOR (RFC 8949) that plain data needs, in its deterministic form. Each value has one
 * encoding (fields keep the order in which they were set) and the decoder refuses every other: whole numbers in their
 * shortest form, definite lengths, doubles only for what is not a whole number. Written by hand because general CBOR libraries accept far more than that from strangers.
 */
import { ByteReader, ByteWriter, Malformed } from "./bytes.ts";

/** Messages are shallow; this only keeps a hostile one from exhausting the stack. */
const DEEPEST = 32;

const MAJOR = { unsigned: 0, negative: 1, bytes: 2, text: 3, array: 4, map: 5, tag: 6, simple: 7 } as const;
const SIMPLE = { false: 20, true: 21, null: 22, undefined: 23, double: 27 } as const;
const TAG = { positiveBig: 2, negativeBig: 3 } as const;

/** The one NaN of CBOR's deterministic form and of ours. */
const NAN = 0x7ff8000000000000n;

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export function encode(value: unknown): Buffer {
  const writer = new ByteWriter();
  write(writer, value, 0);
  return writer.done();
}

/** Throws `Malformed` where the bytes are not the encoding of one value. */
export function decode(bytes: Uint8Array): unknown {
  const reader = new ByteReader(bytes);
  const value = read(reader, 0);
  reader.end();
  return value;
}

function write(writer: ByteWriter, value: unknown, depth: number): void {
  if (depth > DEEPEST) throw new TypeError(`a message is nested deeper than ${DEEPEST}`);
  switch (typeof value) {
    case "boolean":
      head(writer, MAJOR.simple, value ? SIMPLE.true : SIMPLE.false);
      break;
    case "undefined":
      head(writer, MAJOR.simple, SIMPLE.undefined);
      break;
    case "number":
      writeNumber(writer, value);
      break;
    case "bigint":
      writeBig(writer, value);
      break;
    case "string":
      writeText(writer, value);
      break;
    case "object":
      writeObject(writer, value, depth);
      break;
    default:
      throw new TypeError(`a message holds a ${typeof value}, which is not plain data`);
  }
}

/** The first byte names the kind; a number below 24 fits into it, larger ones follow in 1, 2, 4 or 8 bytes. */
function head(writer: ByteWriter, major: number, value: number): void {
  const kind = major << 5;
  if (value < 24) writer.byte(kind | value);
  else if (value < 0x100) {
    writer.byte(kind | 24);
    writer.byte(value);
  } else if (value < 0x10000) {
    writer.byte(kind | 25);
    writer.unsigned(value, 2);
  } else if (value < 0x100000000) {
    writer.byte(kind | 26);
    writer.unsigned(value, 4);
  } else {
    writer.byte(kind | 27);
    writer.long(BigInt(value));
  }
}

const isWhole = (value: number) => Number.isSafeInteger(value) && !Object.is(value, -0);

function writeNumber(writer: ByteWriter, value: number): void {
  if (!isWhole(value)) {
    writer.byte((MAJOR.simple << 5) | SIMPLE.double);
    writer.double(value);
  } else if (value >= 0) head(writer, MAJOR.unsigned, value);
  else head(writer, MAJOR.negative, -1 - value);
}

function writeBig(writer: ByteWriter, value: bigint): void {
  const magnitude = value >= 0n ? value : -1n - value;
  const hex = magnitude === 0n ? "" : magnitude.toString(16);
  const bytes = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, "hex");
  head(writer, MAJOR.tag, value >= 0n ? TAG.positiveBig : TAG.negativeBig);
  head(writer, MAJOR.bytes, bytes.length);
  writer.bytes(bytes);
}

function writeText(writer: ByteWriter, value: string): void {
  const bytes = Buffer.from(value, "utf8");
  head(writer, MAJOR.text, bytes.length);
  writer.bytes(bytes);
}

function writeObject(writer: ByteWriter, value: object | null, depth: number): void {
  if (value === null) head(writer, MAJOR.simple, SIMPLE.null);
  else if (Array.isArray(value)) {
    head(writer, MAJOR.array, value.length);
    for (const item of value) write(writer, item, depth + 1);
  } else writeMap(writer, value, depth);
}

function writeMap(writer: ByteWriter, value: object, depth: number): void {
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    throw new TypeError(`a message holds a ${prototype.constructor?.name ?? "class"}, which is not plain data`);
  }
  const entries = Object.entries(value);
  head(writer, MAJOR.map, entries.length);
  for (const [key, item] of entries) {
    writeText(writer, key);
    write(writer, item, depth + 1);
  }
}

function read(reader: ByteReader, depth: number): unknown {
  if (depth > DEEPEST) throw new Malformed("it is nested too deeply");
  const first = reader.byte();
  const major = first >> 5;
  const info = first & 31;
  if (major === MAJOR.simple) return readSimple(reader, info);
  const value = readLength(reader, info);
  switch (major) {
    case MAJOR.unsigned:
      return value;
    case MAJOR.negative:
      if (!Number.isSafeInteger(-1 - value)) throw new Malformed("a number is too large");
      return -1 - value;
    case MAJOR.text:
      return readText(reader, value);
    case MAJOR.array:
      return readArray(reader, value, depth);
    case MAJOR.map:
      return readMap(reader, value, depth);
    case MAJOR.tag:
      return readBig(reader, value);
    default:
      throw new Malformed("it holds a kind of value that no message has");
  }
}

function readLength(reader: ByteReader, info: number): number {
  if (info < 24) return info;
  if (info > 27) throw new Malformed("a length is not definite");
  const value = info === 27 ? Number(reader.long()) : reader.unsigned(2 ** (info - 24));
  const least = info === 24 ? 24 : 2 ** (8 * 2 ** (info - 25));
  if (value < least) throw new Malformed("a number is not in its shortest form");
  if (!Number.isSafeInteger(value)) throw new Malformed("a number is too large");
  return value;
}

function readSimple(reader: ByteReader, info: number): unknown {
  switch (info) {
    case SIMPLE.false:
      return false;
    case SIMPLE.true:
      return true;
    case SIMPLE.null:
      return null;
    case SIMPLE.undefined:
      return undefined;
    case SIMPLE.double: {
      const bytes = reader.bytes(8);
      const value = bytes.readDoubleBE();
      if (isWhole(value) || (Number.isNaN(value) && bytes.readBigUInt64BE() !== NAN)) {
        throw new Malformed("a number is not in its one form");
      }
      return value;
    }
    default:
      throw new Malformed("it holds a kind of value that no message has");
  }
}

function readText(reader: ByteReader, length: number): string {
  try {
    return utf8.decode(reader.bytes(length));
  } catch (error) {
    throw error instanceof Malformed ? error : new Malformed("a text is not UTF-8");
  }
}

/** Each item takes a byte at least, so a length beyond what is left is refused before anything is allocated for it. */
function checkRoom(reader: ByteReader, items: number): void {
  if (items > reader.left) throw new Malformed("it ends too early");
}

function readArray(reader: ByteReader, length: number, depth: number): unknown[] {
  checkRoom(reader, length);
  const items: unknown[] = [];
  for (let i = 0; i < length; i++) items.push(read(reader, depth + 1));
  return items;
}

function readMap(reader: ByteReader, length: number, depth: number): Record<string, unknown> {
  checkRoom(reader, 2 * length);
  const fields: Record<string, unknown> = {};
  for (let i = 0; i < length; i++) {
    const key = read(reader, DEEPEST);
    if (typeof key !== "string") throw new Malformed("the name of a field is not a text");
    if (key === "__proto__" || Object.hasOwn(fields, key))
      throw new Malformed(`field «${key}» is not allowed twice or here`);
    fields[key] = read(reader, depth + 1);
  }
  return fields;
}

function readBig(reader: ByteReader, tag: number): bigint {
  const first = reader.byte();
  if ((tag !== TAG.positiveBig && tag !== TAG.negativeBig) || first >> 5 !== MAJOR.bytes) {
    throw new Malformed("it holds a kind of value that no message has");
  }
  const bytes = reader.bytes(readLength(reader, first & 31));
  if (bytes[0] === 0) throw new Malformed("a number is not in its shortest form");
  const magnitude = bytes.length === 0 ? 0n : BigInt(`0x${bytes.toString("hex")}`);
  return tag === TAG.positiveBig ? magnitude : -1n - magnitude;
}
