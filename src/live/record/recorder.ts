/**
 * The flight recorder of a member: a ring file of its last minutes (src/flight/format.ts). A step that tells something is handed to
 * the operating system before anything that it sent leaves, with all steps before it; steps in which members only watch each other
 * wait for a moment, because one write for each of them would cost more than they do. Nothing is synced: after a power failure the last
 * seconds may be missing. A recorder that cannot write stops, and the member goes on.
 */
import { closeSync, constants, fstatSync, openSync, readSync, renameSync, writeSync } from "node:fs";
import { crc32 } from "node:zlib";
import { InputError } from "../../errors.ts";
import {
  FILE_HEAD,
  type FlightHead,
  FRAME_HEAD,
  fileHead,
  frame,
  frameInPlace,
  type Geometry,
  geometryIn,
  headBytes,
  readFrame,
  slotAt,
  snapshotBytes,
} from "../../flight/format.ts";
import { isRecord } from "../../flight/magic.ts";
import { type Links, LONGEST_WAIT, SLOT_END, StepWriter } from "../../flight/steps.ts";
import type { TapeReader } from "../../flight/tape.ts";
import { version } from "../../version.ts";
import { encode } from "../../wire/codec.ts";
import { lock } from "../files.ts";
import { machineNow } from "../real-world.ts";
import type { World } from "../world.ts";

const SLOTS = 8;
/** Bytes of a slot for ten minutes or less; a longer record has larger slots. */
const SLOT_BYTES = 2 * 2 ** 20;
const USUAL_MINUTES = 10;
/** A slot is left when it has no more room than this share of it for a step: state as it was before a step cannot be had afterwards. */
const RESERVE = 1 / 8;
/** Bytes that wait at most. */
const MOST_WAITING = 16_384;
/** Milliseconds: a disk that takes longer for one write would hold the member up. */
const SLOWEST = 1000;

interface RecordOptions {
  readonly file: string;
  readonly minutes: number;
}

/** What is asked of the system: tests let it fail. */
interface RecordCalls {
  write(descriptor: number, bytes: Uint8Array, at: number): number;
  now(): number;
}

const system: RecordCalls = {
  write: (descriptor, bytes, at) => writeSync(descriptor, bytes, 0, bytes.length, at),
  now: machineNow,
};

/** How a file for this many minutes is divided. */
export const geometryFor = (minutes: number): Geometry => ({
  slots: SLOTS,
  slotBytes: Math.ceil(SLOT_BYTES * Math.max(1, minutes / USUAL_MINUTES)),
});

/** A file that is locked for this process. Its slots are used in turn, beginning after those that an earlier process has used. */
export class RecordFile {
  readonly geometry: Geometry;
  private readonly descriptor: number;
  private readonly unlock: () => void;
  private readonly calls: RecordCalls;
  private slot: number;
  private use: number;
  /** Bytes written to the present slot. */
  private used = 0;

  constructor(file: string, geometry: Geometry, calls: RecordCalls = system) {
    this.geometry = geometry;
    this.calls = calls;
    this.unlock = lock(`${file}.lock`);
    try {
      this.descriptor = openFile(file, geometry);
      try {
        [this.slot, this.use] = newestUse(this.descriptor, geometry);
        if (fstatSync(this.descriptor).size === 0) this.put(fileHead(geometry), 0);
      } catch (error) {
        closeSync(this.descriptor);
        throw error;
      }
    } catch (error) {
      this.unlock();
      throw error;
    }
  }

  /** Leaves the present slot and begins the next one with these frames. */
  next(contents: readonly Uint8Array[]): void {
    const { slots, slotBytes } = this.geometry;
    const last = this.used === 0 ? null : frame(this.use, encode(SLOT_END), crc32);
    const frames = contents.map((content) => frame(this.use + 1, content, crc32));
    const bytes = frames.reduce((sum, { length }) => sum + length, 0);
    if (bytes > slotBytes * (1 - RESERVE)) throw new Error(`the state of the member takes ${bytes} bytes, too many`);
    if (last !== null && this.used + last.length <= slotBytes) this.append(last);
    this.slot = (this.slot + 1) % slots;
    this.use++;
    this.used = 0;
    this.append(Buffer.concat(frames));
  }

  /** A frame of steps, which stand behind as many bytes as its head takes; false where it does not fit into the present slot. */
  add(bytes: Uint8Array): boolean {
    if (this.used + bytes.length > this.geometry.slotBytes) return false;
    frameInPlace(this.use, bytes, crc32);
    this.append(bytes);
    return true;
  }

  /** Whether the next step may not fit any more. */
  get isNearlyFull(): boolean {
    return this.used > this.geometry.slotBytes * (1 - RESERVE);
  }

  close(): void {
    try {
      closeSync(this.descriptor);
    } finally {
      this.unlock();
    }
  }

  private append(bytes: Uint8Array): void {
    this.put(bytes, slotAt(this.geometry, this.slot) + this.used);
    this.used += bytes.length;
  }

  private put(bytes: Uint8Array, at: number): void {
    const { calls, descriptor } = this;
    const began = calls.now();
    for (let done = 0; done < bytes.length; ) done += calls.write(descriptor, bytes.subarray(done), at + done);
    const ms = Math.round(calls.now() - began);
    if (ms > SLOWEST) throw new Error(`the disk has taken ${ms} ms for one write`);
  }
}

