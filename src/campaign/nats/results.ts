/**
 * Results on their way: in parts where they are larger than a message may be. Their bytes depend on nothing but the chunk, so parts
 * that two workers have stored for one chunk are parts of the same; how long it took stands in a header.
 */
import * as v from "valibot";
import { InputError } from "../../errors.ts";
import { type Chunk, type ChunkResult, wallTime } from "../../statistics/chunk.ts";
import type { ValueCounts } from "../../statistics/distribution.ts";
import type { TallyData } from "../../statistics/tally.ts";
import { decode, encode } from "../../wire/codec.ts";
import type { ChunkAnswer } from "../worker.ts";
import type { Nats } from "./connect.ts";
import { fetchParts, storeParts } from "./parts.ts";
import { RESULTS, resultParts } from "./subjects.ts";

const TOOK = "Sortition-Milliseconds";

type Trials = Pick<Chunk, "first" | "count">;

/** A chunk that nobody could finish has words instead of a result. */
export type Stored = ChunkAnswer | { readonly parked: string };

const doubles = v.pipe(
  v.array(v.number()),
  v.transform((numbers) => Float64Array.from(numbers)),
);
const RUN = v.pipe(
  v.object({ values: doubles, counts: doubles }),
  v.check(({ values, counts }) => values.length === counts.length, "its values and counts do not fit"),
);
const written = ({ values, counts }: ValueCounts) => ({ values: [...values], counts: [...counts] });

function writtenTally({ messages, rounds, bits, measures, ...rest }: TallyData) {
  const named = measures.map(([name, run]) => [name, written(run)]);
  return { ...rest, messages: written(messages), rounds: written(rounds), bits: written(bits), measures: named };
}

const WIRE = v.variant("kind", [
  v.object({
    kind: v.literal("result"),
    tally: v.object({
      trials: v.pipe(v.number(), v.safeInteger()),
      outcomes: v.object({ none: v.number(), one: v.number(), many: v.number() }),
      messages: RUN,
      rounds: RUN,
      bits: RUN,
      measures: v.array(v.tuple([v.string(), RUN])),
      series: v.array(v.tuple([v.string(), v.array(v.array(v.number()))])),
    }),
    rows: v.array(v.record(v.string(), v.unknown())),
  }),
  v.object({ kind: v.literal("refusal"), refusal: v.string(), stack: v.nullable(v.string()) }),
  v.object({ kind: v.literal("parked"), parked: v.string() }),
]);

function bytesOf(stored: Stored): Uint8Array {
  if ("parked" in stored) return encode({ kind: "parked", ...stored });
  const { refusal, result } = stored;
  if (refusal !== null) return encode({ kind: "refusal", refusal, stack: stored.stack });
  return encode({ kind: "result", tally: writtenTally(result.tally), rows: result.rows });
}

export async function storeResult(nats: Nats, id: string, chunk: Trials, stored: Stored): Promise<void> {
  const took = "result" in stored && stored.result !== null ? stored.result.ended - stored.result.started : 0;
  await storeParts(nats, resultParts(id, chunk), bytesOf(stored), { [TOOK]: String(took) });
}

/** Null where there is none yet, or none any more. */
export async function fetchResult(nats: Nats, id: string, chunk: Chunk): Promise<Stored | null> {
  const found = await fetchParts(nats, RESULTS, resultParts(id, chunk));
  return found === null ? null : readResult(found.bytes, chunk, Number(found.header.get(TOOK)) || 0);
}

function readResult(bytes: Uint8Array, chunk: Chunk, took: number): Stored {
  const wrong = (why: string) =>
    new InputError(
      `the result of trials ${chunk.first} to ${chunk.first + chunk.count - 1} is not one of ours: ${why}`,
    );
  let value: unknown;
  try {
    value = decode(bytes);
  } catch (error) {
    throw wrong((error as Error).message);
  }
  const read = v.safeParse(WIRE, value);
  if (!read.success) throw wrong(read.issues[0].message);
  const found = read.output;
  if (found.kind === "parked") return { parked: found.parked };
  if (found.kind === "refusal") return { refusal: found.refusal, stack: found.stack, result: null };
  if (found.tally.trials !== chunk.count || found.rows.length !== (chunk.rows ? chunk.count : 0)) {
    throw wrong("it has another number of trials");
  }
  const ended = wallTime();
  const result = { first: chunk.first, tally: found.tally, rows: found.rows, started: ended - took, ended };
  return { refusal: null, result: result as unknown as ChunkResult };
}
