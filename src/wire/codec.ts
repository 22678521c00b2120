/**
 * Messages as bytes: the part of CBOR (RFC 8949) that plain data needs, in its deterministic form. Each value has one
 * encoding (fields keep the order in which they were set) and the decoder refuses every other: whole numbers in their
 * shortest form, definite lengths, doubles only for what is not a whole number. Written by hand because general CBOR libraries accept far more than that from strangers.
 */
import { ByteReader, ByteWriter, Malformed, utf8Length } from "./bytes.ts";

/** Messages are shallow; this only keeps a hostile one from exhausting the stack. */
const DEEPEST = 32;

const MAJOR = { unsigned: 0, negative: 1, bytes: 2, text: 3, array: 4, map: 5, tag: 6, simple: 7 } as const;
const SIMPLE = { false: 20, true: 21, null: 22, undefined: 23, double: 27 } as const;
const TAG = { positiveBig: 2, negativeBig: 3 } as const;

/** The one NaN of CBOR's deterministic form and of ours */
const NAN = 0x7ff8000000000000n;

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Reused: most messages fit, and nothing is written while something is. */
let writer = new ByteWriter(2048);

export function encode(value: unknown): Uint8Array {
  const own = writer;
  try {
    write(own, value, 0);
    return own.take();
  } catch (error) {
    // What it had begun is not to be the beginning of the next.
    writer = new ByteWriter(2048);
    throw error;
  }
}

/** For a writer that holds more than one value. Where it throws, the beginning of the value was written. */
export const encodeInto = (writer: ByteWriter, value: unknown): void => write(writer, value, 0);

/** How many bytes `encode` would make, without making them: to know what fits into a datagram. */
export const encodedSize = (value: unknown): number => sizeOf(value, 0);

/** Throws `Malformed` where the bytes are not the encoding of one value. */
export function decode(bytes: Uint8Array): unknown {
  const reader = new ByteReader(bytes);
  const value = read(reader, 0);
  reader.end();
  return value;
}

/** Values that were encoded one after another (RFC 8742). */
export const decodeAll = (bytes: Uint8Array): unknown[] => decodeRest(new ByteReader(bytes));

/** As `decodeAll`, of what a reader has left. */
export function decodeRest(reader: ByteReader): unknown[] {
  const values: unknown[] = [];
  while (reader.left > 0) values.push(read(reader, 0));
  return values;
}

function write(writer: ByteWriter, value: unknown, depth: number): void {
  if (depth > DEEPEST) throw tooDeep();
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
      throw notPlain(typeof value);
  }
}

/** As long as what `write` writes. A simulation asks for each message, so this makes nothing. */
function sizeOf(value: unknown, depth: number): number {
  if (depth > DEEPEST) throw tooDeep();
  switch (typeof value) {
    case "boolean":
    case "undefined":
      return 1;
    case "number":
      return numberSize(value);
    case "bigint": {
      const { length } = hexOf(value);
      return 1 + headSize(length / 2) + length / 2;
    }
    case "string":
      return textSize(value);
    case "object":
      return objectSize(value, depth);
    default:
      throw notPlain(typeof value);
  }
}

function objectSize(value: object | null, depth: number): number {
  if (value === null) return 1;
  if (Array.isArray(value)) return listSize(value, depth);
  checkPlain(value);
  let [fields, size] = [0, 0];
  // A list of the names for each message would take longer than all the rest.
  for (const key in value) {
    const place = fields++ & (PLACES - 1);
    size += key === keys[place] ? keySizes[place] : remember(keys, keySizes, place, key);
    const item = (value as Record<string, unknown>)[key];
    if (typeof item === "number") size += numberSize(item);
    else if (typeof item === "string") {
      size += item === texts[place] ? textSizes[place] : remember(texts, textSizes, place, item);
    } else size += sizeOf(item, depth + 1);
  }
  return headSize(fields) + size;
}

// Of the last message, by the place of the field: most messages of a run have the same names, and the same text of their kind.
const PLACES = 8;
const keys: string[] = new Array(PLACES).fill("");
const keySizes = new Int32Array(PLACES).fill(1);
const texts: string[] = new Array(PLACES).fill("");
const textSizes = new Int32Array(PLACES).fill(1);
/** Longer texts are not kept. */
const SHORT = 64;

function remember(kept: string[], sizes: Int32Array, place: number, text: string): number {
  const size = textSize(text);
  if (text.length > SHORT) return size;
  kept[place] = text;
  sizes[place] = size;
  return size;
}

const numberSize = (value: number): number => (isWhole(value) ? headSize(value >= 0 ? value : -1 - value) : 9);

function listSize(items: readonly unknown[], depth: number): number {
  let size = headSize(items.length);
  for (const item of items) size += sizeOf(item, depth + 1);
  return size;
}

function textSize(value: string): number {
  const length = utf8Length(value);
  return headSize(length) + length;
}

const tooDeep = () => new TypeError(`a message is nested deeper than ${DEEPEST}`);
const notPlain = (what: string) => new TypeError(`a message holds a ${what}, which is not plain data`);

