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

export class ByteWriter {
  private buffer: Buffer;
  private length = 0;

  constructor(room = 128) {
    this.buffer = Buffer.allocUnsafe(room);
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

  /** Big-endian, `size` bytes of up to 6. */
  unsigned(value: number, size: number): void {
    this.reserve(size);
    this.buffer.writeUIntBE(value, this.length, size);
    this.length += size;
  }

  long(value: bigint): void {
    this.reserve(8);
    this.buffer.writeBigUInt64BE(value, this.length);
    this.length += 8;
  }

  double(value: number): void {
    this.reserve(8);
    this.buffer.writeDoubleBE(value, this.length);
    this.length += 8;
  }

  /** A whole number of 0 .. 2^53-1 in groups of seven bits, lowest first; the top bit says that more follow. */
  varint(value: number): void {
    let rest = value;
    for (; rest > 0x7f; rest = Math.floor(rest / 0x80)) this.byte((rest % 0x80) + 0x80);
    this.byte(rest);
  }

  done(): Buffer {
    return this.buffer.subarray(0, this.length);
  }

  private reserve(more: number): void {
    if (this.length + more <= this.buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(2 * this.buffer.length, this.length + more));
    larger.set(this.buffer.subarray(0, this.length));
    this.buffer = larger;
  }
}

export class ByteReader {
  private readonly buffer: Buffer;
  private at = 0;

  constructor(bytes: Uint8Array) {
    this.buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get left(): number {
    return this.buffer.length - this.at;
  }

  byte(): number {
    return this.buffer[this.take(1)];
  }

  /** A view, not a copy. */
  bytes(length: number): Buffer {
    const from = this.take(length);
    return this.buffer.subarray(from, from + length);
  }

  unsigned(size: number): number {
    return this.buffer.readUIntBE(this.take(size), size);
  }

  long(): bigint {
    return this.buffer.readBigUInt64BE(this.take(8));
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

  rest(): Buffer {
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
