/** The worker thread's end of a campaign; the settings come once, with the thread. */
import { workerData } from "node:worker_threads";
import { InputError } from "../errors.ts";
import { type Chunk, type ChunkResult, runChunk } from "./chunk.ts";
import type { Settings } from "./settings.ts";

/** A refusal travels as text: the class of an error is lost between threads. */
export type Answer =
  | { readonly refusal: null; readonly result: ChunkResult }
  | { readonly refusal: string; readonly result: null };

export default function work(chunk: Chunk): Answer {
  try {
    return { refusal: null, result: runChunk(workerData as Settings, chunk) };
  } catch (error) {
    if (error instanceof InputError) return { refusal: error.message, result: null };
    throw error;
  }
}