function checkPlain(value: object): void {
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) throw notPlain(prototype.constructor?.name ?? "class");
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
    writer.unsigned(value, 8);
  }
}

const headSize = (value: number): number =>
  value < 24 ? 1 : value < 0x100 ? 2 : value < 0x10000 ? 3 : value < 0x100000000 ? 5 : 9;

const isWhole = (value: number) => Number.isSafeInteger(value) && !Object.is(value, -0);

function writeNumber(writer: ByteWriter, value: number): void {
  if (!isWhole(value)) {
    writer.byte((MAJOR.simple << 5) | SIMPLE.double);
    writer.double(value);
  } else if (value >= 0) head(writer, MAJOR.unsigned, value);
  else head(writer, MAJOR.negative, -1 - value);
}

function writeBig(writer: ByteWriter, value: bigint): void {
  const hex = hexOf(value);
  head(writer, MAJOR.tag, value >= 0n ? TAG.positiveBig : TAG.negativeBig);
  head(writer, MAJOR.bytes, hex.length / 2);
  for (let i = 0; i < hex.length; i += 2) writer.byte(Number.parseInt(hex.slice(i, i + 2), 16));
}

/** The bytes of a large number, in hexadecimal digits. */
function hexOf(value: bigint): string {
  const magnitude = value >= 0n ? value : -1n - value;
  const hex = magnitude === 0n ? "" : magnitude.toString(16);
  return hex.length % 2 === 0 ? hex : `0${hex}`;
}

function writeText(writer: ByteWriter, value: string): void {
  const length = utf8Length(value);
  head(writer, MAJOR.text, length);
  writer.text(value, length);
}

function writeObject(writer: ByteWriter, value: object | null, depth: number): void {
  if (value === null) head(writer, MAJOR.simple, SIMPLE.null);
  else if (Array.isArray(value)) {
    head(writer, MAJOR.array, value.length);
    for (const item of value) write(writer, item, depth + 1);
  } else writeMap(writer, value, depth);
}

function writeMap(writer: ByteWriter, value: object, depth: number): void {
  checkPlain(value);
  const keys = Object.keys(value);
  head(writer, MAJOR.map, keys.length);
  for (const key of keys) {
    writeText(writer, key);
    write(writer, (value as Readonly<Record<string, unknown>>)[key], depth + 1);
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

/** Smaller numbers have a shorter form than that of 1, 2, 4 or 8 bytes. */
const LEAST = [24, 2 ** 8, 2 ** 16, 2 ** 32] as const;

function readLength(reader: ByteReader, info: number): number {
  if (info < 24) return info;
  if (info > 27) throw new Malformed("a length is not definite");
  const value = reader.unsigned(1 << (info - 24));
  const least = LEAST[info - 24];
  if (value < least) throw new Malformed("a number is not in its shortest form");
  if (!Number.isSafeInteger(value)) throw new Malformed("a number is too large");
  return value;
}

const eight = new DataView(new ArrayBuffer(8));

function doubleOf(bits: bigint): number {
  eight.setBigUint64(0, bits);
  return eight.getFloat64(0);
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
      const bits = reader.long();
      const value = doubleOf(bits);
      if (isWhole(value) || (Number.isNaN(value) && bits !== NAN)) {
        throw new Malformed("a number is not in its one form");
      }
      return value;
    }
    default:
      throw new Malformed("it holds a kind of value that no message has");
  }
}

function readText(reader: ByteReader, length: number): string {
  const plain = reader.plainText(length);
  if (plain !== null) return plain;
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

/** Whether a name is the index of an array: objects have such fields first, in the order of numbers. */
function isIndex(name: string): boolean {
  const first = name.charCodeAt(0);
  return first >= 48 && first <= 57 && String(Number(name) >>> 0) === name && Number(name) < 2 ** 32 - 1;
}

function readMap(reader: ByteReader, length: number, depth: number): Record<string, unknown> {
  checkRoom(reader, 2 * length);
  const fields: Record<string, unknown> = {};
  /** The largest index so far; no index may follow a field of another name. */
  let highest = -1;
  for (let i = 0; i < length; i++) {
    const key = read(reader, DEEPEST);
    if (typeof key !== "string") throw new Malformed("the name of a field is not a text");
    if (key === "__proto__" || Object.hasOwn(fields, key))
      throw new Malformed(`field "${key}" is not allowed twice or here`);
    if (!isIndex(key)) highest = Infinity;
    else if (Number(key) < highest) throw new Malformed("its fields are not in their one order");
    else highest = Number(key);
    fields[key] = read(reader, depth + 1);
  }
  return fields;
}

function readBig(reader: ByteReader, tag: number): bigint {
  const first = reader.byte();
  if ((tag !== TAG.positiveBig && tag !== TAG.negativeBig) || first >> 5 !== MAJOR.bytes) {
    throw new Malformed("it holds a kind of value that no message has");
  }
  const hex = reader.hex(readLength(reader, first & 31));
  if (hex.startsWith("00")) throw new Malformed("a number is not in its shortest form");
  const magnitude = hex === "" ? 0n : BigInt(`0x${hex}`);
  return tag === TAG.positiveBig ? magnitude : -1n - magnitude;
}
