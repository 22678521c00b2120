/** Reading and writing bytes with bounds. A reader that meets what it does not expect throws `Malformed`, nothing else. */

/** A datagram, or a part of one, that is not what a member of ours would have sent. */
export class Malformed extends Error {
  override readonly name = "Malformed";
}

/** What was read, or null where it is malformed; other errors are faults of ours and go on. */
export function readOrNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof Malformed) return null;
    throw error;
  }
}

const utf8 = new TextEncoder();

/** How many bytes a text takes in UTF-8; half a surrogate pair alone is replaced, and takes three. */
export function utf8Length(text: string): number {
  let length = text.length;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x80) continue;
    length += code < 0x800 ? 1 : 2;
    const next = code >= 0xd800 && code < 0xdc00 ? text.charCodeAt(i + 1) : Number.NaN;
    // A whole pair: two units, four bytes.
    if (next >= 0xdc00 && next < 0xe000) i++;
  }
  return length;
}

export class ByteWriter {
  protected buffer: Uint8Array;
  protected length = 0;

  constructor(room = 128) {
    this.buffer = new Uint8Array(room);
  }

  byte(value: number): void {
    this.reserve(1);
    this.buffer[this.length++] = value;
  }

  bytes(value: Uint8Array): void {
    this.reserve(value.length);
    this.buffer.set(value, this.length);
    this.length += value.length;
  }

  unsigned(value: number, size: number): void {
    this.reserve(size);
    // In two halves: what fits into 32 bits is quick.
    let rest = value >>> 0;
    for (let at = this.length + size - 1; at >= this.length; at--) {
      if (at === this.length + size - 5) rest = Math.floor(value / 0x100000000);
      this.buffer[at] = rest;
      rest >>>= 8;
    }
    this.length += size;
  }

  long(value: bigint): void {
    this.reserve(8);
    this.view().setBigUint64(this.length, value);
    this.length += 8;
  }

  double(value: number): void {
    this.reserve(8);
    this.view().setFloat64(this.length, value);
    this.length += 8;
  }

  text(value: string, length: number): void {
    this.reserve(length);
    // Most texts are short and plain; a call of the encoder costs more than they do.
    if (length > value.length || length > 64) utf8.encodeInto(value, this.buffer.subarray(this.length));
    else for (let i = 0; i < length; i++) this.buffer[this.length + i] = value.charCodeAt(i);
    this.length += length;
  }

  /** A whole number of 0 .. 2^53-1 in groups of seven bits, lowest first; the top bit says that more follow. */
  varint(value: number): void {
    let rest = value;
    for (; rest > 0x7f; rest = Math.floor(rest / 0x80)) this.byte((rest % 0x80) + 0x80);
    this.byte(rest);
  }

  get size(): number {
    return this.length;
  }

  done(): Uint8Array {
    return this.buffer.subarray(0, this.length);
  }

  /** For a writer that is used again: what `done` gave before is overwritten. */
  clear(): void {
    this.length = 0;
  }

  /** What was written since the last time, as a copy: for a writer that is used again and again. */
  take(): Uint8Array {
    const taken = this.buffer.slice(0, this.length);
    this.length = 0;
    return taken;
  }

  protected reserve(more: number): void {
    if (this.length + more <= this.buffer.length) return;
    const larger = new Uint8Array(Math.max(2 * this.buffer.length, this.length + more));
    larger.set(this.buffer.subarray(0, this.length));
    this.buffer = larger;
  }

  /** For doubles and large numbers, which are rare. */
  private view(): DataView {
    return new DataView(this.buffer.buffer);
  }
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** Names of fields, members and addresses come again and again: each is one string in memory, and is not made anew. */
const MET_TEXTS = 8192;
const LONGEST_PLAIN = 32;
const metTexts: (string | undefined)[] = new Array<string | undefined>(MET_TEXTS).fill(undefined);

function isTextAt(text: string, buffer: Uint8Array, at: number, length: number): boolean {
  if (text.length !== length) return false;
  for (let i = 0; i < length; i++) if (text.charCodeAt(i) !== buffer[at + i]) return false;
  return true;
}

export class ByteReader {
  private readonly buffer: Uint8Array;
  /** For doubles, which are rare. */
  private view: DataView | null = null;
  private at = 0;

  constructor(bytes: Uint8Array) {
    this.buffer = bytes;
  }

  get left(): number {
    return this.buffer.length - this.at;
  }

  byte(): number {
    return this.buffer[this.take(1)];
  }

  /** A view, not a copy. */
  bytes(length: number): Uint8Array {
    const from = this.take(length);
    return this.buffer.subarray(from, from + length);
  }

  /** A text of this many bytes in ASCII, as a string that is often met already; null where it is long or has other characters. */
  plainText(length: number): string | null {
    if (length > LONGEST_PLAIN || length > this.left) return null;
    const { buffer, at } = this;
    let digest = length;
    for (let i = at; i < at + length; i++) {
      if (buffer[i] > 0x7f) return null;
      digest = (Math.imul(digest, 31) + buffer[i]) | 0;
    }
    this.at += length;
    const place = (digest ^ (digest >>> 12)) & (MET_TEXTS - 1);
    const met = metTexts[place];
    if (met !== undefined && isTextAt(met, buffer, at, length)) return met;
    const text = String.fromCharCode.apply(null, buffer.subarray(at, at + length) as unknown as number[]);
    metTexts[place] = text;
    return text;
  }

  hex(length: number): string {
    return this.bytes(length).reduce((text, byte) => text + HEX[byte], "");
  }

  unsigned(size: number): number {
    const from = this.take(size);
    let value = 0;
    for (let at = from; at < from + size; at++) value = value * 0x100 + this.buffer[at];
    return value;
  }

  long(): bigint {
    this.view ??= new DataView(this.buffer.buffer, this.buffer.byteOffset, this.buffer.byteLength);
    return this.view.getBigUint64(this.take(8));
  }

  varint(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 0x80) {
      const group = this.byte();
      value += (group & 0x7f) * factor;
      if (!Number.isSafeInteger(value)) throw new Malformed("a number is too large");
      if (group < 0x80) {
        if (group === 0 && factor > 1) throw new Malformed("a number is not in its shortest form");
        return value;
      }
    }
  }

  rest(): Uint8Array {
    return this.bytes(this.left);
  }

  end(): void {
    if (this.left > 0) throw new Malformed(`${this.left} bytes too many`);
  }

  private take(length: number): number {
    if (length > this.left) throw new Malformed("it ends too early");
    const from = this.at;
    this.at += length;
    return from;
  }
}