/** What is there is continued; a record that is divided otherwise is put aside, and another file is refused. */
function openFile(file: string, geometry: Geometry): number {
  const open = () => openSync(file, constants.O_RDWR | constants.O_CREAT, 0o600);
  const descriptor = open();
  const head = Buffer.alloc(FILE_HEAD);
  const length = readSync(descriptor, head, 0, FILE_HEAD, 0);
  if (length === 0) return descriptor;
  const found = geometryIn(head.subarray(0, length));
  if (found?.slots === geometry.slots && found.slotBytes === geometry.slotBytes) return descriptor;
  closeSync(descriptor);
  if (!isRecord(head)) {
    throw new InputError((field) => `${field("record")}: ${file} exists and is not a flight record: give another file`);
  }
  renameSync(file, `${file}.old`);
  return open();
}

/** The slot that was used last, and how many uses there were; the one before the first slot where none was. */
function newestUse(descriptor: number, geometry: Geometry): [slot: number, use: number] {
  let newest: [number, number] = [-1, 0];
  for (let slot = 0; slot < geometry.slots; slot++) {
    const head = Buffer.alloc(FRAME_HEAD);
    if (readSync(descriptor, head, 0, FRAME_HEAD, slotAt(geometry, slot)) < FRAME_HEAD) continue;
    const length = head.readUInt32BE(0);
    if (length === 0 || length > geometry.slotBytes) continue;
    const bytes = Buffer.alloc(FRAME_HEAD + length);
    readSync(descriptor, bytes, 0, bytes.length, slotAt(geometry, slot));
    const first = readFrame(bytes, 0, null);
    if (typeof first !== "string" && first.use > newest[1]) newest = [slot, first.use];
  }
  return newest;
}

/** Who is recorded. */
type RecordedMember = Pick<FlightHead, "machine" | "group" | "member" | "address">;

/** Writes the steps of one member. */
export class FlightRecorder implements TapeReader {
  /** Told once, in words, where recording has stopped. */
  onStopped: (why: string) => void = () => {};
  private readonly options: RecordOptions;
  private readonly world: Pick<World, "now" | "wall">;
  private file: RecordFile | null;
  private member: RecordedMember | null = null;
  private head: FlightHead | null = null;
  private life = 0;
  /** How many steps this life has made. */
  private made = 0;
  private readonly steps = new StepWriter(FRAME_HEAD);
  writer: StepWriter | null = this.steps;
  private writtenAt = 0;

  /** Opens the file, or says what is wrong with it. */
  constructor(options: RecordOptions, world: Pick<World, "now" | "wall">, calls?: RecordCalls) {
    this.options = options;
    this.world = world;
    this.file = openRecord(options, calls);
  }

  /** Who it is, before its first step. */
  begin(member: RecordedMember): void {
    this.member = member;
  }

  now(): number {
    return this.world.now();
  }

  start(life: number, at: number): void {
    this.life = life;
    if (this.file !== null) this.enter(this.file, at, null);
  }

  step(at: number, tells: boolean, threw: boolean): boolean {
    this.made++;
    if (!tells && at - this.writtenAt < LONGEST_WAIT && this.steps.waiting < MOST_WAITING) return false;
    try {
      return this.write(at) && !threw;
    } catch (error) {
      this.stop(error);
      return false;
    }
  }

  snapshot(state: unknown, links: Links): void {
    try {
      if (this.file !== null) this.enter(this.file, this.world.now(), { state, links });
    } catch (error) {
      this.stop(error);
    }
  }

  close(): void {
    const { file } = this;
    this.file = null;
    this.writer = null;
    if (file === null) return;
    try {
      this.flush(file);
    } catch {
      // A disk that is full at the very end: what was written before can be read.
    } finally {
      file.close();
    }
  }

  /** Whether the next step begins another slot. */
  private write(at: number): boolean {
    const { file, head } = this;
    if (file === null || head === null) return false;
    this.writtenAt = at;
    const isWritten = this.flush(file);
    // All slots but the one that is being written are whole: together they have the minutes that were asked for.
    const isOld = (at - head.now) * (file.geometry.slots - 1) >= this.options.minutes * 60_000;
    return !isWritten || isOld || file.isNearlyFull;
  }

  /** False where the latest step does not fit. */
  private flush(file: RecordFile): boolean {
    const { latest, waiting } = this.steps;
    const bytes = this.steps.take();
    if (waiting === 0 || file.add(bytes)) return true;
    if (latest > FRAME_HEAD) file.add(bytes.subarray(0, latest));
    return false;
  }

  /** The next slot. */
  private enter(
    file: RecordFile,
    now: number,
    snapshot: { readonly state: unknown; readonly links: Links } | null,
  ): void {
    const { world, life, made, member } = this;
    if (member === null) throw new Error("nobody has said who is recorded");
    const head = { sortition: version, ...member, life, now, wall: world.wall(), before: made };
    file.next([headBytes(head), snapshotBytes(snapshot)]);
    this.steps.since(now);
    this.head = head;
  }

  stop(error: unknown): void {
    const { code, message } = error as NodeJS.ErrnoException;
    const why = code === "ENOSPC" ? "the disk is full" : (code ?? message);
    this.steps.take();
    this.close();
    this.onStopped(`nothing is recorded any more in ${this.options.file}: ${why}; this member goes on`);
  }
}

/** A file that cannot be used is the user's to see to, before the member starts. */
function openRecord({ file, minutes }: RecordOptions, calls?: RecordCalls): RecordFile {
  try {
    return new RecordFile(file, geometryFor(minutes), calls);
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (error instanceof InputError || code === undefined || syscall === undefined) throw error;
    throw new InputError(
      (field) => `${field("record")}: nothing can be recorded in ${file} (${code}): fix that, or give another file`,
    );
  }
}
