/**
 * Results on their way: in parts where they are larger than a message may be. Their bytes depend on nothing but the chunk, so parts
 * that two workers have stored for one chunk are parts of the same; how long it took stands in a header.
 */
import type { MsgHdrs } from "@nats-io/transport-node";
import { InputError } from "../../errors.ts";
import { type Chunk, type ChunkResult, wallTime } from "../../statistics/chunk.ts";
import { decode, encode } from "../../wire/codec.ts";
import type { ChunkAnswer } from "../worker.ts";
import type { Nats } from "./connect.ts";
import { RESULTS, resultSubject } from "./subjects.ts";

const BYTES = "Sortition-Bytes";
const TOOK = "Sortition-Milliseconds";
/** For headers. */
const ROOM = 512;

type Trials = Pick<Chunk, "first" | "count">;

/** The first part is stored last: if it is there, the others are. */
export async function storeResult(nats: Nats, id: string, chunk: Trials, answer: ChunkAnswer): Promise<void> {
  const took = answer.result === null ? 0 : answer.result.ended - answer.result.started;
  const { refusal, result } = answer;
  const bytes = encode(refusal === null ? { tally: arrays(result.tally), rows: result.rows } : { ...answer });
  const length = nats.nc.info!.max_payload - ROOM;
  if (length <= 0) throw new Error("its max_payload is too small for any result");
  for (let part = Math.max(1, Math.ceil(bytes.length / length)) - 1; part >= 0; part--) {
    const headers = nats.packages.headers();
    headers.set(BYTES, String(bytes.length));
    headers.set(TOOK, String(took));
    const piece = bytes.subarray(part * length, (part + 1) * length);
    await nats.js.publish(resultSubject(id, chunk, part), piece, { headers });
  }
}

/** Null if there is none yet. */
export async function fetchResult({ jsm }: Nats, id: string, chunk: Chunk): Promise<ChunkAnswer | null> {
  const pieces: Uint8Array[] = [];
  for (let length = 0; ; ) {
    const message = await jsm.streams.getMessage(RESULTS, { last_by_subj: resultSubject(id, chunk, pieces.length) });
    if (message === null) return null;
    const header = message.header as MsgHdrs;
    pieces.push(message.data);
    length += message.data.length;
    if (length >= Number(header.get(BYTES))) return readResult(Buffer.concat(pieces), chunk, Number(header.get(TOOK)));
  }
}

function readResult(bytes: Uint8Array, chunk: Chunk, took: number): ChunkAnswer {
  const found = decode(bytes) as Partial<ChunkAnswer> & Partial<ChunkResult>;
  if (typeof found.refusal === "string") return { refusal: found.refusal, stack: found.stack ?? null, result: null };
  const { tally, rows = [] } = found;
  if (tally?.trials !== chunk.count || rows.length !== (chunk.rows ? chunk.count : 0)) {
    throw new InputError(`the result of trials ${chunk.first} to ${chunk.first + chunk.count - 1} is not one of ours`);
  }
  const ended = wallTime();
  return { refusal: null, result: { first: chunk.first, tally: doubles(tally), rows, started: ended - took, ended } };
}

/** Typed arrays travel as plain ones. */
const mapped =
  (of: (numbers: Float64Array) => unknown) =>
  (value: unknown, key = ""): unknown => {
    if (key === "values" || key === "counts") return of(value as Float64Array);
    if (Array.isArray(value)) return value.map((one) => mapped(of)(one));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, mapped(of)(one, name)]));
  };
const arrays = mapped((numbers) => [...numbers]);
const doubles = mapped((numbers) => Float64Array.from(numbers)) as (tally: unknown) => ChunkResult["tally"];
