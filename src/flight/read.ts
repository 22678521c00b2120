/** Reads a flight record: which processes it is of, and their steps. What cannot be read is left out, and said. */
import { InputError } from "../errors.ts";
import { Malformed } from "../wire/bytes.ts";
import {
  type FlightHead,
  type FlightSnapshot,
  type Geometry,
  geometryIn,
  readFrame,
  readHead,
  readSnapshot,
  slotAt,
} from "./format.ts";
import { isRecord, MAGIC } from "./magic.ts";
import { StepReader, type TapedStep } from "./steps.ts";

/** What one use of a slot holds. */
export interface Segment {
  readonly head: FlightHead;
  /** Null: it begins where its process was started. */
  readonly snapshot: FlightSnapshot | null;
  readonly steps: readonly TapedStep[];
}

/** One start of a process, as far as the record goes back. */
export interface Life {
  /** Of its first segment. */
  readonly head: FlightHead;
  /** In order. Between two of them steps may be missing, where a slot was damaged. */
  readonly segments: readonly Segment[];
}

interface FlightRecord {
  /** What errors call it. */
  readonly name: string;
  /** The oldest first. */
  readonly lives: readonly Life[];
  /** What could not be read, a sentence each. */
  readonly notes: readonly string[];
}

interface Use extends Segment {
  readonly use: number;
}

/** Throws an InputError where nothing of it can be read; what is damaged in part is read as far as it goes. */
export function readRecord(bytes: Uint8Array, name: string): FlightRecord {
  const geometry = geometryIn(bytes);
  if (geometry === null) throw new InputError(noRecord(bytes, name));
  const notes: string[] = [];
  const uses: Use[] = [];
  let newest = 0;
  for (let slot = 0; slot < geometry.slots; slot++) {
    const { use, segment } = readSlot(bytes, geometry, slot, notes);
    newest = Math.max(newest, use);
    if (segment !== null) uses.push({ ...segment, use });
  }
  if (uses.length === 0) {
    throw new InputError(
      `${name} has no step that can be read${notes.length === 0 ? ": nothing was recorded yet" : `: ${notes[0]}`}`,
    );
  }
  uses.sort((a, b) => a.use - b.use);
  return { name, lives: livesOf(uses), notes };
}

function noRecord(bytes: Uint8Array, name: string): string {
  if (!isRecord(bytes)) return `${name} is not a flight record: a member writes one with --record`;
  const version = String.fromCharCode(...bytes.subarray(MAGIC.length - 2, MAGIC.length - 1));
  if (version === MAGIC.at(-2)) return `${name} is a flight record, but its first bytes are damaged`;
  return `${name} is a flight record of version ${JSON.stringify(version)}, and this program reads version ${MAGIC.at(-2)}`;
}

function readSlot(
  bytes: Uint8Array,
  geometry: Geometry,
  number: number,
  notes: string[],
): { readonly use: number; readonly segment: Segment | null } {
  const from = slotAt(geometry, number);
  const slot = bytes.subarray(Math.min(from, bytes.length), Math.min(from + geometry.slotBytes, bytes.length));
  const first = readFrame(slot, 0, null);
  if (first === "nothing") return { use: 0, segment: null };
  const unreadable = (why: string) => {
    notes.push(`slot ${number + 1} of ${geometry.slots} cannot be read: ${why}`);
    return { use: 0, segment: null };
  };
  if (first === "damaged") return unreadable("its first bytes are damaged");
  const { use } = first;
  try {
    const head = readHead(first.payload);
    const second = readFrame(slot, first.end, use);
    if (typeof second === "string") return unreadable("its snapshot was not written to the end");
    const snapshot = readSnapshot(second.payload);
    const reader = new StepReader(head.now);
    const why = readSteps(reader, slot, second.end, use);
    const { steps } = reader;
    if (why !== null)
      notes.push(`after step ${head.before + steps.length} of ${head.member} the record is cut: ${why}`);
    return { use, segment: { head, snapshot, steps } };
  } catch (error) {
    if (!(error instanceof Malformed)) throw error;
    return unreadable(error.message);
  }
}

/** Why not all of them could be read; null where they could. */
function readSteps(reader: StepReader, slot: Uint8Array, from: number, use: number): string | null {
  for (let at = from; ; ) {
    const next = readFrame(slot, at, use);
    if (next === "nothing") return null;
    if (next === "damaged") return "what follows was not written to the end, or is damaged";
    try {
      if (!reader.read(next.payload)) return null;
    } catch (error) {
      if (error instanceof Malformed) return error.message;
      throw error;
    }
    at = next.end;
  }
}

/** Uses follow each other in time; a life that is named again has gone on. */
function livesOf(uses: readonly Use[]): Life[] {
  const lives: { head: FlightHead; segments: Segment[] }[] = [];
  for (const { use: _, ...segment } of uses) {
    const { head } = segment;
    const latest = lives.at(-1);
    if (latest?.head.life === head.life && latest.head.member === head.member) latest.segments.push(segment);
    else lives.push({ head, segments: [segment] });
  }
  return lives;
}
